/// A source of the computer's state that says nothing here, as in containers and virtual machines, or nothing that can be.
public struct MissingSource: Sendable, Hashable, Codable {
    public enum Source: String, Sendable, Codable, CaseIterable {
        /// How long tasks wait for the processor, the disk, memory.
        case processorStall = "cpu-stall"
        case storageStall = "io-stall"
        case memoryStall = "memory-stall"
        /// Likewise, of this process's control group alone.
        case groupStall = "group-stall"
        case temperature
        /// How fast the processor may run.
        case speed = "cpu-speed"
        /// How often it was slowed down for heat.
        case throttling = "cpu-throttling"
        /// How much of it this process may use.
        case share = "cpu-share"
        case power
        case disk
        /// Nothing answers at present.
        case all
    }

    public let source: Source
    /// Which of several: `thermal_zone3`; `nil` where it is all of them.
    public let part: String?
    /// Why, as the end of a sentence, without a full stop. Printable.
    public let reason: String

    public init(_ source: Source, part: String? = nil, _ reason: String) {
        self.source = source
        self.part = part?.printable(limit: 60)
        self.reason = reason.printable(limit: 300)
    }
}

extension MissingSource: CustomStringConvertible {
    public var description: String {
        "\(source.rawValue)\(part.map { " (\($0))" } ?? ""): \(reason)."
    }
}
