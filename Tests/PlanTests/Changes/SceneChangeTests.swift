import MulticamMedia
import MulticamProfiles
import Testing

@testable import MulticamPlan

@Suite("Scenes and combined changes")
struct SceneChangeTests {
    private static let profile = """
        cameras:
          desk: { device: any, size: 1280x720, rate: 30, format: mjpeg }
          face: { device: any, size: 640x480, rate: 30, format: mjpeg }
          wide: { device: any, size: 1920x1080, rate: 30, format: h264 }
        microphones: { host: { device: default, gain: 3 }, two: { device: default } }
        program: { size: 1280x720, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
        scenes:
          start: {}
          wide shot: { layout: single, main: wide }
          talk: { layout: side-by-side, main: face, inset: [desk], mix: [two, host], gains: { two: -6 } }
        """

    private static func running(_ text: String = profile) throws -> RunningPlan {
        let cameras = ["desk": "/dev/video0", "face": "/dev/video2", "wide": "/dev/video4"]
        var devices = cameras.mapValues { SessionPlanTests.camera(node: $0) }
        devices["host"] = SessionPlanTests.microphone(node: "a")
        devices["two"] = SessionPlanTests.microphone(node: "b")
        return RunningPlan(try SessionPlan(profile: SessionPlanTests.profile(text), devices: devices))
    }

    /// Applies the changes one after another, as a session does.
    private static func change(_ running: inout RunningPlan, _ lines: String...) throws {
        for line in lines {
            let before = running
            let change = try SessionChange(words: line.split(separator: " ").map(String.init))
            _ = try running.apply(try #require(change))
            running.storeUndoState(from: before)
        }
    }

    @Test("a scene changes layout and audio together, is named while active, and is undone by another")
    func scenes() throws {
        var running = try Self.running()
        #expect(running.plan.scene == "start")
        // A camera used only by a scene is opened and decoded.
        #expect(running.plan.decodes("wide") && running.plan.cameras.count == 3)
        let begin = running.plan
        try Self.change(&running, "scene wide shot")
        #expect(running.plan.program?.layers.map(\.role) == ["wide"] && running.plan.scene == "wide shot")
        #expect(running.plan.program?.mix == ["host"])
        try Self.change(&running, "scene talk")
        #expect(running.plan.program?.layers.map(\.role) == ["face", "desk"])
        #expect(running.plan.program?.mix == ["host", "two"] && running.plan.scene == "talk")
        #expect(running.plan.mix.gains["two"].map { abs($0 - 0.501) < 0.001 } == true)
        try Self.change(&running, "gain two -5")
        #expect(running.plan.scene == nil)
        try Self.change(&running, "scene start")
        #expect(running.plan.program?.layers == begin.program?.layers)
    }

    @Test(
        "filters are set for a microphone and for the mix, and undone; unknown roles and settings are refused"
    )
    func processing() throws {
        var running = try Self.running()
        try Self.change(&running, "gain host -3", "processing host voice gate=-40")
        #expect(running.plan.mix.processing["host"]?.words.contains("gate=-40") == true)
        #expect(running.plan.mix.processing["two"] == .off)
        try Self.change(&running, "processing program off limit=-2")
        #expect(running.plan.mix.mixProcessing.words == ["off", "limit=-2"])
        try Self.change(&running, "undo")
        #expect(running.plan.mix.mixProcessing == .off)
        for line in [
            "processing nobody voice", "processing host", "processing host loud",
            "processing host voice gate=3",
        ] {
            let before = running.plan
            #expect(throws: SessionChangeError.self) { try Self.change(&running, line) }
            #expect(running.plan == before)
        }
    }

    @Test("an unknown scene is refused with the available names")
    func unknown() throws {
        var running = try Self.running()
        let error = #expect(throws: SessionChangeError.self) { try Self.change(&running, "scene wied shot") }
        #expect(
            error?.description
                == "this session does not have a scene “wied shot”. Choose start, wide shot or talk (probably wide shot)."
        )
        var without = try Self.running("cameras: { desk: }\nprogram: {}")
        let none = #expect(throws: SessionChangeError.self) { try Self.change(&without, "scene a") }
        #expect(none?.description.contains("save-scene NAME") == true)
    }

    @Test("the current layout and mix are saved as a scene that restores them; an invalid name is refused")
    func saves() throws {
        var running = try Self.running()
        try Self.change(
            &running, "layout grid", "hide desk", "zoom face 2", "pan face 1", "unmute two", "gain host -3")
        let scene = try running.saveScene(named: "mine")
        // Only one camera remains.
        #expect(scene.layout == .single && scene.main == "face" && scene.insets == [])
        #expect(scene.mix == ["host", "two"] && scene.gains == ["host": -3, "two": 0])
        let kept = running.plan
        try Self.change(&running, "scene start", "mute host", "scene mine")
        #expect(
            running.plan.program?.layers == kept.program?.layers
                && running.plan.program?.mix == kept.program?.mix)
        #expect(running.plan.scene == "mine")
        // Saving under the same name replaces the scene.
        try Self.change(&running, "show wide")
        _ = try running.saveScene(named: "mine")
        #expect(running.plan.program?.scenes.map(\.name) == ["start", "wide shot", "talk", "mine"])
        for name in ["", " a", "a  b", "a\nb", String(repeating: "x", count: 41)] {
            #expect(throws: SessionChangeError.self) { try running.saveScene(named: name) }
        }
    }

    @Test(
        "a deleted scene cannot be shown any more, and the layout stays; an unknown one is refused"
    )
    func deletes() throws {
        var running = try Self.running()
        try Self.change(&running, "scene talk")
        let shown = running.plan.program?.layers
        try running.deleteScene(named: "talk")
        #expect(running.plan.program?.scenes.map(\.name) == ["start", "wide shot"])
        #expect(running.plan.program?.layers == shown && running.plan.scene == nil)
        let error = #expect(throws: SessionChangeError.self) { try running.deleteScene(named: "talk") }
        #expect(error?.description.contains("Choose start") == true, "\(String(describing: error))")
    }

    @Test(
        "a camera becomes the first inset, and the previous one makes room",
        arguments: [
            (["inset wide"], ["desk", "wide"]), (["inset desk"], ["face", "desk"]),
            (["inset face"], ["desk", "face"]),
            (["show desk face wide", "inset wide"], ["desk", "wide", "face"]),
            (["hide face", "inset wide"], ["desk", "wide"]),
            (["hide face", "inset face"], ["desk", "face"]),
            (["show desk", "inset wide"], ["desk", "wide"]),
            (["layout single", "inset wide"], ["desk", "wide"]),
            (["layout side-by-side", "inset wide"], ["desk", "wide"]), (["show desk", "inset desk"], []),
        ])
    func insets(lines: [String], shown: [String]) throws {
        var running = try Self.running()
        for line in lines.dropLast() { try Self.change(&running, line) }
        guard !shown.isEmpty else {
            #expect(throws: SessionChangeError.self) { try Self.change(&running, lines.last ?? "") }
            return
        }
        try Self.change(&running, lines.last ?? "")
        #expect(running.plan.program?.layers.map(\.role) == shown)
        #expect(running.plan.program?.arrangement.layout != .single)
    }

    @Test(
        "a combined change applies completely or not at all",
        arguments: [
            (
                "arrange layout=side-by-side main=wide inset=desk,face", "side-by-side",
                ["wide", "desk", "face"]
            ),
            ("arrange main=wide", "pip", ["wide", "face"]), ("arrange main=face", "pip", ["face", "desk"]),
            ("arrange inset=wide,face corner=top-left scale=0.5", "pip", ["desk", "wide", "face"]),
            ("arrange layout=single main=face", "single", ["face"]),
            ("arrange layout=single main=face inset=desk", "single", ["face"]),
            ("arrange inset= margin=0.1 border=4", "pip", ["desk"]),
            ("arrange", "", []), ("arrange main=desk main=face", "", []),
            ("arrange scale=2 main=face", "", []),
            ("arrange main=nobody", "", []), ("arrange inset=desk", "", []), ("arrange border=65", "", []),
            ("arrange margin=nan", "", []), ("arrange color=red", "", []),
        ])
    func arranges(line: String, layout: String, shown: [String]) throws {
        var running = try Self.running()
        guard !shown.isEmpty else {
            let before = running.plan
            #expect(throws: SessionChangeError.self) { try Self.change(&running, line) }
            #expect(running.plan == before)
            return
        }
        try Self.change(&running, line)
        #expect(running.plan.program?.arrangement.layout.rawValue == layout)
        #expect(running.plan.program?.layers.map(\.role) == shown)
    }

    @Test(
        "the last change of the program can be undone and redone; changes without effect do not count")
    func undo() throws {
        var running = try Self.running()
        #expect(throws: SessionChangeError.self) { try Self.change(&running, "undo") }
        let begin = running.plan
        try Self.change(&running, "scene talk")
        let talk = running.plan
        try Self.change(&running, "scene talk", "undo")
        #expect(running.plan == begin)
        try Self.change(&running, "undo")
        #expect(running.plan == talk)
        try Self.change(&running, "gain host -20", "undo")
        #expect(running.plan == talk)
    }
}
