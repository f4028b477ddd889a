import Foundation
import Testing

@Suite("Profiles on the command line")
struct ProfileTests {
    @Test("A profile that requires an untested hardware encoder is rejected with exit status 3")
    func hardware() throws {
        let scratch = try Scratch()
        let file = try scratch.file(
            "hardware.yaml", "cameras: {desk: {}}\nprogram: {video: {encoder: hardware}}")
        for command in ["plan", "record"] {
            expectRefusal(
                try Multicam.run(command, "--virtual", "--profile", file), status: 3,
                ":2:28: program.video.encoder: found hardware, expected `auto` or `software`, because no hardware encoder"
            )
        }
        #expect(try Multicam.run("profiles", "--check", file).status == 0)
    }

    @Test(
        "An invalid profile is rejected with the position and the expected value",
        arguments: [
            ("cameras: {desk: [}", ":1:18: "),
            ("cameras:\n\tdesk: {}", ":2:1: found a tab"),
            ("cameras: {desk: {}}\nprogam: {}", "probably program"),
            ("cameras: {desk: {rate: fast}}", "cameras.desk.rate: found “fast”"),
            ("cameras: {desk: {rate: -1}}", "above 0"),
            ("cameras: {desk: {rotation: 45}}", "0, 90, 180, or 270"),
            ("cameras: 5", "cameras: found “5”"),
            ("", "an empty file"),
            ("- desk", "found a list"),
            ("cameras: {desk: {}}\ncameras: {face: {}}", "a duplicate field"),
            ("cameras: {desk: {}}\nmicrophones: {host: {rotation: 90}}", "only cameras support"),
            ("cameras: {\"../desk\": {}}", "lowercase letters"),
            ("cameras: {desk: {device: \"\\e[31mred\"}}", "?[31mred"),
            ("cameras: {desk: {device: \"virtual:clap?size=320x240&format=yuyv\"}}", "expected encode"),
            (
                "cameras: {desk: {device: \"virtual:clap?size=320x240\", size: 640x480}}",
                "expected one of mjpeg 320x240 at 30"
            ),
            ("\u{0}\u{1}\u{2}", "control character"),
            ("# " + String(repeating: "x", count: 1_100_000), "at most 1 MB"),
            (String(repeating: "[", count: 10_000), "levels"),
        ])
    func bad(_ text: String, _ expected: String) throws {
        let scratch = try Scratch()
        let file = try scratch.file("bad.yaml", text)
        expectRefusal(try Multicam.run("plan", "--virtual", "--profile", file), status: 2, expected)
        let check = try Multicam.run("profiles", "--check", file)
        // A conflict with the capabilities of a device isn't an error in the file.
        if !expected.contains("mjpeg 320x240"), !expected.contains("encode") {
            expectRefusal(check, status: 2, expected)
        }
    }

    @Test("A profile without outputs is rejected only by `record` and `stress`")
    func nothingToWrite() throws {
        let scratch = try Scratch()
        let file = try scratch.file("nothing.yaml", "cameras: {desk: {}}\ntracks: {cameras: none}")
        expectRefusal(
            try Multicam.run("record", "--virtual", "--profile", file), status: 2,
            ":2:9: tracks: found nothing to record")
        expectRefusal(
            try Multicam.run("stress", "--virtual", "--profile", file), status: 2,
            ":2:9: tracks: found nothing to record")
        #expect(try Multicam.run("plan", "--virtual", "--profile", file).status == 0)
        #expect(try Multicam.run("profiles", "--check", file).status == 0)
    }

    @Test("A folder and a missing file are rejected as profiles")
    func notFiles() throws {
        let scratch = try Scratch()
        expectRefusal(try Multicam.run("plan", "--profile", scratch.path), status: 2, "found a folder")
        expectRefusal(
            try Multicam.run("plan", "--profile", scratch.path + "/none.yaml"), status: 2, "no such file")
    }

    @Test(
        "User profiles take precedence over included ones, and an invalid profile does not affect the others"
    )
    func own() throws {
        let scratch = try Scratch()
        let folder = scratch.url.appending(path: "multicam/profiles")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("description: mine\ncameras: {only: {}}".utf8).write(to: folder.appending(path: "pip.yaml"))
        try Data("cameras: 3".utf8).write(to: folder.appending(path: "broken.yaml"))
        var environment = Multicam.environment
        environment["XDG_CONFIG_HOME"] = scratch.path
        let list = try Multicam.run("profiles", environment: environment)
        #expect(list.status == 0)
        #expect(list.lines.contains { $0.hasPrefix("pip ") && $0.hasSuffix("mine") })
        #expect(list.lines.contains { $0.hasPrefix("broken ") && $0.contains("can't be used") })
        #expect(list.lines.contains { $0.hasPrefix("interview ") })
        let plan = try Multicam.run("plan", "--virtual", "--profile", "pip", environment: environment)
        #expect(plan.output.contains("only: "))
    }

    @Test("A copied executable still finds the included profiles")
    func copied() throws {
        let scratch = try Scratch()
        let binary = try Multicam.copy(in: scratch)
        let there = try Multicam.run("profiles", "pip")
        let copied = try Multicam.run([binary, "profiles", "pip"])
        #expect(copied.status == 0 && copied.output == there.output, "\(copied.errors)")
    }

    @Test("A plan states the channel count of each microphone, synthetic or from a file")
    func channels() throws {
        let scratch = try Scratch()
        let file = try scratch.file(
            "channels.yaml",
            """
            microphones:
              a: { device: "virtual:tone" }
              b: { device: "virtual:tone?channels=2" }
              c: { device: "virtual:tone?channels=4" }
              d: { device: "virtual:tone?channels=4", source_channels: [3] }
            """)
        let plan = try Multicam.run("plan", "--profile", file)
        #expect(plan.status == 0, "\(plan.errors)")
        let told = plan.lines.filter { $0.contains(" Hz, ") }.compactMap { $0.split(separator: ", ").last }
        #expect(told == ["mono", "stereo", "4 channels", "mono"])
    }

    @Test("Every included profile can be shown, checked, and planned without hardware")
    func shipped() throws {
        let list = try Multicam.run("profiles", "--json")
        let json = try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [String: Any]
        let profiles = try #require(json?["profiles"] as? [[String: Any]])
        #expect(profiles.count >= 6)
        let pip = try #require(profiles.first { $0["name"] as? String == "pip" })
        #expect(pip["layout"] as? String == "pip" && pip["shown"] as? Int == 2 && pip["cameras"] as? Int == 2)
        #expect(pip["own"] as? Bool == false)
        let tracks = try #require(profiles.first { $0["name"] as? String == "tracks" })
        #expect(tracks["layout"] is NSNull)
        for profile in profiles {
            let name = try #require(profile["name"] as? String)
            let file = try #require(profile["file"] as? String)
            #expect(try Multicam.run("profiles", name).output.contains("cameras:"))
            #expect(try Multicam.run("profiles", "--check", file).status == 0)
            let plan = try Multicam.run("plan", "--virtual", "--profile", name, "--json")
            #expect(plan.status == 0, "\(plan.errors)")
            #expect(plan.lines.count == 1)
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(plan.output.utf8)) }
        }
    }
}
