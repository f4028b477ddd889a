import MulticamCapture
import MulticamMedia
import Testing

@testable import MulticamSetup

@Suite("Arrivals and departures of devices")
struct DeviceRosterTests {
    private let desk = webcam(port: 1)
    private let face = webcam(port: 2)
    private let microphone = CaptureDevice(
        mediaType: .audio, deviceType: .microphone, identity: DeviceIdentity(name: "Mic"), name: "Mic",
        node: "mic", selector: "pulse:mic")

    private func located(_ device: CaptureDevice, _ instance: UInt64, usb: String? = nil) -> LocatedDevice {
        LocatedDevice(device: device, usbDevice: usb, instance: instance)
    }

    @Test("each change is reported once, departures first")
    func changes() {
        var roster = DeviceRoster(DeviceRoster.Filter())
        let none = DeviceStore()
        #expect(roster.update(cameras: [located(desk, 1)], memory: none) == [.connected(desk)])
        #expect(roster.update(cameras: [located(desk, 1)], memory: none).isEmpty)
        #expect(
            roster.update(cameras: [located(face, 2)], memory: none) == [
                .disconnected(desk), .connected(face),
            ])
        #expect(roster.devices == [face])
    }

    @Test("a device that is replugged between two scans departs and arrives")
    func replug() {
        var roster = DeviceRoster(DeviceRoster.Filter())
        _ = roster.update(cameras: [located(desk, 1)], memory: DeviceStore())
        #expect(
            roster.update(cameras: [located(desk, 7)], memory: DeviceStore()) == [
                .disconnected(desk), .connected(desk),
            ])
    }

    @Test("a permission granted later is a change, not an arrival")
    func permission() {
        var roster = DeviceRoster(DeviceRoster.Filter())
        let closed = webcam(port: 1, problem: .noPermission(group: "video"))
        _ = roster.update(cameras: [located(closed, 1)], memory: DeviceStore())
        #expect(
            roster.update(cameras: [located(desk, 1)], memory: DeviceStore()) == [
                .changed(desk, before: closed)
            ])
    }

    @Test("a microphone found in a camera also changes the camera")
    func companions() {
        var roster = DeviceRoster(DeviceRoster.Filter())
        _ = roster.update(cameras: [located(desk, 1, usb: "/1-1")], memory: DeviceStore())
        let changes = roster.update(microphones: [located(microphone, 1, usb: "/1-1")])
        #expect(changes.count == 2)
        #expect(changes.first?.device?.companion == microphone.identity)
        #expect(changes.last?.device?.companion == desk.identity)
        #expect(roster.devices.map(\.name) == ["Webcam", "Mic"])
    }

    @Test("only devices that match the filter are reported, based on the user's settings")
    func filter() {
        var memory = DeviceStore()
        memory.add(.init(identity: face.identity, position: .front), among: [desk, face])
        var roster = DeviceRoster(
            DeviceRoster.Filter(mediaType: .video, deviceTypes: [.external], position: .front))
        _ = roster.update(microphones: [located(microphone, 1)])
        let cameras = [located(desk, 1), located(face, 2)]
        #expect(roster.update(cameras: cameras, memory: memory).map { $0.device?.node } == [face.node])
        // The position set by the user was removed, so the camera leaves the list.
        #expect(roster.update(cameras: cameras, memory: DeviceStore()).count == 1)
        #expect(roster.devices.isEmpty)
    }

    @Test("the list follows the order of the requested device types")
    func order() {
        var memory = DeviceStore()
        memory.add(.init(identity: face.identity, type: .builtIn), among: [desk, face])
        let cameras = [located(desk, 1), located(face, 2)]
        func names(_ types: [CaptureDevice.DeviceType]?) -> [String] {
            var roster = DeviceRoster(DeviceRoster.Filter(deviceTypes: types))
            _ = roster.update(microphones: [located(microphone, 1)])
            _ = roster.update(cameras: cameras, memory: memory)
            return roster.devices.map(\.node)
        }
        #expect(names(nil) == ["/dev/video1", "/dev/video2", "mic"])
        #expect(names([.microphone, .builtIn, .external]) == ["mic", "/dev/video2", "/dev/video1"])
        #expect(names([.builtIn]) == ["/dev/video2"])
    }

    @Test("a user's setting for a connected camera is reported as a change, and so is its removal")
    func remark() {
        var roster = DeviceRoster(DeviceRoster.Filter())
        _ = roster.update(cameras: [located(desk, 1)], memory: DeviceStore())
        var memory = DeviceStore()
        memory.add(.init(identity: desk.identity, position: .back), among: [desk])
        let told = roster.update(memory: memory)
        #expect(told.map { $0.device?.position } == [.back])
        let again = roster.update(memory: memory)
        let takenBack = roster.update(memory: DeviceStore())
        #expect(again.isEmpty && takenBack.map { $0.device } == [desk])
    }
}
