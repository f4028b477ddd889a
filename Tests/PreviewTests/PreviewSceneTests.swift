import Foundation
import MulticamControl
import MulticamEncoding
import MulticamMedia
import Testing

@testable import MulticamPreview

@Suite("Text in a preview window")
struct PreviewSceneTests {
    private func status(_ changes: [String: Any] = [:], camera: [String: Any] = [:]) throws -> ControlStatus {
        var desk: [String: Any] = [
            "role": "desk", "name": "Lens", "pixel": "mjpeg", "width": 640, "height": 360, "nominal_rate": 30,
            "rate": 30, "rotation": 90, "mirrored": true, "away": false, "captured": 0, "decimated": 0,
            "duplicated": 0, "slate": 0, "lost": 0, "losses": [String: Int](), "ppm": 0, "locked": true,
            "residual_us": 0,
        ]
        desk.merge(camera) { _, new in new }
        var fields: [String: Any] = [
            "state": "recording", "profile": "pip", "time_ns": 1, "cameras": [desk], "microphones": [Any](),
            "scenes": [String](), "markers": [Any](), "marker_count": 0, "limits": [String: Int](),
            "policy": "adapt", "given_up": [String](), "paused": [String](), "governor": [Any](),
            "live_outputs": [Any](),
        ]
        fields.merge(changes) { _, new in new }
        return try JSONDecoder().decode(
            ControlStatus.self, from: JSONSerialization.data(withJSONObject: fields))
    }

    private func running() throws -> PreviewScene {
        var scene = PreviewScene(role: "desk")
        scene.connect()
        scene.apply(try status())
        scene.receiveFrame()
        return scene
    }

    @Test("a frame is shown without text, rotated and mirrored as in the session")
    func frame() throws {
        let scene = try running()
        #expect(scene.notice == nil)
        #expect(scene.title == "desk – multicam")
        #expect(scene.rotation == .quarter)
        #expect(scene.isMirrored)
    }

    @Test("before the first frame the window reports that it is waiting")
    func beginning() throws {
        var scene = PreviewScene(role: nil)
        scene.connect()
        #expect(scene.title == "program: no picture yet, waiting for the first frame – multicam")
    }

    @Test(
        "a disconnected camera is shown with its reason, and its old frame does not return with it"
    )
    func away() throws {
        var scene = try running()
        scene.apply(
            try status(camera: ["away": true, "reason": "it was unplugged", "away_ns": 72_900_000_000]))
        #expect(scene.notice?.fact == "no signal 1:12")
        #expect(scene.notice?.outlook == "it was unplugged")
        scene.apply(try status())
        #expect(scene.notice?.fact == "no picture yet")
        scene.receiveFrame()
        #expect(scene.notice == nil)
    }

    @Test("the end of a session and the next session are shown")
    func sessions() throws {
        var scene = try running()
        scene.disconnect()
        #expect(scene.notice?.fact == "session ended")
        scene.connect()
        #expect(scene.notice?.fact == "no picture yet")
        scene.receiveFrame()
        #expect(scene.notice == nil)
    }

    @Test("a session without this camera, or without a program, is reported")
    func missing() throws {
        var scene = PreviewScene(role: "nobody")
        scene.connect()
        scene.apply(try status())
        #expect(scene.notice?.fact == "this session has no such camera")
        var program = PreviewScene(role: nil)
        program.connect()
        program.apply(try status())
        #expect(program.notice?.fact == "this session has no program")
    }

    @Test("a preview paused by the governor is reported as paused until it resumes")
    func paused() throws {
        var scene = try running()
        scene.apply(try status(["paused": ["previews"]]))
        #expect(scene.notice?.fact == "preview paused")
        scene.apply(try status())
        scene.receiveFrame()
        #expect(scene.notice == nil)
    }

    @Test("a paused program is reported in the program's window, and doesn't affect a camera's window")
    func programPaused() throws {
        let program = try JSONSerialization.jsonObject(
            with: Data(
                #"{"layout":"single","shown":["desk"],"on_air":["desk"],"mix":[],"processing":"off","captured":1,"duplicated":0,"lost":0,"losses":{}}"#
                    .utf8))
        var scene = PreviewScene(role: nil)
        scene.connect()
        scene.apply(try status(["program": program]))
        scene.receiveFrame()
        #expect(scene.notice == nil)
        let paused = try status(["program": program, "paused": ["program"]])
        scene.apply(paused)
        #expect(scene.notice?.fact == "program paused")
        var desk = try running()
        desk.apply(paused)
        #expect(desk.notice == nil)
    }

    @Test("a frame that is older than one second isn't shown, and its age counts up until the next frame")
    func frozen() throws {
        var scene = try running()
        scene.setAge(.milliseconds(999))
        #expect(scene.notice == nil)
        scene.setAge(.seconds(1))
        #expect(scene.notice?.fact == "frozen 0:01")
        scene.setAge(.milliseconds(61_500))
        #expect(scene.notice?.fact == "frozen 1:01")
        scene.receiveFrame()
        #expect(scene.notice == nil)
    }

    @Test("at a low frame rate, frames are shown for 2.5 frame periods")
    func slow() throws {
        var scene = PreviewScene(role: "desk")
        scene.connect()
        scene.apply(try status(camera: ["nominal_rate": 1]))
        scene.receiveFrame()
        scene.setAge(.milliseconds(2499))
        #expect(scene.notice == nil)
        scene.setAge(.milliseconds(2500))
        #expect(scene.notice?.fact == "frozen 0:02")
    }

    @Test("an unresponsive recorder is reported until it responds")
    func silence() throws {
        var scene = try running()
        scene.setUnresponsive()
        #expect(scene.notice?.fact == "the recorder is not responding")
        scene.apply(try status())
        #expect(scene.notice == nil)
    }

    @Test("a refusal by the session is shown in its words until a frame arrives")
    func refusal() throws {
        var scene = try running()
        scene.receiveRefusal("there is no such role")
        #expect(scene.notice?.fact == "there is no such role")
        scene.receiveFrame()
        #expect(scene.notice == nil)
    }

    @Test("a slate of a given size contains the given text")
    func slate() throws {
        let size = FrameSize(width: 640, height: 360)
        let one = SlateFrame.makeFrame(
            SlateCaption(role: "desk", device: "away", complaint: "waiting"), size: size)
        let other = SlateFrame.makeFrame(
            SlateCaption(role: "desk", device: "away", complaint: ""), size: size)
        #expect(one.size == size)
        #expect(one.pixel == .i420)
        #expect(one.planes.count == 3)
        #expect(!one.memory.bytes.elementsEqual(other.memory.bytes))
    }
}
