public import Media

/// How much of the machine a recording may need, and what happens when it needs more.
public struct BudgetSettings: Sendable, Equatable, Codable {
    /// The reaction to a plan that needs more than its budget, before the start.
    public enum Policy: String, Sendable, Codable, CaseIterable {
        /// Sizes, rates and other qualities are reduced, sizes and rates not below the floors.
        case adapt
        /// The plan does not run.
        case refuse
    }

    /// The largest hardware cost that a plan may have: above 0, at most 10; 1 is all of the machine.
    public var hardwareCost: Double
    /// The reaction to a plan that needs more than its budget, before the start.
    public var policy: Policy
    /// The size below which no camera is reduced.
    public var floorSize: FrameSize
    /// The frame rate below which nothing is reduced.
    public var floorRate: FrameRate
    /// Whether quality is lowered during a recording when the computer is too slow, and the recording is ended properly before
    /// the computer would break it off.
    public var governs: Bool
    /// Whether a recording that system pressure has ended is resumed in a folder of its own once pressure is nominal.
    public var resumes: Bool

    /// Creates a budget; by default all of the machine may be used.
    public init(
        hardwareCost: Double = 1, policy: Policy = .adapt,
        floorSize: FrameSize = FrameSize(width: 640, height: 480), floorRate: FrameRate = FrameRate(15),
        governs: Bool = true, resumes: Bool = false
    ) {
        self.hardwareCost = hardwareCost
        self.policy = policy
        self.floorSize = floorSize
        self.floorRate = floorRate
        self.governs = governs
        self.resumes = resumes
    }
}
