import Capture
import Media

/// Whether the cameras of a bus can run together, by what their alternate settings reserve.
enum USBBandwidthCheck {
    static func findings(of machine: Machine) -> [Finding] {
        let cameras = machine.usb.devices.filter {
            $0.isCamera && !$0.streamSettings(controlledBy: nil).isEmpty
        }
        let domains = Dictionary(grouping: cameras, by: \.domain).sorted { $0.key < $1.key }
        return domains.compactMap { finding(for: $0.value.sorted { $0.name < $1.name }, machine) }
    }

    private static func finding(for cameras: [USBDevice], _ machine: Machine) -> Finding? {
        guard let first = cameras.first, let speed = cameras.compactMap(\.sharedSpeed).min() else {
            return nil
        }
        let place = "the controller \(first.controller) (\(first.domain))"
        guard cameras.count > 1 else {
            return Finding(
                "usb.bandwidth", .ok, device: first.controller,
                "\(first.product) has the bandwidth of \(place) for itself.")
        }
        // What is on the bus beside the cameras, such as a USB microphone that somebody uses.
        let others = machine.usb.devices.filter { $0.domain == first.domain && !cameras.contains($0) }
        func fits(_ choose: (USBDevice) -> USBReservation?) -> Bool {
            var schedule = USBSchedule(budget: USBBusTime.budget(at: speed))
            for reservation in others.flatMap(\.reservations) {
                schedule.add(reservation.busTime, each: reservation.microframes)
            }
            return cameras.compactMap(choose).allSatisfy {
                schedule.reserve($0.busTime, each: $0.microframes)
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
