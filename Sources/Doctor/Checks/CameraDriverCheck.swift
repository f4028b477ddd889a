import Capture
import Media

/// Checks the settings of uvcvideo, the driver of nearly all webcams.
enum CameraDriverCheck {
    private static let folder = "/sys/module/uvcvideo/parameters"

    static func findings(of machine: Machine) -> [Finding] {
        guard machine.exists("/sys/module/uvcvideo") else {
            guard !machine.usb.devices.contains(where: \.isCamera) else { return [] }  // said with the camera
            return [
                Finding(
                    "driver.loaded", .unknown,
                    "uvcvideo is not loaded; the kernel loads it with the first camera.")
            ]
        }
        return [clock(machine), quirks(machine), timeout(machine), stamps(machine), incomplete(machine)]
            .compactMap { $0 }
    }

    private static func number(_ name: String, _ machine: Machine) -> UInt32? {
        machine.text("\(folder)/\(name)").flatMap { UInt32($0) }
    }

    private static func clock(_ machine: Machine) -> Finding? {
        guard let clock = machine.text("\(folder)/clock") else { return nil }
        if clock == "CLOCK_MONOTONIC" {
            return Finding("driver.clock", .ok, "uvcvideo dates frames by the monotonic clock.")
        }
        return Finding(
            "driver.clock", .problem,
            "uvcvideo dates frames by \(clock), which is not the clock of the recording: they would not line up.",
            mend: machine.setting("\(folder)/clock", to: "CLOCK_MONOTONIC"))
    }

    /// Checks `quirks`, whose bits are those of drivers/media/usb/uvc/uvcvideo.h. All bits set, the default, means each camera's
    /// own quirks.
    private static func quirks(_ machine: Machine) -> Finding? {
        guard let quirks = number("quirks", machine) else { return nil }
        if quirks == .max {
            return Finding("driver.quirks", .ok, "uvcvideo treats each camera by its own list of quirks.")
        }
        let fixesBandwidth = quirks & 0x80 != 0
        let effect =
            fixesBandwidth
            ? "FIX_BANDWIDTH among them reserves less for uncompressed formats only, and mjpeg stays as it is"
            : "those that cameras need are not in force"
        return Finding(
            "driver.quirks", .warning,
            "uvcvideo's quirks are forced to 0x\(String(quirks, radix: 16)) for all cameras: \(effect). "
                + "Plug the cameras in again after the change.",
            mend: machine.setting("\(folder)/quirks", to: "4294967295"))
    }

    /// Checks the time that the driver waits for a camera, in milliseconds; its default is 5000 (UVC_CTRL_STREAMING_TIMEOUT).
    private static func timeout(_ machine: Machine) -> Finding? {
        guard let timeout = number("timeout", machine) else { return nil }
        if timeout >= 1000 {
            return Finding("driver.timeout", .ok, "uvcvideo waits \(timeout) ms for a camera's answer.")
        }
        return Finding(
            "driver.timeout", .warning,
            "uvcvideo waits only \(timeout) ms for a camera's answer; slow ones fail to start.",
            mend: machine.setting("\(folder)/timeout", to: "5000"))
    }

    private static func stamps(_ machine: Machine) -> Finding? {
        guard let isOn = number("hwtimestamps", machine) else { return nil }
        if isOn == 0 {
            return Finding("driver.hwtimestamps", .ok, "frames are dated by their arrival, as is usual.")
        }
        return Finding(
            "driver.hwtimestamps", .warning,
            "frames are dated by the cameras' own clocks (hwtimestamps), which many cameras tell wrongly. "
                + "If tracks jump or drift, switch it off.",
            mend: machine.setting("\(folder)/hwtimestamps", to: "0"))
    }

    private static func incomplete(_ machine: Machine) -> Finding? {
        guard let isOn = number("nodrop", machine) else { return nil }
        return Finding(
            "driver.nodrop", .ok,
            isOn == 0
                ? "uvcvideo drops incomplete frames; they count as lost on the bus."
                : "uvcvideo delivers incomplete frames with a mark (nodrop); they count as corrupt.")
    }
}
