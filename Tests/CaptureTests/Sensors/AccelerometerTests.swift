import Media
import SyntheticMachines
import Testing

@testable import Capture

@Suite("The accelerometer in sysfs")
struct AccelerometerTests {
    private static let device = "sys/bus/iio/devices/iio:device1"

    /// One that feels upright: 1000 units are 9.81 m/s².
    private func machine(_ changes: [String: String?] = [:]) throws -> SyntheticMachine {
        let machine = try SyntheticMachine()
        var files: [String: String?] = [
            "name": "lis3dh_accel", "in_accel_x_raw": "0", "in_accel_y_raw": "-1000", "in_accel_z_raw": "20",
            "in_accel_scale": "0.00981",
        ]
        files.merge(changes) { $1 }
        for (name, text) in files { if let text { try machine.write("\(Self.device)/\(name)", "\(text)\n") } }
        // A light sensor is none.
        try machine.write("sys/bus/iio/devices/iio:device0/in_illuminance_raw", "3\n")
        return machine
    }

    private func felt(_ changes: [String: String?] = [:]) throws -> [Int] {
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

    @Test("what is felt is (raw + offset) × scale, turned as the sensor sits")
    func reads() throws {
        #expect(try felt() == [0, -981, 20])
        #expect(try felt(["in_accel_offset": "100"]) == [98, -883, 118])
        #expect(try felt(["in_accel_x_offset": "-1e2", "in_accel_y_scale": "0.0098"]) == [-98, -980, 20])
        for name in ["mount_matrix", "in_mount_matrix", "in_accel_mount_matrix"] {
            #expect(try felt([name: "0, -1, 0; 1, 0, 0; 0, 0, 1"]) == [981, 0, 20])
        }
        // As in systemd's list: the sensor counts two axes the other way round.
        #expect(try felt(["mount_matrix": "0,-1,0;-1,0,0;0,0,1"]) == [981, 0, 20])
        #expect(
            try felt(["mount_matrix": "0.998, 0.054, 0; -0.054, 0.998, 0; 0, 0, 1"]) == [-53, -979, 20])
    }

    @Test(
        "nonsense is said, with where it stands",
        arguments: [
            (["in_accel_y_raw": "much\u{7}"], "in_accel_y_raw says “much", "no number"),
            (["in_accel_y_raw": ""], "in_accel_y_raw says “”", "no number"),
            (["in_accel_y_raw": nil], "there is no", "in_accel_y_raw"),
            (["in_accel_scale": nil], "has no in_accel_scale", "how much a unit is"),
            (["in_accel_scale": "0"], "has no in_accel_scale", ""),
            (["in_accel_scale": "nan"], "says “nan”", "no number"),
            (["in_accel_scale": "1e300"], "which cannot be", "gravity is 9.81"),
            (["in_accel_y_raw": "0", "in_accel_z_raw": "0"], "that 0.0 m/s² are felt", "cannot be"),
            (["mount_matrix": "1, 0, 0; 0, 1, 0"], "mount_matrix says “1, 0, 0; 0, 1, 0”", "only turns"),
            (["mount_matrix": "1, 0, 0; 1, 0, 0; 0, 0, 1"], "mount_matrix says", "only turns"),
            (["mount_matrix": "2, 0, 0; 0, 2, 0; 0, 0, 2"], "mount_matrix says", "only turns"),
            (["mount_matrix": "nan, 0, 0; 0, 1, 0; 0, 0, 1"], "mount_matrix says", "only turns"),
            (["mount_matrix": ""], "mount_matrix says “”", "only turns"),
        ] as [([String: String?], String, String)])
    func nonsense(changes: [String: String?], first: String, second: String) throws {
        let reason = try reason(changes)
        #expect(reason.contains(first) && reason.contains(second), "\(reason)")
        #expect(!reason.hasSuffix(".") && reason.printable(limit: 4000) == reason)
    }

    @Test("a convertible's second sensor, under its keyboard, is not asked; a computer without any says so")
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
