import Foundation
import MulticamSessionFolder
import Testing

@Suite("Camera rotation from the sensor", .serialized)
struct RotationTests {
    private static let profile = """
        cameras: { face: { device: "virtual:clap?size=320x180&mount=90&position=back", rate: 30, rotation: sensor } }
        program: { size: 180x320, rate: 30, layout: single, main: face }
        tracks: { cameras: copy, microphones: none }
        limits: none
        """

    /// A separate sysfs requires a mount namespace, which some machines do not permit.
    static let hasOwnSensors: Bool = {
        do {
            return try Multicam.run(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/sys/bus"]).status
                == 0
        } catch {
            return false
        }
    }()

    /// Returns a command line in which the sensor in `folder` appears as the computer's sensor.
    private static func commandLine(withSensor folder: String, _ words: [String]) -> [String] {
        let script = """
            mount -t tmpfs tmpfs /sys/bus && mkdir /sys/bus/iio && mount --bind "$1" /sys/bus/iio || exit 99
            shift; exec "$@"
            """
        return ["unshare", "-rm", "sh", "-c", script, "sh", folder, Multicam.path] + words
    }

    /// Writes a sensor's readings, in hundredths of m/s².
    private static func writeReadings(_ axes: [(axis: String, value: Int)], in folder: String) throws {
        let device = URL(fileURLWithPath: "\(folder)/devices/iio:device0")
        try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
        for (axis, value) in axes {
            try Data("\(value)\n".utf8).write(
                to: device.appending(path: "in_accel_\(axis)_raw"), options: .atomic)
        }
        try Data("0.01\n".utf8).write(to: device.appending(path: "in_accel_scale"), options: .atomic)
    }

    @Test(
        "the rotation is read from the sensor, the program follows changes, and the file keeps its initial matrix",
        .enabled(if: hasOwnSensors))
    func follows() throws {
        let scratch = try Scratch()
        let profile = try scratch.file("turned.yaml", Self.profile)
        let sensor = scratch.path + "/iio"
        try Self.writeReadings([("x", 981), ("y", 0), ("z", 0)], in: sensor)
        let command = try RunningCommand(
            Self.commandLine(
                withSensor: sensor,
                [
                    "record", "--profile", profile, "--output", scratch.path + "/out", "--duration", "60",
                    "--json",
                ]))
        _ = try command.event(SessionEvent.Started.self)
        // The new axis is written first, because readings of both axes that together exceed gravity are
        // ignored.
        try Self.writeReadings([("y", 981), ("x", 0)], in: sensor)
        #expect(try command.event(SessionEvent.Change.self).fields.changes == ["rotate face 180"])
        command.send(SIGINT)
        #expect(try command.event(SessionEvent.Finished.self).fields.exit == 0)
        #expect(command.waitForEnd() == 0)
        let session = try scratch.session(in: "out")
        let track = try Multicam.run(
            [
                "ffprobe", "-v", "error", "-show_entries", "stream=width,height:stream_side_data=rotation",
                "-of",
                "csv=p=0", session.path + "/cameras/face.mov",
            ])
        #expect(track.output.contains("320,180,-90"), "\(track.output)")
        // Frames that a busy machine delivered late are excluded.
        let lost = try session.frames("face").lost
        #expect(lost.keys.allSatisfy { ["late", "driver"].contains($0) }, "\(lost)")
    }

    @Test(
        "the plan states the rotation, its source, and the preview rotation", .enabled(if: hasOwnSensors))
    func planned() throws {
        let scratch = try Scratch()
        let profile = try scratch.file("turned.yaml", Self.profile)
        let sensor = scratch.path + "/iio"
        try Self.writeReadings([("x", -981), ("y", 0), ("z", 0)], in: sensor)
        let outcome = try Multicam.run(
            Self.commandLine(withSensor: sensor, ["plan", "--profile", profile, "--json"]))
        let plan = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        let device = (plan?["devices"] as? [[String: Any]])?.first
        #expect(device?["rotation"] as? Int == 270 && device?["rotation_source"] as? String == "sensor")
        let preview = device?["preview"] as? [String: Any]
        #expect(preview?["mirrored"] as? Bool == false && preview?["rotation"] as? Int == 270)
        #expect((preview?["reason"] as? String)?.isEmpty == false)
        let connections = plan?["connections"] as? [[String: Any]] ?? []
        #expect(connections.map { $0["rotated_by"] as? String } == ["pixels", "matrix"])
    }

    @Test(
        "an implausible or missing sensor causes exit status 3 with the reason",
        .enabled(if: hasOwnSensors))
    func missing() throws {
        let scratch = try Scratch()
        let profile = try scratch.file("turned.yaml", Self.profile)
        let sensor = scratch.path + "/iio"
        try Self.writeReadings([("x", 0), ("y", 0), ("z", 0)], in: sensor)
        for (folder, words) in [(sensor, "not plausible"), (scratch.path, "no accelerometer was found")] {
            let outcome = try Multicam.run(
                Self.commandLine(
                    withSensor: folder, ["record", "--profile", profile, "--output", scratch.path + "/out"]))
            #expect(outcome.status == 3, "\(outcome.errors)")
            #expect(
                outcome.errors.contains("turned.yaml:1:") && outcome.errors.contains(words),
                "\(outcome.errors)")
        }
    }
}
