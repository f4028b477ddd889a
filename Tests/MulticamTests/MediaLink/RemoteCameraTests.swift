import Foundation
import Media
import MediaLink
import MediaServing
import Session
import SessionFolder
import Setup
import Testing
import Timing

@Suite("a camera that comes by the media socket")
struct RemoteCameraTests {
    /// What is compared of a gap. The words for why a device was away name what it is.
    private struct Stretch: Equatable {
        let track: String
        let from: MediaTime
        let to: MediaTime

        init(_ gap: Gap) { (track, from, to) = (gap.track, gap.from, gap.to) }
    }

    private static func profile(_ selector: String) -> String {
        """
        cameras:
          desk: { device: "\(selector)", size: 320x180, rate: 30 }
          face: { device: "virtual:clap?phase=5", size: 160x120, rate: 30 }
        program: { size: 320x180, rate: 30, layout: pip, main: desk, inset: face }
        tracks: { cameras: copy }
        budget: { governor: false }
        """
    }

    private static func sent(_ selector: String) async throws -> Recording {
        let clock = SimulatedClock()
        // A socket's path may have 107 bytes.
        let path = "/tmp/relay-\(UUID().uuidString.prefix(8))"
        let server = try MediaServer(at: path, devices: RemoteDevices(clock: clock))
        defer { server.stop() }
        let format = VideoFormat(
            pixel: .mjpeg, size: FrameSize(width: 320, height: 180), rate: FrameRate(30, per: 1))
        let relay = try SocketRelay(selector, role: "desk", in: format, to: server, at: path)
        return try await Recording(
            profile(selector), seconds: 6, clock: clock, changing: { $0.cameras["desk"] = relay })
    }

    @Test(
        "is recorded as a synthetic one of the same timing: the same ledger, the same frame on each tick, the same bytes",
        arguments: [
            ("a clock of its own and jitter", "virtual:clap?phase=3&drift=180&jitter=2"),
            ("lost and damaged frames", "virtual:clap?phase=3&drift=-90&drop=0.05&corrupt=0.03"),
            ("away and back", "virtual:clap?phase=3&unplug=2&replug=4"),
        ])
    func same(what: String, selector: String) async throws {
        let virtual = try await Recording(Self.profile(selector), seconds: 6)
        let sent = try await Self.sent(selector)
        try sent.checkSchema()
        for name in ["desk", "face", "program"] {
            let (one, other) = try (virtual.track(name), sent.track(name))
            #expect(one.frames == other.frames, "\(what): \(name)")
            #expect(try virtual.bytes(one.file) == sent.bytes(other.file), "\(what): \(name)")
        }
        #expect(virtual.manifest.gaps.map(Stretch.init) == sent.manifest.gaps.map(Stretch.init), "\(what)")
    }

    @Test(
        "that pauses and counts on loses the same frames as a synthetic one that stands still, and each tick shows the same"
    )
    func pause() async throws {
        let selector = "virtual:clap?phase=3&stall=2:0.5"
        let virtual = try await Recording(Self.profile(selector), seconds: 6)
        let sent = try await Self.sent(selector)
        for name in ["desk", "face", "program"] {
            let (one, other) = try (virtual.track(name), sent.track(name))
            var counts = try #require(other.frames)
            // Whoever counts on says that frames were lost on the way; only a synthetic camera knows that it stood still.
            if name != "face" {
                #expect(counts.lost == ["bus": 15], "\(name)")
                counts.lost = ["away": 15]
            }
            #expect(one.frames == counts, "\(name)")
            #expect(try virtual.bytes(one.file) == sent.bytes(other.file), "\(name)")
        }
    }

    @Test(
        "of a screen is of that type, what is missing of it was not lost by a network, and a remark on it is told"
    )
    func screen() throws {
        let devices = RemoteDevices()
        let path = "/tmp/screen-\(UUID().uuidString.prefix(8))"
        let server = try MediaServer(at: path, devices: devices)
        defer { server.stop() }
        let format = VideoFormat(
            pixel: .mjpeg, size: FrameSize(width: 64, height: 48), rate: FrameRate(30))
        let sender = try RemoteSource(
            cameraNamed: "screen::0?cursor=no", format, .jpeg, delay: .zero, path: path)
        let camera = try devices.camera("screen::0?cursor=no", within: .seconds(10))
        #expect(camera.device.deviceType == .screen)
        #expect(camera.device.selector == "screen::0?cursor=no")
        #expect(camera.outageCause == .away)
        let events = BoundedQueue<CameraEvent>(capacity: 10)
        try camera.start(on: MonotonicClock()) { _ = events.offer($0) }
        let jpeg = SharedBytes([0xFF, 0xD8, 0xFF, 0xD9])
        for number: Int64 in [1, 4] {
            #expect(sender.send(frame: jpeg, at: MonotonicClock().now, sequence: number))
        }
        guard case .frame? = events.next(), case .lost(let count, let cause, _)? = events.next(),
            case .frame? = events.next()
        else {
            Issue.record("frames and a loss were expected")
            return
        }
        #expect(count == 2 && cause == .encoder)
        #expect(sender.remark("its clock was set."))
        guard case .remarked(_, let remark)? = events.next() else {
            Issue.record("the remark was not told")
            return
        }
        #expect(remark == "its clock was set.")
        sender.leave(because: "screen: the window was closed")
        guard case .away(_, let text, _)? = events.next() else {
            Issue.record("the screen did not leave")
            return
        }
        #expect(text == "screen: the window was closed")
        camera.stop()
    }
}
