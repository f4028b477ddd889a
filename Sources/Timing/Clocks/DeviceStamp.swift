import Media

/// When a device, or the machine for it, says that it captured its picture or sample `count`.
struct DeviceStamp: Sendable {
    /// The device's own count: pictures, or samples per channel.
    let count: Int64
    let time: ClockTime
}
