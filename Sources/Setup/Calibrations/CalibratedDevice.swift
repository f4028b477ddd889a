public import Media

/// The measured error of one device's time stamps in one format.
public struct CalibratedDevice: Sendable, Equatable, Codable {
    /// The device that was measured.
    public var identity: DeviceIdentity
    /// The selector of a synthetic device or a file, which has no other identity; `nil` for a real device.
    public var selector: String?
    /// The format in which the device was measured; the correction holds for this format only.
    public var format: CalibratedFormat
    /// A camera's latency, which is subtracted from each of its time stamps, or a microphone's offset, which is added to each.
    public var correction: Nanoseconds
    /// Half the width of the interval around `correction` that contains the true value.
    public var uncertainty: Nanoseconds
    /// Half the width of the interval around `correction` that contains half of the single measurements.
    public var spread: Nanoseconds
    /// The number of events, such as claps, that the measurement is based on.
    public var events: Int
    /// The role that the device played in the profile when it was measured.
    public var role: String
    /// The microphone whose clock the device was compared with.
    public var reference: DeviceIdentity
    /// The time of the measurement in ISO 8601, in UTC.
    public var date: String

    /// Creates a calibration from its stored values.
    public init(
        identity: DeviceIdentity, selector: String?, format: CalibratedFormat, correction: Nanoseconds,
        uncertainty: Nanoseconds, spread: Nanoseconds, events: Int, role: String, reference: DeviceIdentity,
        date: String
    ) {
        self.identity = identity
        self.selector = selector
        self.format = format
        self.correction = correction
        self.uncertainty = uncertainty
        self.spread = spread
        self.events = events
        self.role = role
        self.reference = reference
        self.date = date
    }
}
