/// The measured processor time that each kind of work needs on a machine.
public struct CostTable: Sendable, Equatable, Codable {
    /// Processor time of one piece of work: a part that it always needs, and one for each unit (a pixel, a sample, a byte).
    public struct Entry: Sendable, Equatable, Codable {
        /// Nanoseconds that every piece needs, whatever its size.
        public var nanosecondsPerPiece: Double
        /// Nanoseconds for each unit of a piece: a pixel, a sample or a byte.
        public var nanosecondsPerUnit: Double

        /// Makes an entry from its two parts, in nanoseconds.
        public init(nanosecondsPerPiece: Double, nanosecondsPerUnit: Double) {
            self.nanosecondsPerPiece = nanosecondsPerPiece
            self.nanosecondsPerUnit = nanosecondsPerUnit
        }

        /// Reads the entry that `encode` writes.
        ///
        /// - Throws: `DecodingError` for a time below zero or above 10¹⁵ ns (eleven days), as in an edited file: nothing
        ///   could be computed with it.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            nanosecondsPerPiece = try values.decode(Double.self, forKey: .nanosecondsPerPiece)
            nanosecondsPerUnit = try values.decode(Double.self, forKey: .nanosecondsPerUnit)
            guard [nanosecondsPerPiece, nanosecondsPerUnit].allSatisfy({ (0...1e15).contains($0) }) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .nanosecondsPerPiece, in: values,
                    debugDescription:
                        "no work takes \(nanosecondsPerPiece) ns, or \(nanosecondsPerUnit) ns a unit")
            }
        }

        /// Nanoseconds that one piece of so many units takes.
        public func nanoseconds(units: Double) -> Double { nanosecondsPerPiece + units * nanosecondsPerUnit }
    }

    /// How much detail frames have, which decides what coding them costs.
    public enum Detail: String, Sendable, Codable, CaseIterable {
        /// Synthetic frames: areas of one colour.
        case plain
        /// Camera frames: textures and a sensor's noise.
        case photographic
    }

    /// Costs with plain frames, and of all work that does not depend on detail.
    public var plain: [WorkKind: Entry]
    /// Costs with photographic frames, of the work that depends on detail.
    public var photographic: [WorkKind: Entry]

    /// Makes a table from both groups of costs.
    public init(plain: [WorkKind: Entry], photographic: [WorkKind: Entry]) {
        self.plain = plain
        self.photographic = photographic
    }

    /// The cost of a kind of work; `nil` for one that was never measured.
    public func entry(_ kind: WorkKind, _ detail: Detail) -> Entry? {
        detail == .photographic && kind.dependsOnDetail ? photographic[kind] : plain[kind]
    }
}
