package import MulticamMedia

/// Accelerometer in the computer's screen, read through the kernel's Industrial I/O subsystem
/// (Documentation/ABI/testing/sysfs-bus-iio in the kernel).
package struct Accelerometer: AccelerationSensor {
    /// Kernel name of the sensor, such as `iio:device0`.
    package let name: String
    private let folder: String
    private let matrix: MountMatrix

    /// Maximum plausible acceleration in m/s². Sensors commonly measure up to 16 g; no sensor in a computer measures
    /// more than 200 g.
    private static let possible = 200 * Acceleration.gravity
    /// Minimum plausible acceleration in m/s². Sensors always measure gravity, except in free fall; a sensor that is
    /// off returns zero.
    private static let least = 0.05 * Acceleration.gravity

    /// Finds the sensor and its mount matrix.
    ///
    /// - Parameter sysfs: Mount point of sysfs. udev is queried only for `/sys`; systemd's hardware database contains
    ///   the sensor mounting of many computers.
    /// - Throws: `SensorError` if the screen has no sensor or the mount matrix can't be read.
    package init(sysfs: String = "/sys") throws(SensorError) {
        let devices = "\(sysfs)/bus/iio/devices"
        let udev = UdevProperties()
        let asksUdev = sysfs == "/sys"
        let found = Paths.entries(of: devices).filter {
            $0.hasPrefix("iio:device") && Paths.exists("\(devices)/\($0)/in_accel_x_raw")
        }.compactMap { name -> (name: String, folder: String, location: String)? in
            guard let folder = Paths.resolved("\(devices)/\(name)") else { return nil }
            let reported = asksUdev ? udev.value("ACCEL_LOCATION", of: folder) : nil
            // Drivers report the location `accel-display` (kernel, sysfs-bus-iio, `label`); udev's database
            // contains `display`.
            return (name, folder, reported ?? Paths.text("\(folder)/label") ?? "")
        }
        // Convertibles have a second sensor under the keyboard, which doesn't rotate with the screen.
        guard
            let sensor = found.first(where: { $0.location.hasSuffix("display") })
                ?? found.first(where: { !$0.location.hasSuffix("base") })
        else {
            throw SensorError(
                reason: found.isEmpty
                    ? "no accelerometer was found (no in_accel_x_raw in \(devices)/iio:device*)"
                    : "the only accelerometer, \(found[0].name.printable()), is in the keyboard base, not in the screen"
            )
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
                    "\(place.printable(limit: 300)) contains “\(text.printable(limit: 80))”, which is not a rotation matrix"
            )
        }
        return matrix
    }

    /// Reads the acceleration in m/s², in screen axes.
    ///
    /// - Throws: `SensorError` if a file is missing or invalid, or if the acceleration is implausible.
    package func acceleration() throws(SensorError) -> Acceleration {
        let felt = matrix.applied(
            to: Acceleration(x: try value("x"), y: try value("y"), z: try value("z")))
        guard felt.magnitude >= Self.least, felt.magnitude <= Self.possible else {
            throw SensorError(
                reason:
                    "\(name.printable()) reports \(Self.text(felt.magnitude)) m/s², which is not plausible: gravity is "
                    + Self.text(Acceleration.gravity))
        }
        return felt
    }

    /// Reads one axis of the sensor in m/s²: (raw + offset) × scale.
    private func value(_ axis: String) throws(SensorError) -> Double {
        guard let raw = try number("in_accel_\(axis)_raw") else {
            throw SensorError(reason: "\(folder.printable(limit: 300))/in_accel_\(axis)_raw is missing")
        }
        let offset = try number("in_accel_\(axis)_offset", orElse: "in_accel_offset") ?? 0
        guard let scale = try number("in_accel_\(axis)_scale", orElse: "in_accel_scale"), scale != 0 else {
            throw SensorError(
                reason: "\(folder.printable(limit: 300))/in_accel_scale is missing, so the unit is unknown")
        }
        return (raw + offset) * scale
    }

    /// Reads a number for one axis; falls back to the number shared by all axes.
    private func number(_ file: String, orElse common: String) throws(SensorError) -> Double? {
        if let number = try number(file) { return number }
        return try number(common)
    }

    /// Reads a number from one of the sensor's files.
    ///
    /// - Returns: `nil` if the file doesn't exist.
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
                    "\(path.printable(limit: 300)) contains “\(text.printable(limit: 40))”, which is not a number"
            )
        }
        return number
    }

    /// Characters of a decimal number. Swift's parser also accepts hexadecimal numbers, infinity and NaN.
    private static let digits = Set("0123456789+-.eE".utf8)

    private static func text(_ number: Double) -> String {
        "\((min(number, 1e15) * 100).rounded() / 100)"
    }
}

/// Mounting of a sensor in the computer. Rotates sensor readings into screen axes (kernel,
/// Documentation/ABI/testing/sysfs-bus-iio, `mount_matrix`).
package struct MountMatrix: Sendable, Equatable {
    /// Rows of the matrix; each row produces one screen axis.
    private let rows: [[Double]]

    /// Matrix of a sensor with the same axes as the screen.
    package static let identity = MountMatrix(rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    private init(rows: [[Double]]) { self.rows = rows }

    /// Parses `1, 0, 0; 0, 1, 0; 0, 0, 1`, the syntax of sysfs and udev.
    ///
    /// - Returns: `nil` if the text isn't a 3 × 3 matrix, or if the matrix doesn't preserve lengths.
    ///   Mirroring is allowed, because some sensors invert an axis.
    package init?(_ text: String) {
        let rows = text.split(separator: ";", omittingEmptySubsequences: false).map { row in
            row.split(separator: ",", omittingEmptySubsequences: false).compactMap { word in
                Double(String(word.filter { $0 != " " })).flatMap { abs($0) <= 1.1 ? $0 : nil }
            }
        }
        guard rows.count == 3, rows.allSatisfy({ $0.count == 3 }) else { return nil }
        for first in rows.indices {
            for second in rows[first...].indices {
                // The tolerance allows for matrices written with few digits.
                let product = zip(rows[first], rows[second]).reduce(0) { $0 + $1.0 * $1.1 }
                guard abs(product - (first == second ? 1 : 0)) <= 0.1 else { return nil }
            }
        }
        self.rows = rows
    }

    /// Rotates an acceleration from sensor axes to screen axes.
    package func applied(to felt: Acceleration) -> Acceleration {
        func part(_ row: [Double]) -> Double { row[0] * felt.x + row[1] * felt.y + row[2] * felt.z }
        return Acceleration(x: part(rows[0]), y: part(rows[1]), z: part(rows[2]))
    }
}

/// Lid of a laptop, as reported by the kernel's ACPI button driver.
package enum Lid {
    /// Returns whether a lid is closed.
    ///
    /// - Parameter folder: Directory of the driver's files.
    /// - Returns: Whether a lid is closed; `false` if the computer doesn't have a lid or the state of the lid
    ///   is unknown.
    package static func isClosed(folder: String = "/proc/acpi/button/lid") -> Bool {
        Paths.entries(of: folder).contains { name in
            Paths.text("\(folder)/\(name)/state")?.hasSuffix("closed") ?? false
        }
    }
}
