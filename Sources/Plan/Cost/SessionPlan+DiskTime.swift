public import Media

extension SessionPlan {
    /// The time until a disk is full at the rate at which the plan is expected to write.
    ///
    /// - Parameter freeBytes: Free space now, in bytes.
    /// - Returns: At most a century; `nil` where nothing is written.
    public func timeToFill(_ freeBytes: Int64) -> Nanoseconds? {
        let rate = expectedBytesPerSecond
        guard rate > 0 else { return nil }
        // A century is long enough.
        return .seconds(rounding: min(Double(max(freeBytes, 0)) / rate, 3.2e9))
    }

    /// Bytes per second that all tracks and the program are expected to write into the session folder.
    public var expectedBytesPerSecond: Double {
        bytesPerSecond.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value }
    }
}
