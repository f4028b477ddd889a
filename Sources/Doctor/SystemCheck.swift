import MulticamCapture
import MulticamMedia
internal import MulticamSetup
import MulticamSystem

/// Checks memory, the wall clock, and udev.
enum SystemCheck {
    /// 2026-01-01 in seconds since 1970. A clock with an earlier time is wrong, because this program didn't
    /// exist before that date.
    private static let earliest = 1_767_225_600
    /// 2100-01-01 in seconds since 1970.
    private static let latest = 4_102_444_800

    static func findings(of machine: Machine) -> [Finding] {
        [memory(machine), clock(machine), udev(machine)]
    }

    private static func memory(_ machine: Machine) -> Finding {
        guard let bytes = FreeMemory.bytes(root: machine.root) else {
            return Finding(
                "system.memory", .unknown, "/proc/meminfo doesn't report the amount of free memory.")
        }
        let megabytes = bytes >> 20
        if megabytes < 256 {
            return Finding(
                "system.memory", .problem,
                "only \(megabytes) MB of memory is free, so the kernel may kill the recording. Close other programs.",
                repairCommand: "ps -eo rss,pid,comm --sort=-rss | head")
        }
        if megabytes < 1024 {
            return Finding(
                "system.memory", .warning,
                "\(megabytes) MB of memory is free, which may be too little for several cameras.",
                repairCommand: "ps -eo rss,pid,comm --sort=-rss | head")
        }
        return Finding("system.memory", .ok, "\(megabytes) MB of memory is free.")
    }

    private static func clock(_ machine: Machine) -> Finding {
        guard (earliest..<latest).contains(machine.wallClock) else {
            return Finding(
                "system.clock", .warning,
                "the computer's clock is off by years. Folder names and timecode would be wrong, but synchronization is not affected.",
                repairCommand: "\(machine.sudo)timedatectl set-ntp true")
        }
        if machine.exists("/run/systemd/timesync/synchronized") {
            return Finding("system.clock", .ok, "the computer's clock is synchronized over the network.")
        }
        return Finding(
            "system.clock", .ok, "the computer's clock is plausible, but its accuracy is unknown.")
    }

    private static func udev(_ machine: Machine) -> Finding {
        if machine.exists("/run/udev/control") {
            return Finding("system.udev", .ok, "udevd is running.")
        }
        if machine.isContainer {
            return Finding(
                "system.udev", .unknown,
                "multicam is running in a container: udevd runs outside the container, so newly connected devices may not appear inside."
            )
        }
        return Finding(
            "system.udev", .warning,
            "udevd is not running, so newly connected devices don't get the right permissions and names.",
            repairCommand: "\(machine.sudo)systemctl start systemd-udevd")
    }
}

/// Checks whether the processor can run at full speed, and whether capture has priority over other programs.
enum ProcessorCheck {
    private static let folder = "/sys/devices/system/cpu"

    static func findings(of machine: Machine) -> [Finding] {
        speed(of: machine) + [load(of: machine), priority(of: machine)]
    }

    private static func load(of machine: Machine) -> Finding {
        let check = "system.load"
        guard let share = machine.shareOfOtherPrograms else {
            return Finding(check, .unknown, "the kernel doesn't report how busy the processors are.")
        }
        let sentence = "other programs use \(Int(rounding: share * 100)) % of the processors"
        guard ProcessorUse.isBusy(share) else { return Finding(check, .ok, "\(sentence).") }
        return Finding(
            check, .warning,
            "\(sentence), so frames may be lost while recording. Close other programs before you record.")
    }

    private static func priority(of machine: Machine) -> Finding {
        let check = "system.priority"
        switch machine.priority {
        case .niceLimit:
            return Finding(
                check, .ok, "capture threads run at elevated priority, as the user's nice limit allows.")
        case .realtimeKit:
            return Finding(check, .ok, "capture threads run at elevated priority (RealtimeKit).")
        case .notGranted(let reason):
            return Finding(
                check, .warning,
                "capture threads can't run at elevated priority, so frames may be lost when the computer is busy: \(reason). "
                    + "Install RealtimeKit (rtkit), or raise the user's nice limit and log in again.",
                repairCommand:
                    "echo \"$USER - nice -11\" | \(machine.sudo)tee /etc/security/limits.d/multicam.conf")
        }
    }

    private static func speed(of machine: Machine) -> [Finding] {
        let policies = machine.entries(folder).filter {
            $0.hasPrefix("cpu") && $0.dropFirst(3).allSatisfy(\.isNumber) && $0.count > 3
        }.compactMap { name -> (governor: String, driver: String)? in
            guard let governor = machine.text("\(folder)/\(name)/cpufreq/scaling_governor") else {
                return nil
            }
            return (governor, machine.text("\(folder)/\(name)/cpufreq/scaling_driver") ?? "")
        }
        guard !policies.isEmpty else {
            return [
                Finding(
                    "system.governor", .unknown,
                    "the kernel doesn't report CPU frequency scaling, as is usual in virtual machines."
                )
            ]
        }
        // intel_pstate and amd-pstate-epp call their normal dynamic mode powersave. With other drivers,
        // powersave selects the lowest speed.
        let slow = policies.filter { policy in
            policy.governor == "conservative"
                || policy.governor == "powersave" && !policy.driver.contains("pstate")
        }
        guard let first = slow.first else {
            let names = Set(policies.map(\.governor)).sorted().joined(separator: ", ")
            return [Finding("system.governor", .ok, "the CPU frequency follows the load (\(names)).")]
        }
        return [
            Finding(
                "system.governor", .warning,
                "\(slow.count) of \(policies.count) CPUs are limited to a low frequency (governor \(first.governor)), so encoders may be too slow.",
                repairCommand: "echo performance | \(machine.sudo)tee \(folder)/cpu*/cpufreq/scaling_governor"
            )
        ]
    }
}

/// Checks for hardware encoders and reports the results of their trials.
enum EncoderCheck {
    private static let command = "multicam calibrate --machine"

    static func findings(of machine: Machine) -> [Finding] {
        let detected = EncoderDetection(
            root: machine.root, codecNodes: machine.codecNodes, libraryEncoders: machine.libraryEncoders
        ).encoders
        guard !detected.isEmpty else {
            return [
                Finding(
                    "system.encoder", .ok,
                    "libavcodec found no hardware encoder, so video is encoded by the CPU.")
            ]
        }
        return detected.map { finding(on: $0, machine) }
    }

    private static func finding(on encoder: HardwareEncoder, _ machine: Machine) -> Finding {
        if let access = machine.access.first(where: { $0.permissions.node == encoder.node }),
            !access.isAllowed
        {
            let obstacle = access.permissions.obstacle(to: machine.user, inContainer: machine.isContainer)
            return Finding(
                "system.encoder", .warning, device: encoder.node,
                "no access to the encoder \(encoder.device): \(obstacle.explanation(node: encoder.node))",
                repairCommand: obstacle.fixCommand(node: encoder.node))
        }
        guard let tried = machine.triedEncoders.first(where: { $0.encoder == encoder }) else {
            return Finding(
                "system.encoder", .unknown, device: encoder.node,
                "\(encoder.library) (\(encoder.device)) has not been tested with the current driver, so it is not used.",
                repairCommand: command)
        }
        let works = tried.figures != nil
        return Finding(
            "system.encoder", works ? .ok : .warning, device: encoder.node, tried.sentence,
            repairCommand: works ? nil : command)
    }
}

/// Checks whether the process limits (getrlimit(2)) are sufficient for a recording of several cameras.
enum LimitsCheck {
    /// A limit as printed by proc(5) in `/proc/[pid]/limits`.
    private struct Limit {
        let name: String
        /// Value below which the limit can be insufficient; `nil` if any value can be insufficient.
        let least: UInt64?
        let effect: String
        let remedy: String
    }

    private static let limits = [
        Limit(
            name: "Max open files", least: 256,
            effect: "open files, which may be too few for several cameras and live outputs",
            remedy: "ulimit -n hard, or `LimitNOFILE=` in the systemd unit"),
        Limit(
            name: "Max processes", least: 256, effect: "processes and threads of this user",
            remedy: "ulimit -u, or `TasksMax=` in the systemd unit"),
        Limit(
            name: "Max address space", least: nil,
            effect: "bytes of address space; a recording that needs more is killed without warning",
            remedy: "ulimit -v unlimited"),
        Limit(
            name: "Max file size", least: nil, effect: "bytes per file, so longer recordings stop early",
            remedy: "ulimit -f unlimited"),
    ]

    static func findings(of machine: Machine) -> [Finding] {
        let lines = machine.lines("/proc/self/limits")
        guard !lines.isEmpty else { return [] }
        let found = limits.compactMap { limit -> Finding? in
            guard let line = lines.first(where: { $0.hasPrefix(limit.name) }) else { return nil }
            // These are the soft limit and the hard limit. The program raises the soft limit on open files to
            // the hard limit.
            let numbers = line.dropFirst(limit.name.count).split(separator: " ").prefix(2).map { UInt64($0) }
            guard numbers.count == 2,
                let number = limit.name == "Max open files" ? numbers[1] : numbers[0],
                limit.least.map({ number < $0 }) ?? true
            else { return nil }
            return Finding(
                "system.limits", .warning,
                "this process is limited to \(number) \(limit.effect). Raise the limit: \(limit.remedy).")
        }
        return found.isEmpty
            ? [Finding("system.limits", .ok, "the process limits are high enough for recording.")] : found
    }
}
