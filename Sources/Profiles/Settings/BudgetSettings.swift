public import MulticamMedia

/// The share of the machine's capacity that a recording may use, and the policy for recordings that need
/// more.
public struct BudgetSettings: Sendable, Equatable, Encodable {
    /// The action taken before the start if a plan exceeds its budget.
    public enum Policy: String, Sendable, Codable, CaseIterable {
        /// Reduces frame sizes, frame rates, and other quality settings. Sizes and rates aren't reduced below
        /// `floorSize` and `floorRate`.
        case adapt
        /// Refuses to run the plan.
        case refuse
    }

    /// Maximum hardware cost of a plan, above 0 and at most 10. A hardware cost of 1 corresponds to the whole
    /// machine.
    public var hardwareCost: Double
    /// Action taken before the start if a plan exceeds its budget.
    public var policy: Policy
    /// Minimum frame size to which cameras may be reduced.
    public var floorSize: FrameSize
    /// Minimum frame rate to which cameras may be reduced.
    public var floorRate: FrameRate
    /// Whether quality is lowered during a recording if the computer is too slow, and whether the recording
    /// is stopped cleanly before the system would interrupt it.
    public var governs: Bool
    /// Whether a recording that was stopped because of system pressure is resumed in a separate folder once
    /// pressure is nominal.
    public var resumes: Bool

    /// Creates budget settings. By default, the whole machine may be used.
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

/// Maximum tolerated losses of a recording. A recording that exceeds these limits continues normally, but the
/// program exits with status 6 afterwards.
package struct RecordingLimits: Sendable, Equatable, Codable {
    /// Maximum fraction of lost frames in each video track, including the program: lost ÷ (captured + lost),
    /// 0…1; `nil` for no limit.
    package var lostFrames: Double?
    /// Maximum fraction of silence that replaces missing audio in each microphone track: silence samples ÷
    /// written samples, 0…1; `nil` for no limit.
    package var lostSamples: Double?
    /// Maximum time that a microphone may be silent; `nil` for no limit.
    package var silence: Nanoseconds?

    /// Creates recording limits. By default, 1 % of the frames and 0.1 % of the samples may be lost.
    package init(lostFrames: Double? = 0.01, lostSamples: Double? = 0.001, silence: Nanoseconds? = nil) {
        self.lostFrames = lostFrames
        self.lostSamples = lostSamples
        self.silence = silence
    }

    /// No limits: `limits: none` in a profile.
    package static let none = Self(lostFrames: nil, lostSamples: nil)
}
