/// A step of the governor: a measure is taken or taken back, for a reason.
public struct GovernorStep: Sendable, Equatable {
    /// The measure's place in the ladder, from 0.
    public let index: Int
    /// The measure.
    public let measure: GovernorMeasure
    /// Whether the measure is taken back.
    public let isUp: Bool
    /// A sentence for people that says why.
    public let reason: String

    /// The step in short: `desk rate 30 → 20`.
    public var text: String { isUp ? measure.reverseText : measure.text }
}
