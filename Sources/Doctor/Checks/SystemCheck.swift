import Capture
import Host
import Media

/// Checks memory, the wall clock, and udev.
enum SystemCheck {
    /// 2026-01-01 in seconds since 1970: earlier clocks are wrong, because the program did not exist.
    private static let earliest = 1_767_225_600
    /// 2100-01-01 in seconds since 1970.
    private static let latest = 4_102_444_800

    static func findings(of machine: Machine) -> [Finding] {
        [memory(machine), clock(machine), udev(machine)]
    }

    private static func memory(_ machine: Machine) -> Finding {
        guard let bytes = FreeMemory.bytes(root: machine.root) else {
            return Finding("system.memory", .unknown, "/proc/meminfo does not say how much memory is free.")
        }
        let megabytes = bytes >> 20
        if megabytes < 256 {
            return Finding(
                "system.memory", .problem,
                "only \(megabytes) MB of memory are free: the kernel may end the recording. Close other programs.",
                mend: "ps -eo rss,pid,comm --sort=-rss | head")
        }
        if megabytes < 1024 {
            return Finding(
                "system.memory", .warning,
                "\(megabytes) MB of memory are free, which is little for several cameras.",
                mend: "ps -eo rss,pid,comm --sort=-rss | head")
        }
        return Finding("system.memory", .ok, "\(megabytes) MB of memory are free.")
    }

    private static func clock(_ machine: Machine) -> Finding {
        guard (earliest..<latest).contains(machine.wallClock) else {
            return Finding(
                "system.clock", .warning,
                "the computer's clock is wrong by years: folders and time codes would be too, although tracks line up.",
                mend: "\(machine.sudo)timedatectl set-ntp true")
        }
        if machine.exists("/run/systemd/timesync/synchronized") {
            return Finding("system.clock", .ok, "the computer's clock is set from the network.")
        }
        return Finding(
            "system.clock", .ok, "the computer's clock is plausible; whether it is exact is not known here.")
    }

    private static func udev(_ machine: Machine) -> Finding {
        if machine.exists("/run/udev/control") {
            return Finding("system.udev", .ok, "udevd runs.")
        }
        if machine.isContainer {
            return Finding(
                "system.udev", .unknown,
                "this is a container: udevd runs outside, and devices that are plugged in later may not appear here."
            )
        }
        return Finding(
            "system.udev", .warning,
            "udevd does not run: permissions and names of devices that are plugged in are not set.",
            mend: "\(machine.sudo)systemctl start systemd-udevd")
    }
}
