import Control
import Encoding
import Foundation
import Media
import Testing

@testable import Preview

@Suite("What a preview's window says")
struct PreviewSceneTests {
    private func status(_ changes: [String: Any] = [:], camera: [String: Any] = [:]) throws -> ControlStatus {
        var desk: [String: Any] = [
            "role": "desk", "name": "Lens", "pixel": "mjpeg", "width": 640, "height": 360, "nominal_rate": 30,
            "rate": 30, "rotation": 90, "mirrored": true, "away": false, "captured": 0, "skipped": 0,
            "repeated": 0, "slate": 0, "lost": 0, "losses": [String: Int](), "ppm": 0, "locked": true,
            "residual_us": 0,
        ]
        desk.merge(camera) { _, new in new }
        var fields: [String: Any] = [
            "state": "recording", "profile": "pip", "time_ns": 1, "cameras": [desk], "microphones": [Any](),
            "scenes": [String](), "marks": [Any](), "mark_count": 0, "limits": [String: Int](),
            "policy": "adapt", "given_up": [String](), "governor": [Any](), "publications": [Any](),
        ]
        fields.merge(changes) { _, new in new }
        return try JSONDecoder().decode(
            ControlStatus.self, from: JSONSerialization.data(withJSONObject: fields))
    }

    private func running() throws -> PreviewScene {
        var scene = PreviewScene(role: "desk")
        scene.connect()
        scene.take(try status())
        scene.takeFrame()
        return scene
    }

    @Test("a frame is shown without words, turned and mirrored as the session says")
    func frame() throws {
        let scene = try running()
        #expect(scene.notice == nil)
        #expect(scene.title == "desk – multicam")
        #expect(scene.rotation == .quarter)
        #expect(scene.isMirrored)
    }

    @Test("before the first frame the window waits for it")
    func beginning() throws {
        var scene = PreviewScene(role: nil)
        scene.connect()
        #expect(scene.title == "program: no picture yet, waiting for the first – multicam")
    }

    @Test(
        "a camera that is away is named with the reason, and its frame of before is not shown when it is back"
    )
    func away() throws {
        var scene = try running()
        scene.take(try status(camera: ["away": true, "reason": "it was unplugged"]))
        #expect(scene.notice?.fact == "away: it was unplugged")
        scene.take(try status())
        #expect(scene.notice?.fact == "no picture yet")
        scene.takeFrame()
        #expect(scene.notice == nil)
    }

    @Test("a session that ends is told, and so is the one that follows")
    func sessions() throws {
        var scene = try running()
        scene.disconnect()
        #expect(scene.notice?.fact == "the session has ended")
        scene.connect()
        #expect(scene.notice?.fact == "no picture yet")
        scene.takeFrame()
        #expect(scene.notice == nil)
    }

    @Test("a session without this camera, or without a program, is told")
    func missing() throws {
        var scene = PreviewScene(role: "nobody")
        scene.connect()
        scene.take(try status())
        #expect(scene.notice?.fact == "this session has no such camera")
        var program = PreviewScene(role: nil)
        program.connect()
        program.take(try status())
        #expect(program.notice?.fact == "this session has no program")
    }

    @Test("a preview that the governor has given up says that it comes back")
    func paused() throws {
        var scene = try running()
        scene.take(try status(["given_up": ["previews on → off"]]))
        #expect(scene.notice?.fact == "the computer is busy recording")
        scene.take(try status(["given_up": ["preset superfast → ultrafast"]]))
        scene.takeFrame()
        #expect(scene.notice == nil)
    }

    @Test("a recorder that tells nothing is told until it does")
    func silence() throws {
        var scene = try running()
        scene.missStatus()
        #expect(scene.notice?.fact == "the recorder does not answer")
        scene.take(try status())
        #expect(scene.notice == nil)
    }

    @Test("what the session refuses is said in its words, until a frame comes")
    func refusal() throws {
        var scene = try running()
        scene.refuse("there is no such role")
        #expect(scene.notice?.fact == "there is no such role")
        scene.takeFrame()
        #expect(scene.notice == nil)
    }

    @Test("a slate of its own size has the words that it was given")
    func slate() throws {
        let size = FrameSize(width: 640, height: 360)
        let one = SlateFrame.frame(
            SlateCaption(role: "desk", device: "away", complaint: "waiting"), size: size)
        let other = SlateFrame.frame(SlateCaption(role: "desk", device: "away", complaint: ""), size: size)
        #expect(one.size == size)
        #expect(one.pixel == .i420)
        #expect(one.planes.count == 3)
        #expect(!one.memory.bytes.elementsEqual(other.memory.bytes))
    }
}
