/// What a calibration came to.
public struct CalibrationResult: Sendable {
    /// How many events the reference microphone heard.
    public let heardCount: Int
    /// Of each device, in the order of the plan, cameras first.
    public let findings: [CalibrationFinding]
    /// Which devices went away or ended meanwhile, and why: a sentence each.
    public let problems: [String]

    /// Whether something can be kept of every device.
    public var isComplete: Bool { findings.allSatisfy(\.isUsable) }

    /// Whether something can be kept of any device besides the reference.
    public var hasUsable: Bool { findings.contains { $0.isUsable && $0.verdict != .reference } }
}
