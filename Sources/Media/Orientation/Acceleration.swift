/// The acceleration that a sensor in the computer measures, in m/s²: gravity at rest, and any movement of the computer.
///
/// The axes are the screen's: `x` to its right, `y` to its top, `z` out of it. The sign is that of Linux desktops
/// (iio-sensor-proxy, and the mount matrices of systemd's 60-sensor.hwdb, which are made for it): `y` is −9.81 while the
/// screen stands upright, `x` is 9.81 while its left edge is up.
public struct Acceleration: Sendable, Equatable {
    /// Components in m/s² along the screen's axes: to its right, to its top, out of it.
    public let x, y, z: Double

    /// Makes an acceleration from its components in m/s², along the screen's axes.
    public init(x: Double, y: Double, z: Double) {
        (self.x, self.y, self.z) = (x, y, z)
    }

    /// Standard gravity in m/s², which a sensor measures at rest: CGPM 1901.
    public static let gravity = 9.80665

    /// The length of the vector in m/s², at least 0.
    public var magnitude: Double { (x * x + y * y + z * z).squareRoot() }
}
