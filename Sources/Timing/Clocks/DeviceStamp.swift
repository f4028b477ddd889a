import Media

/// When a device, or the machine for it, says that it captured its frame or sample `count`.
struct DeviceStamp: Sendable {
    /// The device's own count: frames, or samples per channel.
    let count: Int64
    let time: ClockTime
}
