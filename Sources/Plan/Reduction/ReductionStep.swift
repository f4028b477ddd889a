/// One thing that was given up so that a plan fits.
public struct ReductionStep: Sendable, Equatable {
    /// `face size 1280x720 → 960x540`.
    public let step: String
    /// Why this, and why now: a sentence.
    public let reason: String
    public let before: HardwareCost
    public let after: HardwareCost
}
