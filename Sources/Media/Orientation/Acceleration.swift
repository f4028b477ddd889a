/// What a sensor in the computer feels, in m/s²: at rest gravity, and how the computer is being moved.
///
/// The axes are the screen's: `x` to its right, `y` to its top, `z` out of it. The sign is that of Linux desktops (iio-sensor-proxy,
/// and the mount matrices of systemd's 60-sensor.hwdb, which are made for it): `y` is −9.81 while the screen stands upright, `x` is
/// 9.81 while its left edge is up.
public struct Acceleration: Sendable, Equatable {
    public let x, y, z: Double

    public init(x: Double, y: Double, z: Double) {
        (self.x, self.y, self.z) = (x, y, z)
    }

    /// What is felt at rest: CGPM 1901.
    public static let gravity = 9.80665

    /// Never below 0.
    public var magnitude: Double { (x * x + y * y + z * z).squareRoot() }
}
