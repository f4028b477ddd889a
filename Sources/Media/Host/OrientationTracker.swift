/// Tracks the orientation of the computer using its accelerometer, or another source of orientation data that
/// the program provides.
public protocol OrientationTracker: Sendable {
    /// Current orientation. After a sensor failure, the last known value is retained, and observers are
    /// notified of the failure.
    var orientation: MachineOrientation { get }

    /// Calls `observer` with the current orientation before this method returns, and then whenever the
    /// orientation changes.
    ///
    /// - Parameter observer: Called on the tracker's thread, one call at a time. The closure must not block
    ///   or call the tracker.
    /// - Returns: The observation, which ends when `end()` is called or its last reference is released.
    func observe(_ observer: @escaping @Sendable (MachineOrientation) -> Void) -> OrientationObservation
}

/// An observer's registration with an orientation tracker; releasing the registration ends the observation.
public final class OrientationObservation: Sendable {
    private let stop: @Sendable () -> Void

    /// Creates a registration that calls `stop` when the observation ends.
    ///
    /// - Parameter stop: A closure that ends the observation. The closure is called at least once, on any
    ///   thread.
    public init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

    deinit { stop() }

    /// Ends the observation. A call to the observer that is in progress may still finish; no further calls
    /// are made.
    public func end() { stop() }
}

/// Orientation of the computer, or the reason why the orientation is unknown.
public enum MachineOrientation: Sendable, Equatable {
    /// The computer is rotated clockwise by this angle from its normal position, as seen by a user in front
    /// of its screen.
    case rotated(Rotation)
    /// The computer has been lying flat or in motion since tracking started.
    case undecided
    /// No sensor reports the orientation. The text gives the reason, as the end of a sentence without a
    /// period.
    case unknown(String)
}

/// A sensor in the computer that measures the direction of gravity.
package protocol AccelerationSensor: Sendable {
    /// Reads the current acceleration. The call may block while the sensor wakes up, so don't call this
    /// method from a Swift task.
    ///
    /// - Throws: `SensorError` if the sensor doesn't respond, or if its reading is implausible.
    func acceleration() throws(SensorError) -> Acceleration
}

/// Reason why a sensor doesn't provide a reading.
package struct SensorError: Error, Sendable, Equatable {
    /// Reason why the sensor doesn't provide a reading, as the end of a sentence without a period.
    package let reason: String

    /// Creates an error from a reason, which is the end of a sentence without a period.
    package init(reason: String) { self.reason = reason }
}

/// Acceleration measured by a sensor in the computer, in m/s²: the effect of gravity, plus any acceleration
/// of the computer itself.
///
/// The axes are aligned with the screen: `x` points to the screen's right, `y` to its top, and `z` out of the
/// screen. The signs follow the convention of Linux desktops (iio-sensor-proxy, and its mount matrices in
/// systemd's 60-sensor.hwdb): `y` is −9.81 when the screen is upright, and `x` is 9.81 when the screen's left
/// edge is up.
package struct Acceleration: Sendable, Equatable {
    /// Components in m/s² along the screen's axes: toward the right edge, toward the top edge, and out of the
    /// screen.
    package let x, y, z: Double

    /// Creates an acceleration from its components in m/s² along the screen's axes.
    package init(x: Double, y: Double, z: Double) {
        (self.x, self.y, self.z) = (x, y, z)
    }

    /// Standard gravity in m/s² (CGPM 1901), which a sensor at rest measures.
    package static let gravity = 9.80665

    /// Magnitude of the vector in m/s², at least 0.
    package var magnitude: Double { (x * x + y * y + z * z).squareRoot() }
}
