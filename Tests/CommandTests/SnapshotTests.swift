import Foundation
import MulticamSessionFolder
import Testing

@Suite("Snapshots")
struct SnapshotTests {
    private static func tags(_ path: String, _ names: String...) throws -> [String] {
        let outcome = try Multicam.run(["exiftool", "-s3", "-n"] + names.map { "-" + $0 } + [path])
        return outcome.lines
    }

    @Test("a still has the given name, the camera's size, and the time of day in its Exif data")
    func still() throws {
        let scratch = try Scratch()
        let before = Date()
        let outcome = try Multicam.run(
            "snapshot", "virtual:clap?size=640x360", "--output", "my still.jpg", "--settle", "300ms",
            in: scratch)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let path = scratch.path + "/my still.jpg"
        #expect(outcome.lines.count == 1)
        #expect(outcome.lines.first?.hasSuffix("/my still.jpg") == true)
        #expect(
            try Self.tags(path, "ImageWidth", "ImageHeight", "Orientation", "Model") == [
                "640", "360", "1", "Virtual camera camera",
            ])
        let text = try #require(try Self.tags(path, "SubSecDateTimeOriginal").first)
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "yyyy:MM:dd HH:mm:ss.SSSxxx"
        let date = try #require(format.date(from: text), "\(text)")
        #expect(date > before.addingTimeInterval(-1) && date < Date())
    }

    @Test("all cameras of a profile are captured at nearly the same time, with their rotation, into a folder")
    func profile() throws {
        let scratch = try Scratch()
        let profile = try scratch.file(
            "two.yaml",
            """
            cameras:
              desk: { device: "virtual:clap?size=320x180", rotation: 90 }
              face: { device: "virtual:bars?size=64x48&format=yuyv", mirrored: true }
            tracks: { cameras: encode }
            limits: none
            """)
        let outcome = try Multicam.run(
            "snapshot", "--profile", profile, "--all", "--output", "stills", "--settle", "0s", "--json",
            in: scratch)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let stills = try outcome.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(stills.map { $0["role"] as? String } == ["desk", "face"])
        let files = stills.compactMap { $0["file"] as? String }
        #expect(try files.map { try Self.tags($0, "Orientation") } == [["6"], ["2"]])
        let first = try Multicam.run("snapshot", "--profile", profile, "--settle", "0s", in: scratch)
        #expect(first.lines.count == 1)
        #expect(first.lines.first?.hasSuffix("_desk.jpg") == true)
    }

    @Test("a clip surrounds its still and starts at 0")
    func live() throws {
        let scratch = try Scratch()
        let outcome = try Multicam.run(
            "snapshot", "virtual:clap?size=320x180", "--live", "1s", "--output", "here", "--settle", "0s",
            in: scratch)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.count == 2)
        let clip = try #require(outcome.lines.last)
        let probe = try Multicam.run([
            "ffprobe", "-v", "error", "-count_packets", "-show_entries",
            "stream=codec_name,start_time,nb_read_packets",
            "-of", "csv=p=0", clip,
        ])
        let fields = probe.output.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: ",")
        #expect(fields.first == "mjpeg")
        #expect(fields.dropFirst().first == "0.000000")
        #expect(fields.last.flatMap { Int($0) }.map { (25...31).contains($0) } == true, "\(fields)")
    }

    @Test(
        "invalid options are rejected with an explanation and exit status 2",
        arguments: [
            (["virtual:clap", "--all"], "can't be combined"),
            (["virtual:clap", "--profile", "pip"], "can't be combined"),
            (["--virtual"], "requires `--profile`"),
            (["--all", "--output", "a.jpg"], "Specify a folder"),
            (["virtual:clap", "--live", "11s"], "expected a time from 100ms to 10s"),
            (["virtual:clap", "--settle", "soon"], "expected a time"),
        ])
    func refusals(words: [String], sentence: String) throws {
        let scratch = try Scratch()
        let outcome = try Multicam.run([Multicam.path, "snapshot"] + words, in: scratch)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
    }

    @Test("an existing file is not overwritten, and a missing camera is exit status 3")
    func files() throws {
        let scratch = try Scratch()
        _ = try scratch.file("taken.jpg", "mine")
        let outcome = try Multicam.run(
            "snapshot", "virtual:clap?size=64x48", "--output", "taken.jpg", "--settle", "0s", in: scratch)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("already exists"))
        #expect(try String(contentsOfFile: scratch.path + "/taken.jpg", encoding: .utf8) == "mine")
        #expect(try Multicam.run("snapshot", "/dev/video977", in: scratch).status == 3)
    }

    @Test(
        "snapshots of one or all cameras of a running recording are stored in its folder, without frame loss"
    )
    func recording() throws {
        let scratch = try Scratch()
        let profile = try scratch.file(
            "two.yaml",
            """
            cameras:
              desk: { device: "virtual:clap?size=320x180", rotation: 90 }
              face: { device: "virtual:bars?size=64x48&format=yuyv", format: yuyv }
            tracks: { cameras: encode }
            limits: none
            """)
        // A separate runtime directory isolates the test from other recordings of this user.
        var environment = Multicam.environment
        environment["XDG_RUNTIME_DIR"] = scratch.path
        let command = try RunningCommand(
            [
                Multicam.path, "record", "--profile", profile, "--output", scratch.path + "/out", "--live",
                "200ms",
                "--json",
            ], environment: environment)
        _ = try command.event(SessionEvent.Started.self)
        func snapshot(_ words: String...) throws -> Multicam.Outcome {
            try Multicam.run([Multicam.path, "snapshot", "--recording"] + words, environment: environment)
        }
        let all = try snapshot("--all", "--json")
        #expect(all.status == 0, "\(all.errors)")
        let one = try snapshot("face")
        #expect(one.status == 0, "\(one.errors)")
        let unknown = try snapshot("roof")
        #expect(unknown.status == 2)
        #expect(unknown.errors.contains("There is no camera with the role roof. Use one of: desk, face."))
        command.send(SIGINT)
        #expect(try command.event(SessionEvent.Finished.self).fields.exit == 0)
        #expect(command.waitForEnd() == 0)
        let nobody = try snapshot("face")
        #expect(nobody.status == 1)
        #expect(nobody.errors.contains("no session of this user is running"))

        let stills = try all.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(stills.map { $0["role"] as? String } == ["desk", "face"])
        #expect(stills.map { $0["clip"] is String } == [true, true])
        #expect(one.lines.map { String($0.suffix(9)) } == ["_face.jpg", "_face.mov"])
        let files = stills.compactMap { $0["file"] as? String } + one.lines.prefix(1)
        #expect(
            try files.map { try Self.tags($0, "ImageDescription", "Orientation") } == [
                ["desk", "6"], ["face", "1"], ["face", "1"],
            ])
        let session = try scratch.session(in: "out")
        #expect(files.allSatisfy { $0.contains("/stills/") })
        // A machine that is busy with other tests may drop frames, but stills must not cause other losses.
        let busy: Set = ["driver", "encoder", "governor", "late"]
        for role in ["desk", "face"] {
            let lost = try session.frames(role).lost
            #expect(busy.isSuperset(of: lost.keys), "\(role): \(lost)")
        }
        let verified = try Multicam.run("verify", session.path)
        #expect(verified.status == 0, "\(verified.errors)")
    }

    @Test(
        "snapshots of a recording reject separate settings",
        arguments: [
            ["--output", "a"], ["--live", "1s"], ["--settle", "1s"], ["--profile", "pip"], ["desk", "--all"],
        ])
    func recordingRefusals(words: [String]) throws {
        let outcome = try Multicam.run([Multicam.path, "snapshot", "--recording"] + words)
        #expect(outcome.status == 2)
        #expect(
            outcome.errors.contains("can't be combined"))
    }
}
