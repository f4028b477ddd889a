import MulticamMedia
import MulticamMonitoring

@testable import MulticamSystem

/// Tests the computer's state in proc and sysfs: stalls, temperature, clock speed, CPU shares, and batteries,
/// and the system pressure derived from them.
final class HostText: FuzzTarget {
    static let name = "host"
    static let limit = 2048
    private let files: ScratchFiles

    private static let processor = "sys/devices/system/cpu/cpu0"
    private static let zone = "sys/class/thermal/thermal_zone0"
    private static let battery = "sys/class/power_supply/BAT0"

    /// The files for the parts of an input, in order.
    private static let parts = [
        "proc/pressure/cpu", "proc/pressure/io", "proc/pressure/memory", "proc/self/status",
        "proc/self/cgroup",
        "proc/meminfo", "sys/fs/cgroup/cgroup.controllers", "sys/fs/cgroup/cpu.max", "sys/fs/cgroup/cpu.stat",
        "sys/fs/cgroup/a/cgroup.type", "sys/fs/cgroup/a/cpu.max", "sys/fs/cgroup/a/cpu.stat",
        "sys/fs/cgroup/a/cpu.pressure", processor + "/cpufreq/cpuinfo_max_freq",
        processor + "/cpufreq/scaling_max_freq", processor + "/thermal_throttle/core_throttle_count",
        processor + "/thermal_throttle/package_throttle_count", zone + "/type", zone + "/temp",
        zone + "/trip_point_0_type", zone + "/trip_point_0_temp", battery + "/scope", battery + "/type",
        battery + "/status", battery + "/capacity", battery + "/energy_now", battery + "/power_now",
    ]

    init(folder: String) {
        files = ScratchFiles(folder: folder)
        for part in Self.parts {
            files.makeFolder(part.split(separator: "/").dropLast().joined(separator: "/"))
        }
    }

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let parts = InputParts(bytes, count: Self.parts.count)
        for (index, path) in Self.parts.enumerated() { files.set(path, parts[index]) }
        let host = ThisHost(root: files.folder)
        let state = host.read(folder: files.folder, at: ClockTime(nanoseconds: 1))
        for missing in state.missing { try requireDisplayable(missing.reason) }
        for stall in state.stalls {
            try require((0...1).contains(stall.some), "\(stall.some) of the time is no share")
            try require((0...1).contains(stall.full ?? 0), "\(stall.full ?? 0) of the time is no share")
        }
        if let speed = state.speed {
            try require(speed.allowed > 0 && speed.allowed <= 1, "processors may run at \(speed.allowed)")
        }
        if let share = state.share {
            try require(share.usable > 0 && share.usable.isFinite, "\(share.usable) processors can be used")
        }
        if let power = state.power {
            try require((0...1).contains(power.charge ?? 0), "a battery holds \(power.charge ?? 0)")
            try require(power.timeToEmpty.map { $0 >= .zero } ?? true, "a battery is empty since some time")
        }
        if let free = FreeMemory.bytes(root: files.folder) {
            try require(free >= 0, "\(free) bytes are free")
        }
        var assessment = PressureAssessment()
        for second in 1...3 {
            let time = ClockTime(nanoseconds: Int64(second) * 1_000_000_000)
            let pressure = assessment.assess(state, readAt: time, queues: [], at: time)
            try requireDisplayable(pressure.text)
            for factor in pressure.factors { try requireDisplayable(factor.text) }
        }
    }
}
