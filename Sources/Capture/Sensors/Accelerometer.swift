package import Media

/// The accelerometer in the computer's screen, as the kernel's industrial I/O shows it (kernel,
/// Documentation/ABI/testing/sysfs-bus-iio).
package struct Accelerometer: AccelerationSensor {
    /// The kernel's name of the sensor, such as `iio:device0`.
    package let name: String
    private let folder: String
    private let matrix: MountMatrix

    /// Largest plausible acceleration in m/s²: sensors commonly measure up to 16 g, and none in a computer more than
    /// 200 g.
    private static let possible = 200 * Acceleration.gravity
    /// Smallest plausible acceleration in m/s²: gravity is always measured except in free fall, and a sensor that is
    /// off reads zero.
    private static let least = 0.05 * Acceleration.gravity

    /// Finds the sensor and how it is mounted.
    ///
    /// - Parameter sysfs: Where sysfs is mounted. udev is asked only about `/sys`: systemd's list of computers knows
    ///   how the sensors of many are mounted.
    /// - Throws: `SensorError` when there is no sensor in the screen, or its mount matrix cannot be read.
    package init(sysfs: String = "/sys") throws(SensorError) {
        let devices = "\(sysfs)/bus/iio/devices"
        let udev = UdevProperties()
        let asksUdev = sysfs == "/sys"
        let found = Paths.entries(of: devices).filter {
            $0.hasPrefix("iio:device") && Paths.exists("\(devices)/\($0)/in_accel_x_raw")
        }.compactMap { name -> (name: String, folder: String, location: String)? in
            guard let folder = Paths.resolved("\(devices)/\(name)") else { return nil }
            let told = asksUdev ? udev.value("ACCEL_LOCATION", of: folder) : nil
            // Drivers write `accel-display` (kernel, sysfs-bus-iio, `label`), udev's list `display`.
            return (name, folder, told ?? Paths.text("\(folder)/label") ?? "")
        }
        // A convertible has a second one under its keyboard, which does not turn with the screen.
        guard
            let sensor = found.first(where: { $0.location.hasSuffix("display") })
                ?? found.first(where: { !$0.location.hasSuffix("base") })
        else {
            throw SensorError(
                reason: found.isEmpty
                    ? "no accelerometer was found (no in_accel_x_raw in \(devices)/iio:device*)"
                    : "the only accelerometer, \(found[0].name.printable()), sits in the keyboard's part")
        }
        (name, folder) = (sensor.name, sensor.folder)
        let word = (asksUdev ? udev.value("ACCEL_MOUNT_MATRIX", of: sensor.folder) : nil)
        matrix = try Self.matrix(of: sensor.folder, word)
    }

    private static func matrix(of folder: String, _ known: String?) throws(SensorError) -> MountMatrix {
        let names = ["in_accel_mount_matrix", "in_mount_matrix", "mount_matrix"]
        let found = names.first { Paths.exists("\(folder)/\($0)") }
        guard let text = known ?? found.map({ Paths.text("\(folder)/\($0)") ?? "" }) else { return .identity }
        guard let matrix = MountMatrix(text) else {
            let place = known == nil ? "\(folder)/\(found ?? "")" : "udev's ACCEL_MOUNT_MATRIX"
            throw SensorError(
                reason:
                    "\(place.printable(limit: 300)) says “\(text.printable(limit: 80))”, which is no matrix that only turns"
            )
        }
        return matrix
    }

    /// Reads the acceleration in m/s², in the axes of the screen.
    ///
    /// - Throws: `SensorError` when a file is missing or makes no sense, or the acceleration is not plausible.
    package func acceleration() throws(SensorError) -> Acceleration {
        let felt = matrix.applied(
            to: Acceleration(x: try value("x"), y: try value("y"), z: try value("z")))
        guard felt.magnitude >= Self.least, felt.magnitude <= Self.possible else {
            throw SensorError(
                reason:
                    "\(name.printable()) says that \(Self.text(felt.magnitude)) m/s² are felt, which cannot be while gravity is "
                    + Self.text(Acceleration.gravity))
        }
        return felt
    }

    /// Reads one axis of the sensor in m/s²: (raw + offset) × scale.
    private func value(_ axis: String) throws(SensorError) -> Double {
        guard let raw = try number("in_accel_\(axis)_raw") else {
            throw SensorError(reason: "there is no \(folder.printable(limit: 300))/in_accel_\(axis)_raw")
        }
        let offset = try number("in_accel_\(axis)_offset", orElse: "in_accel_offset") ?? 0
        guard let scale = try number("in_accel_\(axis)_scale", orElse: "in_accel_scale"), scale != 0 else {
            throw SensorError(
                reason: "\(folder.printable(limit: 300)) has no in_accel_scale that says how much a unit is")
        }
        return (raw + offset) * scale
    }

    /// Reads a number of one axis, or else the number common to all axes.
    private func number(_ file: String, orElse common: String) throws(SensorError) -> Double? {
        if let number = try number(file) { return number }
        return try number(common)
    }

    /// Reads a number from a file of the sensor.
    ///
    /// - Returns: `nil` where there is no such file.
    private func number(_ file: String) throws(SensorError) -> Double? {
        let path = "\(folder)/\(file)"
        guard Paths.exists(path) else { return nil }
        guard let text = Paths.text(path) else {
            throw SensorError(reason: "\(path.printable(limit: 300)) cannot be read")
        }
        guard text.utf8.allSatisfy({ Self.digits.contains($0) }), let number = Double(text), number.isFinite
        else {
            throw SensorError(
                reason:
                    "\(path.printable(limit: 300)) says “\(text.printable(limit: 40))”, which is no number")
        }
        return number
    }

    /// Characters of a decimal number: Swift's own reader also takes hexadecimal numbers, infinity and NaN.
    private static let digits = Set("0123456789+-.eE".utf8)

    private static func text(_ number: Double) -> String {
        "\((min(number, 1e15) * 100).rounded() / 100)"
    }
}
