/// A hardware encoder and what came of its trial on this computer.
public struct TriedEncoder: Sendable, Equatable, Codable {
    public enum Outcome: Sendable, Equatable, Codable {
        /// It did all that a recording needs of it.
        case works(figures: EncoderFigures)
        /// It is not used. Why: a sentence's end, with its full stop.
        case fails(reason: String)
    }

    public var encoder: HardwareEncoder
    public var outcome: Outcome

    public init(encoder: HardwareEncoder, outcome: Outcome) {
        self.encoder = encoder
        self.outcome = outcome
    }

    /// `nil` where it failed.
    public var figures: EncoderFigures? {
        if case .works(let figures) = outcome { figures } else { nil }
    }
}
