public import Media

/// How much of the machine a recording may need, and what to do when that is not enough.
public struct BudgetSettings: Sendable, Equatable, Codable {
    public enum Policy: String, Sendable, Codable, CaseIterable {
        /// Lower sizes and rates, not below the floors.
        case adapt
        /// Do not run.
        case refuse
    }

    /// The hardware cost that must not be exceeded: above 0, at most 10; 1 is all of the machine.
    public var hardwareCost: Double
    public var policy: Policy
    public var floorSize: FrameSize
    public var floorRate: FrameRate
    /// Whether quality is lowered while recording when the computer is too slow, and what it threatens to end is ended properly.
    public var governs: Bool
    /// Whether a recording that system pressure has ended is taken up again, in a folder of its own, at nominal pressure.
    public var resumes: Bool

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
