/// A sensor that feels which way is down.
public protocol AccelerationSensor: Sendable {
    /// Looks anew. May block while the sensor wakes up: not in a Swift task.
    ///
    /// - Throws: When it says nothing, or what cannot be.
    func acceleration() throws(SensorError) -> Acceleration
}

/// Why a sensor tells nothing.
public struct SensorError: Error, Sendable, Equatable {
    /// The end of a sentence, without a full stop.
    public let reason: String

    public init(reason: String) { self.reason = reason }
}
