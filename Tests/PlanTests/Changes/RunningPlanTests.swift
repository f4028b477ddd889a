import MulticamMedia
import MulticamProfiles
import Testing

@testable import MulticamPlan

@Suite("The plan of a running session")
struct RunningPlanTests {
    private static let profile = """
        cameras:
          desk: { device: any, size: 1280x720, rate: 30, format: mjpeg }
          face: { device: any, size: 640x480, rate: 30, format: mjpeg }
          guest: { device: any, size: 1920x1080, rate: 30, format: h264 }
        microphones: { host: { device: default }, two: { device: default } }
        program: { size: 1280x720, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
        tracks: { cameras: copy, microphones: wav }
        """

    private static func running(_ text: String = profile) throws -> RunningPlan {
        let cameras = ["desk": "/dev/video0", "face": "/dev/video2", "guest": "/dev/video4"]
        var devices = cameras.mapValues { SessionPlanTests.camera(node: $0) }
        devices["host"] = SessionPlanTests.microphone(node: "a")
        devices["two"] = SessionPlanTests.microphone(node: "b")
        return RunningPlan(try SessionPlan(profile: SessionPlanTests.profile(text), devices: devices))
    }

    private static func changed(_ lines: [String]) throws -> SessionPlan {
        var running = try running()
        for line in lines {
            let change = try SessionChange(words: line.split(separator: " ").map(String.init))
            _ = try running.apply(try #require(change))
        }
        return running.plan
    }

    @Test(
        "cameras are shown at the requested positions",
        arguments: [
            (["swap"], "pip", ["face", "desk"]), (["swap face", "swap face desk"], "", []),
            (["swap", "swap"], "pip", ["desk", "face"]), (["hide face"], "pip", ["desk"]),
            (["hide desk"], "pip", ["face"]), (["hide desk", "swap desk"], "", []),
            // The last visible camera can't be hidden.
            (["hide desk", "hide face"], "", []), (["hide desk", "hide desk"], "pip", ["face"]),
            (["show face", "hide face"], "", []), (["layout single", "hide desk", "hide face"], "", []),
            (["layout single", "hide desk"], "single", ["face"]),
            (["hide face", "unhide face"], "pip", ["desk", "face"]), (["layout single"], "single", ["desk"]),
            (["layout single", "swap"], "single", ["face"]),
            (["show face"], "pip", ["face"]),
            (["layout single", "show face desk"], "pip", ["face", "desk"]),
            (["show face", "layout grid"], "grid", ["face", "desk"]),
            (["layout side-by-side"], "side-by-side", ["desk", "face"]),
        ])
    func arranges(lines: [String], layout: String, shown: [String]) throws {
        guard !shown.isEmpty else {
            #expect(throws: SessionChangeError.self) { try Self.changed(lines) }
            return
        }
        let program = try #require(try Self.changed(lines).program)
        #expect(program.arrangement.layout.rawValue == layout)
        #expect(program.arrangement.shown == shown)
        #expect(program.layers.map(\.role) == shown)
    }

    @Test("the only visible camera cannot be hidden")
    func last() throws {
        let error = #expect(throws: SessionChangeError.self) { try Self.changed(["hide desk", "hide face"]) }
        #expect(error?.description.contains("camera face is the only camera in the program") == true)
        #expect(error?.description.contains("Show another camera first") == true)
    }

    @Test("video changes on a microphone are refused with a specific sentence")
    func microphone() throws {
        var running = try Self.running()
        do throws(SessionChangeError) {
            _ = try running.apply(.rotation(role: "host", .quarter))
            Issue.record("audio was turned")
        } catch {
            #expect(error.description.hasPrefix("host is a microphone"))
            #expect(error.description.contains("desk, face"))
        }
    }

    @Test("two changes and their inverses restore the plan; only the program changes")
    func isUndone() throws {
        let before = try Self.running().plan
        let after = try Self.changed(["swap", "rotate face 90", "rotate face 0", "swap", "mirror desk off"])
        #expect(after.program?.layers == before.program?.layers)
        #expect(after.cameraTracks == before.cameraTracks && after.cameras == before.cameras)
    }

    @Test("a camera is rotated only in the program, in a place with the shape of its visible part")
    func turns() throws {
        let plan = try Self.changed(["rotate face 90"])
        let inset = try #require(plan.program?.layers.last)
        #expect(inset.rotation == .quarter && inset.rectangle.height > inset.rectangle.width)
        #expect(plan.cameraTracks.allSatisfy { $0.rotation == .none })
    }

    @Test("a camera is zoomed and moved only in the program, and keeps its place there")
    func zooms() throws {
        let plan = try Self.changed(["zoom desk 2", "pan desk 1", "tilt desk -0.5"])
        let before = try Self.running().plan
        let main = try #require(plan.program?.layers.first)
        #expect(main.crop == PixelRectangle(x: 640, y: 270, width: 640, height: 360))
        #expect(main.rectangle == before.program?.layers.first?.rectangle)
        #expect(plan.cameraTracks == before.cameraTracks && plan.cameras == before.cameras)
        #expect(
            try Self.changed(["zoom desk 2", "pan desk 1", "zoom desk 1"]).program?.layers.first?.crop == nil)
    }

    @Test("microphones are mixed in the plan's order, with the requested gain")
    func mixes() throws {
        #expect(
            try Self.changed(["unmute two", "mute host", "unmute host"]).program?.mix == ["host", "two"])
        #expect(try Self.changed(["mute host"]).mix.gains.isEmpty)
        #expect(try Self.changed(["gain host -20"]).mix.gains == ["host": 0.1])
    }

    @Test(
        "a rejected change leaves the plan unchanged and names the valid values",
        arguments: [
            ("swap nobody", "Choose desk, face or guest"), ("swap desk", "already the main camera"),
            ("swap guest", "delivers H.264"), ("scale 3", "from 0.05 to 1"),
            ("gain host 90", "-60.0 to 30.0"),
            ("zoom desk 0.5", "expected a number from 1.0 (whole frame) to 8.0"),
            ("zoom desk 9", "invalid zoom factor 9.0"),
            ("zoom guest 2", "delivers H.264"), ("pan desk 2", "expected a number from -1.0 to 1.0"),
            ("pan desk 0.5", "Zoom in first: `zoom desk 1.5`"),
            ("tilt face -1", "cannot be panned or tilted"),
            ("gain desk 0", "Choose host or two"), ("show desk desk", "only once"),
        ])
    func refuses(line: String, reason: String) throws {
        var running = try Self.running()
        let before = running
        let change = try #require(try SessionChange(words: line.split(separator: " ").map(String.init)))
        let error = #expect(throws: SessionChangeError.self) { _ = try running.apply(change) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        #expect(running == before)
    }

    @Test("without a program layout changes are refused, and without its audio mix changes")
    func withoutProgram() throws {
        var silent = try Self.running(
            Self.profile.replacing("audio: { mix: [host] }", with: "audio: { mix: [] }"))
        #expect(throws: SessionChangeError.self) { _ = try silent.apply(.gain(role: "host", decibels: 0)) }
        var bare = try Self.running(
            Self.profile.split(separator: "\n").filter { !$0.hasPrefix("program") }.joined(separator: "\n"))
        #expect(throws: SessionChangeError.self) { _ = try bare.apply(.swap(with: nil)) }
    }

    @Test(
        "A change's words give the same change again; wrong words are refused with the valid ones",
        arguments: [
            "swap", "swap face", "show face desk", "layout grid", "corner top-left", "scale 0.3", "hide face",
            "unhide face", "rotate face 270", "mirror face on", "zoom face 1.5", "pan face -0.5",
            "tilt face 0.25", "gain host -6.0", "mute host", "unmute host", "disable face", "enable face",
            "format face 1280x720", "format face 1280x720@30", "stop-track face", "start-track face",
            "remove face",
        ])
    func words(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        #expect(try SessionChange(words: words)?.words == words)
        guard words[0] != "show" else { return }
        let error = #expect(throws: SessionChangeError.self) {
            _ = try SessionChange(words: words + ["x", "y", "z"])
        }
        #expect(error?.description.contains("expected `\(words[0])") == true)
    }
}
