/// The result of a calibration.
public struct CalibrationResult: Sendable {
    /// The number of events that the reference microphone heard.
    public let heardCount: Int
    /// The finding on each device, in the order of the plan, cameras first.
    public let findings: [CalibrationFinding]
    /// The devices that went away or ended during the measurement, and why, one sentence each.
    public let problems: [String]

    /// Whether every device has a usable finding.
    public var isComplete: Bool { findings.allSatisfy(\.isUsable) }

    /// Whether any device besides the reference has a usable finding.
    public var hasUsable: Bool { findings.contains { $0.isUsable && $0.verdict != .reference } }
}
