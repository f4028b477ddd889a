/// What a machine's processor needs for each kind of work, measured.
public struct CostTable: Sendable, Equatable, Codable {
    /// Processor time of one piece of work: a part that it always needs, and one for each unit (a pixel, a sample, a byte).
    public struct Entry: Sendable, Equatable, Codable {
        public var nanosecondsPerPiece: Double
        public var nanosecondsPerUnit: Double

        public init(nanosecondsPerPiece: Double, nanosecondsPerUnit: Double) {
            self.nanosecondsPerPiece = nanosecondsPerPiece
            self.nanosecondsPerUnit = nanosecondsPerUnit
        }

        /// Reads what `encode` writes.
        ///
        /// - Throws: For a time that no work takes, below zero or above eleven days, as of a file that somebody has changed:
        ///   nothing could be reckoned with it.
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

        /// What one piece of so many units takes.
        public func nanoseconds(units: Double) -> Double { nanosecondsPerPiece + units * nanosecondsPerUnit }
    }

    /// How much there is to see in frames, which decides what coding them costs.
    public enum Detail: String, Sendable, Codable, CaseIterable {
        /// Synthetic frames: areas of one colour.
        case plain
        /// What a camera sees: textures and a sensor's noise.
        case photographic
    }

    /// Of plain frames, and of all work that detail does not matter to.
    public var plain: [WorkKind: Entry]
    /// Of the work that depends on detail.
    public var photographic: [WorkKind: Entry]

    public init(plain: [WorkKind: Entry], photographic: [WorkKind: Entry]) {
        self.plain = plain
        self.photographic = photographic
    }

    /// What a kind of work costs; of one that was never measured, nothing is known.
    public func entry(_ kind: WorkKind, _ detail: Detail) -> Entry? {
        detail == .photographic && kind.dependsOnDetail ? photographic[kind] : plain[kind]
    }
}
