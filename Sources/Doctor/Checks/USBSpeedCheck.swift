import Capture
import Media

/// Checks whether cameras are connected at their highest USB speed.
enum USBSpeedCheck {
    static func findings(of machine: Machine) -> [Finding] {
        machine.usb.devices.filter(\.isCamera).map { camera in
            func finding(_ level: Finding.Level, _ text: String, mend: String? = nil) -> Finding {
                Finding(
                    "usb.speed", level, device: machine.name(of: camera), "\(camera.product): \(text)",
                    mend: mend)
            }
            guard let speed = camera.speed else {
                return finding(.unknown, "the kernel does not say how fast it talks.")
            }
            if speed <= .full {
                return finding(
                    .problem,
                    "it talks at \(speed.name) only, which is too slow for frames. Try another cable or port, and no old hub."
                )
            }
            guard speed < .superSpeed else { return finding(.ok, "it talks at \(speed.name).") }
            switch camera.knowsSuperSpeed {
            case true?:
                return finding(
                    .warning,
                    "it knows USB 3, but talks at \(speed.name). Use a USB 3 port, and a cable and hub for USB 3."
                )
            case false?: return finding(.ok, "it talks at \(speed.name), as fast as it can.")
            case nil:
                return finding(
                    .unknown,
                    "it talks at \(speed.name); whether it knows USB 3 is not for this kernel to tell, but lsusb asks it.",
                    mend: "\(machine.sudo)lsusb -v -d \(camera.productID.shellQuoted()) | grep -i superspeed")
            }
        }
    }
}
