import MulticamCapture
import MulticamMedia

/// Checks whether the cameras on a USB bus can run together, based on the reservations of their alternate
/// settings.
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
                "\(first.product) is the only camera on \(place).")
        }
        // Other devices on the bus also count, such as a USB microphone in use.
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
                "\(names): \(place) has enough bandwidth for all of these cameras in any format.")
        }
        if fits({ $0.streamSettings(controlledBy: nil).first }) {
            let sizes = cameras.map { camera in
                "\(camera.streamSettings(controlledBy: nil).last?.bytes ?? 0)"
            }
            return Finding(
                "usb.bandwidth", .warning, device: first.controller,
                "\(names) share \(place), which has too little bandwidth for all of these cameras at their maximum rates "
                    + "(\(sizes.joined(separator: " + ")) bytes per microframe). The last camera to start would fail. "
                    + "Choose mjpeg and smaller sizes, or move a camera to another controller.")
        }
        return Finding(
            "usb.bandwidth", .problem, device: first.controller,
            "\(names) share \(place) and can't run together, even at their minimum bandwidth. "
                + "Move a camera to another controller.")
    }
}

/// Checks whether cameras are connected at their highest USB speed.
enum USBSpeedCheck {
    static func findings(of machine: Machine) -> [Finding] {
        machine.usb.devices.filter(\.isCamera).map { camera in
            func finding(_ level: Finding.Level, _ text: String, repairCommand: String? = nil) -> Finding {
                Finding(
                    "usb.speed", level, device: machine.name(of: camera), "\(camera.product): \(text)",
                    repairCommand: repairCommand)
            }
            guard let speed = camera.speed else {
                return finding(.unknown, "the kernel doesn't report the USB speed of this camera.")
            }
            if speed <= .full {
                return finding(
                    .problem,
                    "the camera runs at only \(speed.name), which is too slow for video. Try another cable or port, and don't use an old hub."
                )
            }
            guard speed < .superSpeed else { return finding(.ok, "the camera runs at \(speed.name).") }
            switch camera.supportsSuperSpeed {
            case true?:
                return finding(
                    .warning,
                    "the camera supports USB 3, but runs at \(speed.name). Use a USB 3 port, and a cable and hub for USB 3."
                )
            case false?: return finding(.ok, "the camera runs at \(speed.name), its maximum speed.")
            case nil:
                return finding(
                    .unknown,
                    "the camera runs at \(speed.name). This kernel doesn't report whether the camera supports USB 3. Use lsusb to find out.",
                    repairCommand:
                        "\(machine.sudo)lsusb -v -d \(camera.productID.shellQuoted()) | grep -i superspeed")
            }
        }
    }
}

/// Checks whether the kernel suspends idle cameras, because some cameras don't wake up.
enum USBPowerCheck {
    static func findings(of machine: Machine) -> [Finding] {
        machine.usb.devices.filter(\.isCamera).map { camera in
            let power = "\(camera.folder)/power"
            func finding(_ level: Finding.Level, _ text: String, repairCommand: String? = nil) -> Finding {
                Finding(
                    "usb.autosuspend", level, device: machine.name(of: camera), "\(camera.product): \(text)",
                    repairCommand: repairCommand)
            }
            guard let control = Paths.text("\(power)/control") else {
                return finding(.unknown, "the kernel doesn't report whether autosuspend is enabled.")
            }
            if control == "on" { return finding(.ok, "autosuspend is disabled.") }
            let delay = Paths.text("\(power)/autosuspend_delay_ms").flatMap { Int($0) }
            if let delay, delay < 0 { return finding(.ok, "autosuspend is disabled (negative delay).") }
            let after = delay.map { " after \($0) ms" } ?? ""
            return finding(
                .warning,
                "autosuspend is enabled\(after), but some cameras don't wake up again, or are unavailable for a while. This command applies only until the camera is disconnected. For a permanent change, create a udev rule with "
                    + "ATTR{power/control}=\"on\".",
                repairCommand: machine.writeCommand(machine.displayPath("\(power)/control"), to: "on"))
        }
    }
}
