public import Media

/// How far one device's time stamps were found to be off in one format.
public struct CalibratedDevice: Sendable, Equatable, Codable {
    public var identity: DeviceIdentity
    /// Of a synthetic device or a file, which is itself by its selector alone; `nil` for a real one.
    public var selector: String?
    public var format: CalibratedFormat
    /// Of a camera its latency, taken off each time stamp; of a microphone its offset, added to each.
    public var correction: Nanoseconds
    /// The truth is within ± this of `correction`.
    public var uncertainty: Nanoseconds
    /// Half of the events said something within ± this of `correction`.
    public var spread: Nanoseconds
    /// How many events it was measured with.
    public var events: Int
    /// The role that it played.
    public var role: String
    /// The microphone against whose clock it was measured.
    public var reference: DeviceIdentity
    /// ISO 8601, in universal time.
    public var date: String

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
