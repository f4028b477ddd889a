import Media

/// A device's time stamp: when its frame or sample `count` was captured, as the device or its driver says.
struct DeviceStamp: Sendable {
    /// The device's own count: frames, or samples per channel.
    let count: Int64
    /// The stamped time on `CLOCK_MONOTONIC`.
    let time: ClockTime
}
