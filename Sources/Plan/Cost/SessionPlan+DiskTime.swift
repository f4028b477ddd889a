public import Media

extension SessionPlan {
    /// How long a disk lasts at what the plan is expected to write.
    ///
    /// - Parameter freeBytes: What is free now.
    /// - Returns: `nil` where nothing is written.
    public func timeToFill(_ freeBytes: Int64) -> Nanoseconds? {
        let rate = expectedBytesPerSecond
        guard rate > 0 else { return nil }
        // A century is long enough.
        return .seconds(rounding: min(Double(max(freeBytes, 0)) / rate, 3.2e9))
    }

    /// Into the session folder, all together.
    public var expectedBytesPerSecond: Double {
        bytesPerSecond.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value }
    }
}
