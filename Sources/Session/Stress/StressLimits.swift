/// What a run may lose and still has held.
public struct StressLimits: Sendable, Equatable {
    /// Lost ÷ (captured + lost) of each track, 0…1.
    public var lostShare: Double
    /// Whether it is also judged by what only shows with time: pressure and clocks.
    public var isLong: Bool

    /// - Parameters:
    ///   - limits: The profile's; one that says nothing of losses allows none.
    ///   - isLong: As the property.
    public init(_ limits: RecordingLimits, isLong: Bool) {
        lostShare = limits.lostFrames ?? 0
        self.isLong = isLong
    }
}
