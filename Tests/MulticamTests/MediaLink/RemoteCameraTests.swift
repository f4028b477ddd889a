import Foundation
import MulticamMedia
import MulticamMediaLink
import MulticamMediaServing
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamTiming
import Testing

@Suite("cameras received over the media socket")
struct RemoteCameraTests {
    /// The properties of a gap that are compared. The cause isn't compared, because its text depends on the
    /// device type.
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
        // A socket path is limited to 107 bytes.
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
        "a remote camera is recorded like a synthetic one of the same timing: same ledger, frames, and bytes",
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
        "a pause of a remote camera loses the same frames as a stall of a synthetic one, and each tick is the same"
    )
    func pause() async throws {
        let selector = "virtual:clap?phase=3&stall=2:0.5"
        let virtual = try await Recording(Self.profile(selector), seconds: 6)
        let sent = try await Self.sent(selector)
        for name in ["desk", "face", "program"] {
            let (one, other) = try (virtual.track(name), sent.track(name))
            var counts = try #require(other.frames)
            // If the sequence continues, frames were lost in transit. Only a synthetic camera can report that
            // it stalled.
            if name == "desk" {
                #expect(counts.lost == ["bus": 15], "\(name)")
                counts.lost = ["disconnected": 15]
            }
            #expect(one.frames == counts, "\(name)")
            #expect(try virtual.bytes(one.file) == sent.bytes(other.file), "\(name)")
        }
    }

    @Test(
        "a remote screen has the type screen, its losses are not network losses, and a remark on it is reported"
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
        #expect(camera.outageCause == .disconnected)
        let events = BoundedQueue<CameraEvent>(capacity: 10)
        try camera.start(on: MonotonicClock()) { _ = events.tryEnqueue($0) }
        let jpeg = SharedBytes([0xFF, 0xD8, 0xFF, 0xD9])
        for number: Int64 in [1, 4] {
            #expect(sender.send(frame: jpeg, at: MonotonicClock().now, sequence: number))
        }
        guard case .frame? = events.dequeue(), case .lost(let count, let cause, _)? = events.dequeue(),
            case .frame? = events.dequeue()
        else {
            Issue.record("frames and a loss were expected")
            return
        }
        #expect(count == 2 && cause == .encoder)
        #expect(sender.sendRemark("its clock was set."))
        guard case .notice(_, let remark)? = events.dequeue() else {
            Issue.record("the remark was not told")
            return
        }
        #expect(remark == "its clock was set.")
        sender.disconnect(because: "screen: the window was closed")
        guard case .outageBegan(_, let text, _)? = events.dequeue() else {
            Issue.record("the screen did not leave")
            return
        }
        #expect(text == "screen: the window was closed")
        camera.stop()
    }

    @Test("a camera that leaves for a format change is disconnected for that reason until it sends again")
    func changed() throws {
        let devices = RemoteDevices()
        let path = "/tmp/changed-\(UUID().uuidString.prefix(8))"
        let server = try MediaServer(at: path, devices: devices)
        defer { server.stop() }
        let (name, format) = (
            "rtsp://127.0.0.1/a",
            VideoFormat(pixel: .mjpeg, size: FrameSize(width: 64, height: 48), rate: FrameRate(30))
        )
        let first = try RemoteSource(cameraNamed: name, format, .jpeg, delay: .zero, path: path)
        let camera = try devices.camera(name, within: .seconds(10))
        let events = BoundedQueue<CameraEvent>(capacity: 10)
        let over = Cancellation()
        // The time limit makes the test fail instead of blocking if an event is missing.
        let limit = MediaThread.startWhenPossible(name: "limit") {
            if MonotonicClock().sleep(until: MonotonicClock().now + .seconds(60), unless: over) {
                events.finish()
            }
        }
        defer {
            over.cancel()
            limit.join()
        }
        try camera.start(on: MonotonicClock()) { _ = events.tryEnqueue($0) }
        var told: [String] = []
        for (cause, word) in [
            ("reconfigured: it sends frames of 32x24 now.", LossCause.reconfigured),
            ("network: it is lost.", .network),
        ] {
            let source =
                word == .reconfigured
                ? first : try RemoteSource(cameraNamed: name, format, .jpeg, delay: .zero, path: path)
            #expect(
                source.send(
                    frame: SharedBytes([0xFF, 0xD8, 0xFF, 0xD9]), at: MonotonicClock().now, sequence: 1))
            // Wait until the frame has arrived, because a source that disconnects may discard queued data.
            while let event = events.dequeue() {
                if case .outageBegan = event { continue }
                break
            }
            source.disconnect(because: cause)
            while let event = events.dequeue() {
                guard case .outageBegan(_, let reason, _) = event else { continue }
                told.append(reason)
                #expect(reason == cause && camera.outageCause == word)
                break
            }
        }
        #expect(told.count == 2)
    }
}
