import Media
import Testing

@testable import Inputs
@testable import Timing

@Suite("What a camera leaves for the timeline")
struct CameraInboxTests {
    private static let full = VideoFormat(
        pixel: .mjpeg, size: FrameSize(width: 1920, height: 1080), rate: FrameRate(30))
    private static let slower = VideoFormat(pixel: .mjpeg, size: full.size, rate: FrameRate(20))
    private static let small = VideoFormat(
        pixel: .mjpeg, size: FrameSize(width: 1280, height: 720), rate: FrameRate(30))
    private static let smallAndSlower = VideoFormat(pixel: .mjpeg, size: small.size, rate: FrameRate(20))

    private static func inbox() -> CameraInbox {
        let stream = CameraStream(source: StandingCamera(full), latency: .zero, decoder: nil)
        return CameraInbox(
            stream: stream, beginning: stream, clock: DeviceClock(nominalSecondsPerCount: 1.0 / 30),
            format: full, wanted: full, chosen: full,
            accepted: full, exposure: ExposureWatch(nominal: full.rate.interval),
            log: FrameLog())
    }

    @Test("losses that nobody takes become one of their cause, and none is forgotten")
    func losses() {
        var inbox = Self.inbox()
        for index in Int64(0)..<100_000 {
            inbox.miss(
                1, index % 2 == 0 ? .corrupt : .late, capturedAt: ClockTime(nanoseconds: index * 33_000_000))
        }
        #expect(inbox.deliveries.count == CameraInbox.mostDeliveries)
        let count = inbox.deliveries.reduce(0) { sum, delivery in
            if case .lost(let count, _, _) = delivery { sum + count } else { sum }
        }
        #expect(count == 100_000)
    }

    @Test(
        "a choice that is refused while the governor has the camera lowered is a choice no more: the one before holds"
    )
    func refusedBelow() {
        var inbox = Self.inbox()
        let isNew1 = inbox.ask(for: Self.slower, .governor, "desk rate 30 → 20")
        #expect(isNew1)
        inbox.deliver(in: Self.slower)
        inbox.chosen = Self.small
        let isNew2 = inbox.ask(for: Self.smallAndSlower, .change, "format desk 1280x720")
        #expect(isNew2)
        let (refused, kept) = inbox.refuse(Self.smallAndSlower)
        #expect(refused == Self.small && kept == Self.full)
        #expect(inbox.chosen == Self.full && inbox.wanted == Self.slower && inbox.format == Self.slower)
        // It is a person's choice that was refused, and nothing that the governor has to withdraw.
        #expect(inbox.refused.isEmpty)
        inbox.chosen = Self.small
        let isNew3 = inbox.ask(for: Self.smallAndSlower, .change, "format desk 1280x720")
        #expect(isNew3)
    }

    @Test("what the governor asked for and did not get is told to it, and the choice stays")
    func refusedLess() {
        var inbox = Self.inbox()
        let isNew4 = inbox.ask(for: Self.slower, .governor, "desk rate 30 → 20")
        #expect(isNew4)
        let (refused, kept) = inbox.refuse(Self.slower)
        #expect(refused == Self.slower && kept == Self.full)
        #expect(inbox.refused == [Self.slower] && inbox.chosen == Self.full && inbox.wanted == Self.full)
    }

    @Test("a choice that the camera took holds, also where the governor gives less of it")
    func accepted() {
        var inbox = Self.inbox()
        inbox.chosen = Self.small
        let isNew5 = inbox.ask(for: Self.smallAndSlower, .change, "format desk 1280x720")
        #expect(isNew5)
        inbox.deliver(in: Self.smallAndSlower)
        inbox.chosen = Self.full
        let isNew6 = inbox.ask(for: Self.slower, .change, "format desk 1920x1080")
        #expect(isNew6)
        let kept = inbox.refuse(Self.slower).kept
        #expect(kept == Self.small)
        #expect(inbox.chosen == Self.small)
    }
}
