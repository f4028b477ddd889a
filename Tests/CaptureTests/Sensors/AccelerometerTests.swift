import MulticamMedia
import MulticamSyntheticMachines
import Testing

@testable import MulticamCapture

@Suite("Accelerometer in sysfs")
struct AccelerometerTests {
    private static let device = "sys/bus/iio/devices/iio:device1"

    /// A machine that is held upright. 1000 units are 9.81 m/s².
    private func machine(_ changes: [String: String?] = [:]) throws -> SyntheticMachine {
        let machine = try SyntheticMachine()
        var files: [String: String?] = [
            "name": "lis3dh_accel", "in_accel_x_raw": "0", "in_accel_y_raw": "-1000", "in_accel_z_raw": "20",
            "in_accel_scale": "0.00981",
        ]
        files.merge(changes) { $1 }
        for (name, text) in files { if let text { try machine.write("\(Self.device)/\(name)", "\(text)\n") } }
        // A light sensor must be ignored.
        try machine.write("sys/bus/iio/devices/iio:device0/in_illuminance_raw", "3\n")
        return machine
    }

    private func acceleration(_ changes: [String: String?] = [:]) throws -> [Int] {
        let machine = try machine(changes)
        let felt = try Accelerometer(sysfs: machine.sysfs).acceleration()
        return [felt.x, felt.y, felt.z].map { Int(($0 * 100).rounded()) }
    }

    private func reason(_ changes: [String: String?]) throws -> String {
        let machine = try machine(changes)
        do throws(SensorError) {
            _ = try Accelerometer(sysfs: machine.sysfs).acceleration()
        } catch {
            return error.reason
        }
        return ""
    }

    @Test("reads (raw + offset) × scale, rotated by the mount matrix")
    func reads() throws {
        #expect(try acceleration() == [0, -981, 20])
        #expect(try acceleration(["in_accel_offset": "100"]) == [98, -883, 118])
        #expect(
            try acceleration(["in_accel_x_offset": "-1e2", "in_accel_y_scale": "0.0098"]) == [-98, -980, 20])
        for name in ["mount_matrix", "in_mount_matrix", "in_accel_mount_matrix"] {
            #expect(try acceleration([name: "0, -1, 0; 1, 0, 0; 0, 0, 1"]) == [981, 0, 20])
        }
        // As in systemd's database, the sensor has two inverted axes.
        #expect(try acceleration(["mount_matrix": "0,-1,0;-1,0,0;0,0,1"]) == [981, 0, 20])
        #expect(
            try acceleration(["mount_matrix": "0.998, 0.054, 0; -0.054, 0.998, 0; 0, 0, 1"]) == [
                -53, -979, 20,
            ])
    }

    @Test(
        "reports an invalid value with its file",
        arguments: [
            (["in_accel_y_raw": "much\u{7}"], "in_accel_y_raw contains “much", "not a number"),
            (["in_accel_y_raw": ""], "in_accel_y_raw contains “”", "not a number"),
            (["in_accel_y_raw": nil], "is missing", "in_accel_y_raw"),
            (["in_accel_scale": nil], "in_accel_scale is missing", "the unit is unknown"),
            (["in_accel_scale": "0"], "in_accel_scale is missing", ""),
            (["in_accel_scale": "nan"], "contains “nan”", "not a number"),
            (["in_accel_scale": "1e300"], "not plausible", "gravity is 9.81"),
            (["in_accel_y_raw": "0", "in_accel_z_raw": "0"], "reports 0.0 m/s²", "not plausible"),
            (
                ["mount_matrix": "1, 0, 0; 0, 1, 0"], "mount_matrix contains “1, 0, 0; 0, 1, 0”",
                "not a rotation matrix"
            ),
            (["mount_matrix": "1, 0, 0; 1, 0, 0; 0, 0, 1"], "mount_matrix contains", "not a rotation matrix"),
            (["mount_matrix": "2, 0, 0; 0, 2, 0; 0, 0, 2"], "mount_matrix contains", "not a rotation matrix"),
            (
                ["mount_matrix": "nan, 0, 0; 0, 1, 0; 0, 0, 1"], "mount_matrix contains",
                "not a rotation matrix"
            ),
            (["mount_matrix": ""], "mount_matrix contains “”", "not a rotation matrix"),
        ] as [([String: String?], String, String)])
    func nonsense(changes: [String: String?], first: String, second: String) throws {
        let reason = try reason(changes)
        #expect(reason.contains(first) && reason.contains(second), "\(reason)")
        #expect(!reason.hasSuffix(".") && reason.printable(limit: 4000) == reason)
    }

    @Test("ignores a convertible's second sensor below the keyboard, and reports a missing sensor")
    func which() throws {
        let two = try machine(["label": "accel-base"])
        for (axis, raw) in [("x", "-1000"), ("y", "0"), ("z", "0")] {
            try two.write("sys/bus/iio/devices/iio:device2/in_accel_\(axis)_raw", "\(raw)\n")
        }
        try two.write("sys/bus/iio/devices/iio:device2/in_accel_scale", "0.00981\n")
        let sensor = try Accelerometer(sysfs: two.sysfs)
        #expect(sensor.name == "iio:device2")
        #expect(try reason(["label": "accel-base"]).contains("keyboard"))
        let none = try SyntheticMachine()
        #expect(throws: SensorError.self) { try Accelerometer(sysfs: none.sysfs) }
    }
}
