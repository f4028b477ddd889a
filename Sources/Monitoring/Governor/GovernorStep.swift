/// A step of the governor: something is given up or taken back, for a reason.
public struct GovernorStep: Sendable, Equatable {
    /// Its place in the ladder.
    public let index: Int
    public let measure: GovernorMeasure
    /// Whether it is taken back.
    public let isUp: Bool
    /// A sentence for people.
    public let reason: String

    /// As `desk rate 30 → 20`.
    public var text: String { isUp ? measure.reverseText : measure.text }
}
