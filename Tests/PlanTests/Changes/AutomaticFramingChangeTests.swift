import MulticamMedia
import MulticamProfiles
import Testing

@testable import MulticamPlan

@Suite("Changes of automatic framing")
struct AutomaticFramingChangeTests {
    private static let profile = """
        cameras:
          desk: { device: any, size: 1920x1080, rate: 30, format: mjpeg, framing: { follow: people, enlargement: 2 } }
          face: { device: any, size: 1280x720, rate: 30, format: mjpeg }
        microphones: { host: { device: default } }
        program: { size: 1280x720, layout: single, main: desk, audio: { mix: [host] } }
        scenes: { talk: { layout: single, main: desk }, near: { layout: single, main: desk, zoom: { desk: 2 } } }
        tracks: { cameras: copy, microphones: wav }
        """

    private func running() throws -> RunningPlan {
        var devices = ["desk": "/dev/video0", "face": "/dev/video2"].mapValues {
            SessionPlanTests.camera(node: $0)
        }
        devices["host"] = SessionPlanTests.microphone(node: "a")
        return RunningPlan(
            try SessionPlan(profile: SessionPlanTests.profile(Self.profile), devices: devices))
    }

    private func apply(_ line: String, to running: inout RunningPlan) throws {
        let change = try SessionChange(words: line.split(separator: " ").map(String.init))
        _ = try running.apply(try #require(change))
    }

    private func layer(of running: RunningPlan) throws -> PlannedLayer {
        try #require(running.plan.program?.layers.first)
    }

    private let motion = FramingMotion(
        from: 5, duration: .seconds(1), x: .init(constant: 0.5), y: .init(constant: 0.5),
        height: .init(constant: 0.5), ratio: 1, bounds: .whole)

    @Test("a framed camera begins with the whole frame, and its cost is that of the closest view")
    func begins() throws {
        let layer = try layer(of: try running())
        let size = FrameSize(width: 1920, height: 1080)
        #expect(layer.framed(at: 0, of: size).crop?.size == size)
        // 720 lines of the program show at least 360 lines of the camera.
        #expect(layer.crop?.size == FrameSize(width: 640, height: 360))
    }

    @Test("a motion changes the layer, and isn't a change that can be undone")
    func moves() throws {
        var running = try running()
        let before = running
        let isMoved = running.setMotion(motion, of: "desk")
        #expect(isMoved)
        running.storeUndoState(from: before)
        var undone = running
        #expect(throws: SessionChangeError.self) { try apply("undo", to: &undone) }
        let layer = try layer(of: running)
        #expect(layer.framed(at: 0, of: FrameSize(width: 1920, height: 1080)).crop?.height == 540)
        #expect(running.plan.program?.arrangement == before.plan.program?.arrangement)
    }

    @Test("a motion of a camera that isn't framed has no effect")
    func ignored() throws {
        var running = try running()
        let before = running
        let isMoved = running.setMotion(motion, of: "face")
        #expect(!isMoved)
        #expect(running == before)
    }

    @Test(
        "framing ends with `framing off`, and when the user zooms, pans, or tilts",
        arguments: ["framing desk off", "zoom desk 2"])
    func ends(line: String) throws {
        var running = try running()
        _ = running.setMotion(motion, of: "desk")
        try apply(line, to: &running)
        #expect(try layer(of: running).motion == nil)
        #expect(running.plan.program?.motions.isEmpty == true)
        #expect(!running.plan.analyzesFrames)
    }

    @Test("a scene stays active while automatic framing moves a camera, and doesn't switch framing off")
    func scene() throws {
        var running = try running()
        #expect(running.plan.scene == "talk")
        _ = running.setMotion(motion, of: "desk")
        #expect(running.plan.scene == "talk")
        try apply("scene near", to: &running)
        #expect(try layer(of: running).motion != nil)
        try apply("framing desk off", to: &running)
        #expect(try layer(of: running).crop?.height == 540, "the scene's zoom applies when framing ends")
    }

    @Test("faces of framed cameras are found, and `detect` adds codes")
    func detection() throws {
        var running = try running()
        try apply("detect desk codes", to: &running)
        try apply("detect face faces codes", to: &running)
        #expect(
            running.plan.cameras.map { running.plan.detection(of: $0) } == [
                [.faces, .codes], [.faces, .codes],
            ])
        try apply("detect face off", to: &running)
        #expect(running.plan.detection(of: running.plan.cameras[1]).isEmpty)
        var refused = running
        #expect(throws: SessionChangeError.self) { try apply("detect face cats", to: &refused) }
        #expect(throws: SessionChangeError.self) { try apply("framing nobody people", to: &refused) }
    }

    @Test("searching frames costs processor time")
    func cost() throws {
        var running = try running()
        let framed = PlannedWork(running.plan).items.filter { $0.kind == .analyze }
        #expect(framed.count == 1)
        try apply("framing desk off", to: &running)
        #expect(!PlannedWork(running.plan).items.contains { $0.kind == .analyze })
    }
}
