/// State of the computer at one moment. Data sources that don't provide a plausible value are listed in
/// `missing`.
package struct HostState: Sendable, Equatable {
    /// Pressure stall information of each resource, for the machine and for this process's control group.
    package var stalls: [ResourceStall] = []
    /// Temperatures of the kernel's thermal zones, with their limits.
    package var zones: [ThermalZone] = []
    /// Permitted processor speed and thermal throttling; `nil` if unknown.
    package var speed: ProcessorSpeed?
    /// Share of processor capacity that this process may use; `nil` if unknown.
    package var share: ProcessorShare?
    /// State of the power supply and the batteries; `nil` if unknown.
    package var power: PowerSupply?
    /// Space on the recording's disk; `nil` if unknown.
    package var disk: DiskSpace?
    /// Data sources that don't provide a usable value, each with the reason.
    package var missing: [MissingSource] = []

    /// Creates a host state in which all values are unknown.
    package init() {}
}

/// Reads the state of the computer while a session is running: stalls, temperatures, processor speed, power
/// supply, and disk space.
package protocol HostReading: Sendable {
    /// Reads the computer's current state.
    ///
    /// The call may block if a driver or a disk doesn't respond. Call this method on a thread that may block,
    /// never from a Swift task.
    ///
    /// - Parameters:
    ///   - folder: The session folder, which identifies the disk.
    ///   - time: The current instant on the session clock.
    /// - Returns: The values that could be read, and the sources that couldn't be read.
    func read(folder: String, at time: ClockTime) -> HostState

    /// Reads only the free space of a disk. Like `read`, this method may block.
    ///
    /// - Parameter folder: A folder on the disk.
    /// - Returns: Number of bytes that this user can still write; `nil` if the system doesn't report them.
    func freeBytes(folder: String) -> Int64?
}

extension HostReading {
    /// Always `nil`: the reader doesn't report free space.
    package func freeBytes(folder: String) -> Int64? { nil }
}

/// A source of the computer's state that doesn't provide a plausible value, for example in containers and
/// virtual machines.
package struct MissingSource: Sendable, Hashable, Codable {
    /// The kinds of sources of the computer's state.
    package enum Source: String, Sendable, Codable, CaseIterable {
        /// Time that tasks spend waiting for the processor (pressure stall information, `cpu`).
        case processorStall = "cpu-stall"
        /// Time that tasks spend waiting for storage (pressure stall information, `io`).
        case storageStall = "io-stall"
        /// Time that tasks spend waiting for memory (pressure stall information, `memory`).
        case memoryStall = "memory-stall"
        /// Time that the tasks in this process's own control group spend waiting for a resource.
        case groupStall = "group-stall"
        /// The temperatures of the thermal zones.
        case temperature
        /// Permitted processor speed.
        case speed = "cpu-speed"
        /// Number of times that a processor was slowed down because of heat.
        case throttling = "cpu-throttling"
        /// Share of processor capacity that this process may use.
        case share = "cpu-share"
        /// State of the batteries and the power supply.
        case power
        /// The free space on the recording's disk.
        case disk
        /// All sources are missing because none of them is currently responding.
        case all
    }

    /// The missing data source.
    package let source: Source
    /// The missing part of the source, for example `thermal_zone3`; `nil` if the whole source is missing. The
    /// text contains only printable characters.
    package let part: String?
    /// Reason why the source is missing, as the end of a sentence without a period. The text contains only
    /// printable characters.
    package let reason: String

    /// Creates a missing source and replaces unprintable characters in `part` and `reason`.
    package init(_ source: Source, part: String? = nil, _ reason: String) {
        self.source = source
        self.part = part?.printable(limit: 60)
        self.reason = reason.printable(limit: 300)
    }
}

extension MissingSource: CustomStringConvertible {
    /// A sentence that states the source, the missing part, and the reason.
    package var description: String {
        "\(source.rawValue)\(part.map { " (\($0))" } ?? ""): \(reason)."
    }
}

/// Fraction of the last 10 s during which tasks waited for a resource (the kernel's pressure stall
/// information, `avg10`).
package struct ResourceStall: Sendable, Equatable {
    /// A resource with kernel stall information; the raw value is the file name.
    package enum Resource: String, Sendable, CaseIterable {
        case processor = "cpu"
        case storage = "io"
        case memory
    }

    /// Set of tasks included in a stall measurement.
    package enum Scope: Sendable, Equatable {
        /// All tasks on the computer.
        case machine
        /// The tasks in this process's control group.
        case ownGroup
    }

    /// The resource that tasks waited for.
    package let resource: Resource
    /// The set of tasks included in the measurement.
    package let scope: Scope
    /// Fraction of the time during which at least one task was waiting, 0…1.
    package let some: Double
    /// Fraction of the time during which all runnable tasks were waiting simultaneously, 0…1. The value is
    /// `nil` for the processor on kernels before 5.13, which don't report it.
    package let full: Double?

    /// Creates a stall measurement from fractions of time, each 0…1.
    package init(_ resource: Resource, _ scope: Scope, some: Double, full: Double?) {
        self.resource = resource
        self.scope = scope
        self.some = some
        self.full = full
    }
}

/// A temperature in thousandths of a degree Celsius, the kernel's unit.
package struct Temperature: Sendable, Hashable, Comparable {
    /// Thousandths of a degree Celsius.
    package let millidegrees: Int

    /// Creates a temperature from thousandths of a degree Celsius.
    package init(millidegrees: Int) {
        self.millidegrees = millidegrees
    }

    /// Creates a temperature from whole degrees Celsius.
    package init(degrees: Int) {
        millidegrees = degrees * 1000
    }

    /// The temperature in degrees Celsius.
    package var degrees: Double { Double(millidegrees) / 1000 }

    /// Whether the left temperature is lower than the right temperature.
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.millidegrees < rhs.millidegrees }
}

extension Temperature: CustomStringConvertible {
    /// The temperature in whole degrees, such as `87 °C`, because sensors are rarely more precise.
    package var description: String { "\(Int(rounding: degrees)) °C" }
}

/// A thermal zone that the kernel monitors, with its trip points.
package struct ThermalZone: Sendable, Equatable {
    /// The kernel's folder and the driver's type name: `thermal_zone0 x86_pkg_temp`. The text contains only
    /// printable characters.
    package let name: String
    /// Current temperature of the zone.
    package let temperature: Temperature
    /// Passive trip point: above this temperature, the kernel slows the machine down. The value is `nil` if
    /// the zone doesn't define such a trip point.
    package let passive: Temperature?
    /// Hot trip point: above this temperature, the kernel warns of damage. The value is `nil` if the zone
    /// doesn't define such a trip point.
    package let hot: Temperature?
    /// Critical trip point: above this temperature, the kernel shuts the machine down. The value is `nil` if
    /// the zone doesn't define such a trip point.
    package let critical: Temperature?

    /// Creates a thermal zone and replaces unprintable characters in `name`.
    package init(
        name: String, temperature: Temperature, passive: Temperature? = nil, hot: Temperature? = nil,
        critical: Temperature? = nil
    ) {
        self.name = name.printable(limit: 60)
        self.temperature = temperature
        self.passive = passive
        self.hot = hot
        self.critical = critical
    }
}

/// Current speed limit of the processors, and the number of times that heat slowed them down.
package struct ProcessorSpeed: Sendable, Equatable {
    /// Sum of the processors' permitted frequencies divided by the sum of their maximum frequencies, 0…1. A
    /// value below 1 indicates a cap set by the user, a power profile, or the firmware.
    package let allowed: Double
    /// Number of processors that aren't permitted to run at their maximum frequency.
    package let capped: Int
    /// Number of processors whose frequencies are known.
    package let count: Int
    /// Number of times that a processor was slowed down because of heat since the system started; `nil` if no
    /// processor reports this number.
    package let throttlings: Int64?

    /// Creates a processor speed from data about all processors.
    package init(allowed: Double, capped: Int, count: Int, throttlings: Int64?) {
        self.allowed = allowed
        self.capped = capped
        self.count = count
        self.throttlings = throttlings
    }
}

/// Share of processor capacity that this process may use, and how often its control group was throttled.
package struct ProcessorShare: Sendable, Equatable {
    /// Number of processors that the process may use (its affinity).
    package let processors: Int
    /// CPU quota of the process's control group in processors, for example 1.5; `nil` without a quota.
    package let quota: Double?
    /// Number of quota periods in which the control group has been active since its creation; `nil` without a
    /// quota.
    package let periods: Int64?
    /// Number of quota periods in which the control group was stopped because its quota was used up; `nil`
    /// without a quota.
    package let throttledPeriods: Int64?

    /// Creates a processor share from the affinity and the control group's data.
    package init(processors: Int, quota: Double? = nil, periods: Int64? = nil, throttledPeriods: Int64? = nil)
    {
        self.processors = processors
        self.quota = quota
        self.periods = periods
        self.throttledPeriods = throttledPeriods
    }

    /// Maximum number of processors that the process can use: the smaller of `processors` and `quota`.
    package var usable: Double { min(Double(processors), quota ?? .infinity) }
}

/// Power supply of the computer.
package struct PowerSupply: Sendable, Equatable {
    /// Whether a battery is discharging, even if the computer is plugged in.
    package let isDischarging: Bool
    /// Charge of the fullest battery, 0…1; `nil` without a battery, or if no battery reports its charge.
    package let charge: Double?
    /// Time until all batteries are empty at the current rate; `nil` if the batteries don't report this time.
    package let timeToEmpty: Nanoseconds?

    /// Creates a power supply state from battery data.
    package init(isDischarging: Bool, charge: Double? = nil, timeToEmpty: Nanoseconds? = nil) {
        self.isDischarging = isDischarging
        self.charge = charge
        self.timeToEmpty = timeToEmpty
    }
}

/// Space on the recording's disk.
package struct DiskSpace: Sendable, Equatable {
    /// Free disk space available to this user, in bytes.
    package let freeBytes: Int64
    /// Current total size of the files in the session folder, in bytes.
    package let recordedBytes: Int64

    /// Creates disk space information from numbers of bytes.
    package init(freeBytes: Int64, recordedBytes: Int64) {
        self.freeBytes = freeBytes
        self.recordedBytes = recordedBytes
    }
}
