import MulticamMedia
import MulticamPlan
import Testing

@Suite("Switching between two cameras")
struct CameraSwitchTests {
    static let front = SyntheticCameras.front
    static let back = SyntheticCameras.back
    static let display = SyntheticCameras.display
    /// An external camera that is marked as front-facing.
    static let forward = SyntheticCameras.camera("forward", .external, .front, port: 5)

    @Test(
        "switching goes to the back camera, and from the back camera to an external or front one",
        arguments: [
            (front, [front, back], "back"), (display, [front, back, display], "back"),
            (back, [front, back, display], "display"), (back, [front, back], "front"),
            (back, [back, forward], "forward"),
            (back, [front, display.with(.inUse(by: nil)), back], "display"),
            (front, [front, display], nil), (back, [back], nil), (display, [display, front], nil),
        ] as [(CaptureDevice, [CaptureDevice], String?)])
    func next(current: CaptureDevice, cameras: [CaptureDevice], expected: String?) {
        do throws(SelectionError) {
            #expect(try CameraSwitch.next(after: current, among: cameras).name == expected)
        } catch {
            #expect(expected == nil)
            #expect(error == .noCamera(facing: current.position == .back ? .front : .back))
            #expect(error.description.contains("Specify a camera by name."))
        }
    }

    @Test(
        "without a known position, switching cycles through all cameras in order, regardless of choice and use"
    )
    func round() throws {
        let cameras = (1...4).map { SyntheticCameras.camera("c\($0)", .external, .unspecified, port: $0) }
        var preference = CameraPreference(present: cameras)
        var current = cameras[1]
        var seen: [String] = []
        for _ in 0..<8 {
            current = try CameraSwitch.next(
                after: current, among: preference.order, without: [cameras[3].identity])
            seen.append(current.name)
            preference.choose(current.identity)
            preference.streamed.insert(current.identity, at: 0)
        }
        #expect(seen == ["c3", "c1", "c2", "c3", "c1", "c2", "c3", "c1"])
        let busy = cameras.map { $0 == cameras[2] ? $0.with(.inUse(by: "call")) : $0 }
        #expect(try CameraSwitch.next(after: busy[1], among: busy).name == "c4")
        #expect(throws: SelectionError.noCamera(facing: .back)) {
            try CameraSwitch.next(after: cameras[0], among: [cameras[0]])
        }
        // A camera with a known position makes front and back switching available again.
        #expect(throws: SelectionError.noCamera(facing: .back)) {
            try CameraSwitch.next(after: cameras[0], among: cameras + [Self.front])
        }
        #expect(try CameraSwitch.next(after: cameras[0], among: cameras + [Self.back]) == Self.back)
    }

    @Test("switching prefers an available camera, and skips microphones and cameras of other roles")
    func several() throws {
        let busy = SyntheticCameras.camera("busy", .external, .back, port: 6, problem: .inUse(by: "call"))
        let cameras = [busy, SyntheticCameras.microphone("mic"), Self.back]
        #expect(try CameraSwitch.next(after: Self.front, among: cameras) == Self.back)
        #expect(
            try CameraSwitch.next(after: Self.front, among: cameras, without: [Self.back.identity]) == busy)
    }
}
