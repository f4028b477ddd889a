/// A hardware encoder and the result of its trial on this computer.
public struct TriedEncoder: Sendable, Equatable, Codable {
    /// The result of a trial.
    public enum Outcome: Sendable, Equatable, Codable {
        /// The encoder did all that a recording needs of it.
        case works(figures: EncoderFigures)
        /// The encoder is not used; `reason` is the end of a sentence, with its full stop.
        case fails(reason: String)
    }

    /// The encoder that was tried.
    public var encoder: HardwareEncoder
    /// The result of the trial.
    public var outcome: Outcome

    /// Makes a record of a trial.
    public init(encoder: HardwareEncoder, outcome: Outcome) {
        self.encoder = encoder
        self.outcome = outcome
    }

    /// The measured performance; `nil` where the encoder failed.
    public var figures: EncoderFigures? {
        if case .works(let figures) = outcome { figures } else { nil }
    }
}
