import Capture
import Media

/// Checks whether the cameras of a USB bus can run together, by what their alternate settings reserve.
enum USBBandwidthCheck {
    static func findings(of machine: Machine) -> [Finding] {
        let cameras = machine.usb.devices.filter {
            $0.isCamera && !$0.streamSettings(controlledBy: nil).isEmpty
        }
        let domains = Dictionary(grouping: cameras) { $0.domains.first }
            .sorted { ($0.key?.name ?? "") < ($1.key?.name ?? "") }
        return domains.compactMap { domain, cameras in
            domain.flatMap { finding(for: cameras.sorted { $0.name < $1.name }, on: $0, machine) }
        }
    }

    private static func finding(for cameras: [USBDevice], on domain: USBDomain, _ machine: Machine)
        -> Finding?
    {
        guard let first = cameras.first else { return nil }
        let place = "the controller \(first.controller) (\(domain.place))"
        guard cameras.count > 1 else {
            return Finding(
                "usb.bandwidth", .ok, device: first.controller,
                "\(first.product) has the bandwidth of \(place) for itself.")
        }
        // Other devices of the bus count too, such as a USB microphone in use.
        let others = machine.usb.devices.filter { $0.domains.first == domain && !cameras.contains($0) }
        func fits(_ choose: (USBDevice) -> USBReservation?) -> Bool {
            var load = USBLoad()
            for device in others { load.add(device) }
            return cameras.allSatisfy { camera in
                guard let reservation = choose(camera), let speed = camera.speed else { return true }
                return load.reserve(reservation, at: speed, on: camera.domains, for: camera.name)
            }
        }
        let names = cameras.map { "\($0.product) (\(machine.name(of: $0)))" }.joined(separator: ", ")
        if fits({ $0.streamSettings(controlledBy: nil).last }) {
            return Finding(
                "usb.bandwidth", .ok, device: first.controller,
                "\(names): \(place) has room for all of them, whatever they ask for.")
        }
        if fits({ $0.streamSettings(controlledBy: nil).first }) {
            let sizes = cameras.map { camera in
                "\(camera.streamSettings(controlledBy: nil).last?.bytes ?? 0)"
            }
            return Finding(
                "usb.bandwidth", .warning, device: first.controller,
                "\(names) share \(place), which has no room for all of them at once if they ask for the most that they may "
                    + "(\(sizes.joined(separator: " + ")) bytes a microframe): the last to start would be refused. "
                    + "Choose mjpeg and smaller sizes, or move one to another controller.")
        }
        return Finding(
            "usb.bandwidth", .problem, device: first.controller,
            "\(names) share \(place) and cannot run together even with the least that each may ask for. "
                + "Move one to another controller.")
    }
}
