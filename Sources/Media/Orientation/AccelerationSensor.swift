/// A sensor in the computer that measures which way is down.
public protocol AccelerationSensor: Sendable {
    /// Takes a new reading. May block while the sensor wakes up: not in a Swift task.
    ///
    /// - Throws: `SensorError` when the sensor does not answer, or its answer cannot be true.
    func acceleration() throws(SensorError) -> Acceleration
}

/// The reason why a sensor gives no reading.
public struct SensorError: Error, Sendable, Equatable {
    /// The end of a sentence, without a full stop.
    public let reason: String

    /// Makes an error from the end of a sentence, without a full stop.
    public init(reason: String) { self.reason = reason }
}
