import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Cameras reconnecting to a session")
struct CameraRosterTests {
    private func camera(_ port: String, serial: String = "", name: String = "Webcam") -> CaptureDevice {
        let path = "pci-0000:00:14.0-usb-0:\(port):1.0"
        return CaptureDevice(
            mediaType: .video, deviceType: .external,
            identity: DeviceIdentity(busPath: path, product: "046d:082d", serial: serial, name: name),
            name: name, node: "/dev/video\(port)", selector: "usb:\(path)")
    }

    @Test("A camera that reconnects at another port is expected at that port from then on")
    func moves() {
        let roster = CameraRoster()
        let number = roster.register(camera("1", serial: "A").identity)
        roster.markDisconnected(number, among: [])
        let moved = camera("3", serial: "A")
        #expect(roster.search(for: number, among: [moved]) == .found(moved, isElsewhere: true))
        #expect(roster.markReconnected(number, as: moved)?.contains("another port") == true)
        roster.markDisconnected(number, among: [])
        #expect(roster.search(for: number, among: [moved]) == .found(moved, isElsewhere: false))
        #expect(roster.markReconnected(number, as: moved) == nil)
    }

    @Test("A camera recorded under another role is never mistaken for its disconnected twin")
    func twinInUse() {
        let roster = CameraRoster()
        let first = roster.register(camera("1").identity)
        _ = roster.register(camera("2").identity)
        roster.markDisconnected(first, among: [])
        #expect(roster.search(for: first, among: [camera("2")]) == .absent)
        // An identical camera at a new port can only be the missing one.
        #expect(
            roster.search(for: first, among: [camera("2"), camera("3")])
                == .found(camera("3"), isElsewhere: true))
    }

    @Test("Disconnected twins are each expected at their own port, and a new port is ambiguous")
    func twinsAway() {
        let roster = CameraRoster()
        let first = roster.register(camera("1").identity)
        let second = roster.register(camera("2").identity)
        roster.markDisconnected(first, among: [])
        roster.markDisconnected(second, among: [])
        #expect(roster.search(for: first, among: [camera("2")]) == .absent)
        #expect(roster.search(for: first, among: [camera("3")]) == .ambiguous([camera("3")]))
        #expect(
            roster.search(for: second, among: [camera("2"), camera("1")])
                == .found(camera("2"), isElsewhere: false))
    }

    @Test(
        "Twins that were disconnected together return with a note that they may be swapped, other cameras without it"
    )
    func exchangedPerhaps() {
        let roster = CameraRoster()
        let twins = [roster.register(camera("1").identity), roster.register(camera("2").identity)]
        let other = roster.register(camera("4", name: "Studio").identity)
        for number in twins + [other] { roster.markDisconnected(number, among: []) }
        #expect(roster.markReconnected(twins[0], as: camera("1"))?.contains("swapped") == true)
        #expect(roster.markReconnected(twins[1], as: camera("2"))?.contains("swapped") == true)
        #expect(roster.markReconnected(other, as: camera("4", name: "Studio")) == nil)
        // If only one camera is disconnected at a time, the match is unambiguous.
        roster.markDisconnected(twins[0], among: [])
        #expect(roster.markReconnected(twins[0], as: camera("1")) == nil)
        roster.markDisconnected(twins[1], among: [])
        #expect(roster.markReconnected(twins[1], as: camera("2")) == nil)
    }

    @Test("A camera already present when another disconnects is not mistaken for it before it reconnects")
    func stranger() {
        let roster = CameraRoster()
        let number = roster.register(camera("1").identity)
        roster.markDisconnected(number, among: [camera("1"), camera("2")])
        #expect(roster.search(for: number, among: [camera("2")]) == .absent)
        let moved = camera("3")
        #expect(roster.search(for: number, among: [camera("2"), moved]) == .found(moved, isElsewhere: true))
        #expect(roster.search(for: number, among: []) == .absent)
        #expect(roster.search(for: number, among: [camera("2")]) == .found(camera("2"), isElsewhere: true))
    }

    @Test("Devices that are not on a bus are distinguished by name")
    func withoutBus() {
        func device(_ name: String) -> CaptureDevice {
            CaptureDevice(
                mediaType: .video, deviceType: .external, identity: DeviceIdentity(name: name), name: name,
                node: "/dev/\(name)", selector: "/dev/\(name)")
        }
        let roster = CameraRoster()
        let first = roster.register(device("vivid-000").identity)
        _ = roster.register(device("vivid-001").identity)
        roster.markDisconnected(first, among: [])
        #expect(roster.search(for: first, among: [device("vivid-001")]) == .absent)
        let both = [device("vivid-000"), device("vivid-001")]
        #expect(roster.search(for: first, among: both) == .found(both[0], isElsewhere: false))
    }

    @Test("Retries of a camera that delivers no frames back off to 8 s")
    func pauses() {
        var backoff = CameraSupervision.backoff
        let milliseconds = (0..<8).map { _ in Int(backoff.next().inMilliseconds) }
        #expect(milliseconds == [200, 400, 800, 1600, 3200, 6400, 8000, 8000])
        backoff.reset()
        #expect(backoff.next() == .milliseconds(200))
    }
}
