/// A source of the computer's state that gives no value here, as in containers and virtual machines, or an impossible one.
public struct MissingSource: Sendable, Hashable, Codable {
    /// The kinds of sources of the computer's state.
    public enum Source: String, Sendable, Codable, CaseIterable {
        /// How long tasks wait for the processor (pressure stall information, `cpu`).
        case processorStall = "cpu-stall"
        /// How long tasks wait for storage (pressure stall information, `io`).
        case storageStall = "io-stall"
        /// How long tasks wait for memory (pressure stall information, `memory`).
        case memoryStall = "memory-stall"
        /// How long the tasks of this process's own control group wait for a resource.
        case groupStall = "group-stall"
        /// The temperatures of the thermal zones.
        case temperature
        /// How fast the processors may run.
        case speed = "cpu-speed"
        /// How often a processor was slowed down for heat.
        case throttling = "cpu-throttling"
        /// How much of the processors this process may use.
        case share = "cpu-share"
        /// The batteries and the power supply.
        case power
        /// The free space on the recording's disk.
        case disk
        /// Every source: none answers at present.
        case all
    }

    /// The source that is missing.
    public let source: Source
    /// The part of the source that is missing, for example `thermal_zone3`; `nil` for all of it. Printable.
    public let part: String?
    /// Why the source is missing, as the end of a sentence without a full stop. Printable.
    public let reason: String

    /// Makes a value, and replaces what is not printable in `part` and `reason`.
    public init(_ source: Source, part: String? = nil, _ reason: String) {
        self.source = source
        self.part = part?.printable(limit: 60)
        self.reason = reason.printable(limit: 300)
    }
}

extension MissingSource: CustomStringConvertible {
    /// A sentence with the source, its part and the reason.
    public var description: String {
        "\(source.rawValue)\(part.map { " (\($0))" } ?? ""): \(reason)."
    }
}
