import Media
import Plan
import Testing

@Suite("The switch between two cameras")
struct CameraSwitchTests {
    static let front = SyntheticCameras.front
    static let back = SyntheticCameras.back
    static let display = SyntheticCameras.display
    /// External, and said to look to the front.
    static let forward = SyntheticCameras.camera("forward", .external, .front, port: 5)

    @Test(
        "goes to the back from everywhere else; from the back to an external one, else to the front",
        arguments: [
            (front, [front, back], "back"), (display, [front, back, display], "back"),
            (back, [front, back, display], "display"), (back, [front, back], "front"),
            (back, [back, forward], "forward"),
            (back, [front, display.with(.inUse(by: nil)), back], "display"),
            (front, [front, display], nil), (back, [back], nil), (display, [display, front], nil),
        ] as [(CaptureDevice, [CaptureDevice], String?)])
    func next(current: CaptureDevice, cameras: [CaptureDevice], expected: String?) {
        do throws(SelectionRefusal) {
            #expect(try CameraSwitch.next(after: current, among: cameras).name == expected)
        } catch {
            #expect(expected == nil)
            #expect(error == .nowhere(to: current.position == .back ? .front : .back))
            #expect(error.description.contains("multicam devices --set CAMERA --position"))
        }
    }

    @Test(
        "goes through all cameras in order where no position is known, whatever was chosen or used, and round again"
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
        #expect(throws: SelectionRefusal.nowhere(to: .back)) {
            try CameraSwitch.next(after: cameras[0], among: [cameras[0]])
        }
        // One whose position is known makes a front and a back again.
        #expect(throws: SelectionRefusal.nowhere(to: .back)) {
            try CameraSwitch.next(after: cameras[0], among: cameras + [Self.front])
        }
        #expect(try CameraSwitch.next(after: cameras[0], among: cameras + [Self.back]) == Self.back)
    }

    @Test("of several the first that can be used now; none that plays another role, no microphone")
    func several() throws {
        let busy = SyntheticCameras.camera("busy", .external, .back, port: 6, problem: .inUse(by: "call"))
        let cameras = [busy, SyntheticCameras.microphone("mic"), Self.back]
        #expect(try CameraSwitch.next(after: Self.front, among: cameras) == Self.back)
        #expect(
            try CameraSwitch.next(after: Self.front, among: cameras, without: [Self.back.identity]) == busy)
    }
}
