import Capture
import Media
import Testing

@testable import Setup

@Suite("What came and what went")
struct DeviceRosterTests {
    private let desk = webcam(port: 1)
    private let face = webcam(port: 2)
    private let microphone = CaptureDevice(
        mediaType: .audio, deviceType: .microphone, identity: DeviceIdentity(name: "Mic"), name: "Mic",
        node: "mic", selector: "pulse:mic")

    private func located(_ device: CaptureDevice, _ instance: UInt64, usb: String? = nil) -> LocatedDevice {
        LocatedDevice(device: device, usbDevice: usb, instance: instance)
    }

    @Test("each change is told once, departures first")
    func changes() {
        var roster = DeviceRoster(DeviceRoster.Filter())
        let none = DeviceMemory()
        #expect(roster.update(cameras: [located(desk, 1)], memory: none) == [.arrived(desk)])
        #expect(roster.update(cameras: [located(desk, 1)], memory: none).isEmpty)
        #expect(
            roster.update(cameras: [located(face, 2)], memory: none) == [.departed(desk), .arrived(face)])
        #expect(roster.devices == [face])
    }

    @Test("a device that went and came back between two looks departs and arrives")
    func replug() {
        var roster = DeviceRoster(DeviceRoster.Filter())
        _ = roster.update(cameras: [located(desk, 1)], memory: DeviceMemory())
        #expect(
            roster.update(cameras: [located(desk, 7)], memory: DeviceMemory()) == [
                .departed(desk), .arrived(desk),
            ])
    }

    @Test("a permission that comes later is a change, not an arrival")
    func permission() {
        var roster = DeviceRoster(DeviceRoster.Filter())
        let closed = webcam(port: 1, problem: .noPermission(group: "video"))
        _ = roster.update(cameras: [located(closed, 1)], memory: DeviceMemory())
        #expect(
            roster.update(cameras: [located(desk, 1)], memory: DeviceMemory()) == [
                .changed(desk, before: closed)
            ])
    }

    @Test("a microphone that is found in a camera changes the camera too")
    func companions() {
        var roster = DeviceRoster(DeviceRoster.Filter())
        _ = roster.update(cameras: [located(desk, 1, usb: "/1-1")], memory: DeviceMemory())
        let changes = roster.update(microphones: [located(microphone, 1, usb: "/1-1")])
        #expect(changes.count == 2)
        #expect(changes.first?.device?.companion == microphone.identity)
        #expect(changes.last?.device?.companion == desk.identity)
        #expect(roster.devices.map(\.name) == ["Webcam", "Mic"])
    }

    @Test("only what passes the filter is told, by the user's word")
    func filter() {
        var memory = DeviceMemory()
        memory.add(.init(identity: face.identity, position: .front), among: [desk, face])
        var roster = DeviceRoster(
            DeviceRoster.Filter(mediaType: .video, deviceTypes: [.external], position: .front))
        _ = roster.update(microphones: [located(microphone, 1)])
        let cameras = [located(desk, 1), located(face, 2)]
        #expect(roster.update(cameras: cameras, memory: memory).map { $0.device?.node } == [face.node])
        // No longer said to be there: gone from this list.
        #expect(roster.update(cameras: cameras, memory: DeviceMemory()).count == 1)
        #expect(roster.devices.isEmpty)
    }

    @Test("the list is in the order of the device types that were asked for")
    func order() {
        var memory = DeviceMemory()
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

    @Test("what the user says of a camera that is there is told as a change, and taken back as one")
    func remark() {
        var roster = DeviceRoster(DeviceRoster.Filter())
        _ = roster.update(cameras: [located(desk, 1)], memory: DeviceMemory())
        var memory = DeviceMemory()
        memory.add(.init(identity: desk.identity, position: .back), among: [desk])
        let told = roster.update(memory: memory)
        #expect(told.map { $0.device?.position } == [.back])
        let again = roster.update(memory: memory)
        let takenBack = roster.update(memory: DeviceMemory())
        #expect(again.isEmpty && takenBack.map { $0.device } == [desk])
    }
}
