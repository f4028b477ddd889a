import MulticamMedia
import MulticamPlan
import Testing

@Suite("Camera preference")
struct CameraPreferenceTests {
    private let front = SyntheticCameras.front
    private let back = SyntheticCameras.back
    private let display = SyntheticCameras.display

    @Test("only a connected camera is returned, if there is any")
    func absent() {
        var preference = CameraPreference()
        #expect(preference.userPreferred == nil && preference.systemPreferred == nil)
        preference.choose(front.identity)
        #expect(preference.userPreferred == nil && preference.systemPreferred == nil)
        preference.handle([.present(back)])
        #expect(preference.userPreferred == nil)
        #expect(preference.systemPreferred == PreferredDevice(device: back, reason: .ready))
        preference.handle([.present(front)])
        #expect(preference.userPreferred == front)
        #expect(preference.systemPreferred == PreferredDevice(device: front, reason: .chosen))
    }

    @Test("plugging in a camera changes the preferred one but not the user's choice")
    func arrival() {
        var preference = CameraPreference(present: [front, back])
        preference.choose(back.identity)
        preference.handle([.connected(display)])
        #expect(preference.systemPreferred == PreferredDevice(device: display, reason: .pluggedIn))
        #expect(preference.userPreferred == back)
        #expect(preference.history.chosen.map(\.identity) == [back.identity])
    }

    @Test("the user's choice applies even if another program uses the camera; no other camera replaces it")
    func busy() {
        var preference = CameraPreference(present: [front, back.with(.inUse(by: "call"))])
        preference.choose(back.identity)
        #expect(preference.systemPreferred?.device.identity == back.identity)
    }

    @Test(
        "a grayscale camera is preferred only if chosen, plugged in by itself, or the only camera")
    func grey() {
        func camera(_ pixel: PixelFormat, port: Int) -> CaptureDevice {
            let format = OfferedFormat(
                pixel: pixel, size: FrameSize(width: 640, height: 360), rates: .listed([FrameRate(30)]))
            return SyntheticCameras.camera(pixel.rawValue, port: port, formats: [format])
        }
        let (color, infrared) = (camera(.mjpeg, port: 1), camera(.grey, port: 2))
        var preference = CameraPreference(streamed: [infrared.identity], present: [infrared, color])
        #expect(preference.systemPreferred?.device == color)
        preference.choose(infrared.identity)
        #expect(preference.systemPreferred == PreferredDevice(device: infrared, reason: .chosen))

        var plugged = CameraPreference(present: [front])
        plugged.handle([.connected(infrared)])
        #expect(plugged.systemPreferred == PreferredDevice(device: infrared, reason: .pluggedIn))
        plugged.handle([.connected(color)])
        plugged.handle([.disconnected(infrared), .connected(infrared)])
        #expect(plugged.systemPreferred == PreferredDevice(device: color, reason: .pluggedIn))
        #expect(CameraPreference(present: [infrared]).systemPreferred?.device == infrared)
    }

    @Test(
        "without a choice, cameras are ranked by availability, past streaming, position, then list order")
    func ranking() {
        let busy = SyntheticCameras.camera("busy", port: 7, problem: .inUse(by: nil))
        let closed = SyntheticCameras.camera("closed", port: 8, problem: .noPermission(group: "video"))
        let present = [closed, busy, back, display, front]
        func names(_ preference: CameraPreference) -> [String] {
            preference.ranked(present).map(\.device.name)
        }
        let preference = CameraPreference(present: present)
        #expect(names(preference) == ["front", "display", "back", "busy", "closed"])
        #expect(
            preference.ranked(present).map(\.reason) == [
                .position, .ready, .ready, .noneIsReady, .noneIsReady,
            ])
        #expect(
            names(CameraPreference(defaultPosition: .back, present: present)) == [
                "back", "display", "front", "busy", "closed",
            ])
        let streamed = CameraPreference(
            streamed: [busy.identity, back.identity, display.identity], present: present)
        #expect(names(streamed) == ["back", "display", "front", "busy", "closed"])
        #expect(streamed.systemPreferred == PreferredDevice(device: back, reason: .streamedBefore))
    }

    @Test("a camera that moved to another port is still the chosen one, and is marked as moved")
    func moved() {
        let before = SyntheticCameras.camera("studio", port: 5, serial: "A")
        let after = SyntheticCameras.camera("studio", port: 9, serial: "A")
        var preference = CameraPreference(present: [before, front])
        preference.choose(before.identity)
        preference.handle([.disconnected(before), .present(after)])
        #expect(
            preference.systemPreferred == PreferredDevice(device: after, reason: .chosen, isElsewhere: true))
        preference.choose(after.identity)
        #expect(preference.history.chosen.map(\.identity) == [after.identity])
    }

    @Test("a choice that matches two identical cameras selects neither, and this is reported")
    func twins() {
        let twins = [3, 4].map { SyntheticCameras.camera("twin", port: $0) }
        var history = DeviceHistory()
        history.choose(SyntheticCameras.camera("twin", port: 9).identity, among: [])
        let preference = CameraPreference(history: history, present: twins + [front])
        #expect(preference.userPreferred == nil)
        #expect(preference.systemPreferred?.device == front)
        #expect(preference.ambiguityWarning?.contains("“twin” is ambiguous: usb:") == true)
        #expect(preference.ambiguityWarning?.hasSuffix(". Choose one.") == true)
        let one = CameraPreference(history: history, present: [twins[0], front])
        #expect(one.userPreferred == twins[0] && one.ambiguityWarning == nil)
    }

    @Test("a choice in another process applies here, and overrides cameras plugged in before it")
    func adopted() {
        var preference = CameraPreference(present: [front, back])
        preference.handle([.connected(display)])
        preference.adopt(preference.history, streamed: [display.identity])
        #expect(preference.systemPreferred?.device == display)
        var history = DeviceHistory()
        history.choose(front.identity, among: [front, back])
        preference.adopt(history, streamed: [])
        #expect(preference.systemPreferred == PreferredDevice(device: front, reason: .chosen))
    }
}

@Suite("Device history")
struct DeviceHistoryTests {
    private let cameras = (1...12).map { SyntheticCameras.camera("camera \($0)", port: $0) }

    @Test("the history is short, lists each device once, and begins with the latest")
    func short() {
        var history = DeviceHistory()
        for camera in cameras { history.choose(camera.identity, among: cameras) }
        history.choose(cameras[7].identity, among: cameras)
        #expect(
            history.chosen.map(\.identity.name) == [
                "camera 8", "camera 12", "camera 11", "camera 10", "camera 9", "camera 7", "camera 6",
                "camera 5",
            ])
    }

    @Test("a profile's first device is added once, after all of the user's choices")
    func proposals() {
        var history = DeviceHistory()
        let isFirst = history.propose(cameras[0].identity, by: "scan", among: cameras)
        let isSecond = history.propose(cameras[1].identity, by: "scan", among: cameras)
        #expect(isFirst && !isSecond)
        #expect(history.choices.map(\.identity) == [cameras[0].identity])
        history.choose(cameras[2].identity, among: cameras)
        history.propose(cameras[3].identity, by: "call", among: cameras)
        #expect(
            history.choices.map(\.identity) == [2, 3, 0].map { cameras[$0].identity })
        // The camera was chosen, so it isn't a proposal any more, and isn't proposed again after it is
        // deleted.
        history.choose(cameras[3].identity, among: cameras)
        #expect(history.proposed.map(\.identity) == [cameras[0].identity])
        let wasKnown = history.forget(cameras[3].identity, among: cameras)
        let isAgain = history.propose(cameras[3].identity, by: "call", among: cameras)
        let isKnown = history.forget(cameras[3].identity, among: cameras)
        #expect(wasKnown && !isAgain && !isKnown)
    }

    @Test("a choice for one role does not apply to another role of the same profile, but to other profiles")
    func roles() {
        var history = DeviceHistory()
        history.choose(cameras[0].identity, among: cameras)
        history.choose(cameras[1].identity, for: "face", among: cameras)
        func first(_ leader: String, _ roles: [String]) -> DeviceIdentity? {
            history.narrowed(to: leader, of: roles).choices.first?.identity
        }
        #expect(first("desk", ["desk", "face"]) == cameras[0].identity)
        #expect(first("face", ["desk", "face"]) == cameras[1].identity)
        #expect(first("room", ["room"]) == cameras[1].identity)
    }

    @Test("a device that moved is stored with its current location")
    func renewed() {
        let before = SyntheticCameras.camera("studio", port: 20, serial: "A")
        let after = SyntheticCameras.camera("studio", port: 21, serial: "A")
        var history = DeviceHistory()
        history.choose(before.identity, for: "desk", among: [before])
        history.updateIdentity(of: after.identity, among: [after])
        #expect(history.choices == [DeviceHistory.Choice(identity: after.identity, role: "desk")])
        history.updateIdentity(of: cameras[0].identity, among: cameras)
        #expect(history.choices.count == 1)
    }
}
