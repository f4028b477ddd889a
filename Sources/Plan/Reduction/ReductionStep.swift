/// One thing that was given up so that a plan fits its budget.
public struct ReductionStep: Sendable, Equatable {
    /// The change in short: `face size 1280x720 → 960x540`.
    public let step: String
    /// A sentence that says why this was given up, and why now.
    public let reason: String
    /// The cost before the step.
    public let before: HardwareCost
    /// The cost after the step.
    public let after: HardwareCost
}
