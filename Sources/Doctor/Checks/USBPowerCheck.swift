import Capture
import Media

/// Checks whether the kernel suspends idle cameras, from which some do not wake up.
enum USBPowerCheck {
    static func findings(of machine: Machine) -> [Finding] {
        machine.usb.devices.filter(\.isCamera).map { camera in
            let power = "\(camera.folder)/power"
            func finding(_ level: Finding.Level, _ text: String, mend: String? = nil) -> Finding {
                Finding(
                    "usb.autosuspend", level, device: machine.name(of: camera), "\(camera.product): \(text)",
                    mend: mend)
            }
            guard let control = Paths.text("\(power)/control") else {
                return finding(.unknown, "the kernel does not say whether it may sleep.")
            }
            if control == "on" { return finding(.ok, "it is never sent to sleep.") }
            let delay = Paths.text("\(power)/autosuspend_delay_ms").flatMap { Int($0) }
            if let delay, delay < 0 { return finding(.ok, "it is not sent to sleep (autosuspend is off).") }
            let after = delay.map { " after \($0) ms" } ?? ""
            return finding(
                .warning,
                "the kernel sends it to sleep\(after) without use (autosuspend), and some cameras do not wake up or are busy for "
                    + "a while. The command holds until it is plugged in again; a udev rule with "
                    + "ATTR{power/control}=\"on\" holds for ever.",
                mend: machine.setting(machine.ownPath("\(power)/control"), to: "on"))
        }
    }
}
