import MulticamEncoding
import MulticamInputs
import MulticamMedia
import Testing

@testable import MulticamMediaServing

@Suite("Frames of an H.264 stream that arrive before its session starts")
struct EarlyFramesTests {
    private static let format = VideoFormat(
        pixel: .h264, size: FrameSize(width: 64, height: 48), rate: FrameRate(30))

    private static func send(_ numbers: Range<Int64>, keys: Set<Int64>, to camera: RemoteCamera) throws {
        for number in numbers {
            try camera.receiveFrame(
                SharedBytes([0, 0, 0, 1]), at: ClockTime(nanoseconds: 1_000_000_000 + number * 33_333_333),
                error: .zero, sequence: number, isKey: keys.contains(number))
        }
    }

    private static func camera(_ format: VideoFormat = format) -> RemoteCamera {
        RemoteCamera(name: "srt://127.0.0.1:9000", format: format, color: .bt709Limited, delay: .zero)
    }

    private static func words(_ event: CameraEvent) -> String {
        switch event {
        case .frame(let frame): "\(frame.sequence)"
        case .preroll(let frame): "earlier \(frame.sequence)"
        default: "\(event)"
        }
    }

    @Test("frames since the last key frame are delivered at the start, before later frames")
    func sinceKey() throws {
        let camera = Self.camera()
        let events = ConditionLock<[String]>([])
        try Self.send(1..<400, keys: [1, 90], to: camera)
        try camera.start(on: MonotonicClock()) { event in
            // Frames that arrive while the session catches up don't overtake earlier ones.
            if case .preroll(let frame) = event, frame.sequence == 90 {
                #expect(throws: Never.self) { try Self.send(400..<402, keys: [], to: camera) }
            }
            events.withLock { $0.append(Self.words(event)) }
        }
        try Self.send(402..<404, keys: [], to: camera)
        camera.stop()
        #expect(
            events.withLock { $0 } == (Int64(90)..<402).map { "earlier \($0)" } + ["402", "403"])
    }

    @Test("intra-only streams keep no early frames, and none is delivered twice")
    func others() throws {
        for pixel in [PixelFormat.mjpeg, .h264] {
            let camera = Self.camera(
                VideoFormat(pixel: pixel, size: Self.format.size, rate: Self.format.rate))
            try Self.send(1..<20, keys: [1], to: camera)
            let count = ConditionLock(0)
            for _ in 0..<2 {
                try camera.start(on: MonotonicClock()) { _ in count.withLock { $0 += 1 } }
                camera.stop()
            }
            #expect(count.withLock { $0 } == (pixel == .h264 ? 19 : 0))
        }
    }

    @Test("early frames are bounded in number and bytes: a group that exceeds them is dropped as a whole")
    func bounded() {
        func kept(_ count: Int64, bytes: Int) -> Int {
            var early = EarlyFrames(limit: (frames: 100, bytes: 10_000))
            for number in 0..<count {
                early.append(
                    CapturedFrame(
                        pixel: .h264, size: Self.format.size, color: .bt709Limited,
                        capturedAt: ClockTime(nanoseconds: number), sequence: number, isKey: number == 0,
                        memory: SharedBytes(count: bytes), planes: [], isOwned: true))
            }
            return early.dequeueAll().count
        }
        #expect(kept(100, bytes: 100) == 100)
        #expect(kept(101, bytes: 1) == 0)
        #expect(kept(11, bytes: 1000) == 0)
    }

    @Test("the first frame of a session that starts after a reconnection isn't reported as a return")
    func reconnected() throws {
        let camera = Self.camera()
        try Self.send(1..<5, keys: [1], to: camera)
        camera.disconnect(at: ClockTime(nanoseconds: 2_000_000_000))
        camera.reconnect(at: ClockTime(nanoseconds: 3_000_000_000))
        try Self.send(60..<65, keys: [60], to: camera)
        let events = ConditionLock<[String]>([])
        try camera.start(on: MonotonicClock()) { event in events.withLock { $0.append(Self.words(event)) } }
        try Self.send(65..<67, keys: [], to: camera)
        camera.stop()
        #expect(events.withLock { $0 } == (60..<65).map { "earlier \($0)" } + ["65", "66"])
    }

    @Test("an exceeded limit doesn't affect the next session")
    func overflow() {
        func frame(_ number: Int64, isKey: Bool) -> CapturedFrame {
            CapturedFrame(
                pixel: .h264, size: Self.format.size, color: .bt709Limited,
                capturedAt: ClockTime(nanoseconds: number), sequence: number, isKey: isKey,
                memory: SharedBytes(count: 10), planes: [], isOwned: true)
        }
        var early = EarlyFrames(limit: (frames: 2, bytes: 10_000))
        for number in Int64(0)..<4 { early.enqueue(frame(number, isKey: number == 0)) }
        early.removeAll()
        early.append(frame(10, isKey: true))
        _ = early.dequeueAll()
        early.enqueue(frame(11, isKey: false))
        #expect(early.dequeueAll().map(\.sequence) == [11])
    }

    @Test("the session keeps all early frames and excludes them from the camera's delay")
    func received() throws {
        let clock = SimulatedClock()
        let camera = Self.camera()
        let input = try CameraInput(
            role: "a", source: camera, latency: .zero, decodes: false, taps: TapRegistry(), keepsLog: false,
            clock: clock, codecs: Codecs())
        for number in Int64(1)...900 {
            try camera.receiveFrame(
                SharedBytes([0, 0, 0, 1]), at: clock.now - .seconds(30) + .milliseconds(33) * number,
                error: .zero, sequence: number, isKey: number == 1)
        }
        try input.start()
        #expect(input.dequeueDeliveries().compactMap(\.frame?.sequence) == Array(1...900))
        #expect(input.deliveryDelay < .seconds(1))
        #expect(input.latestKey?.sequence == 1)
        camera.stop()
    }
}
