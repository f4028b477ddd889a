import MulticamMedia
import MulticamStandingDevices
import Testing

@testable import MulticamInputs
@testable import MulticamTiming

@Suite("Camera deliveries to the timeline")
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
            accepted: full, exposure: ExposureMonitor(nominal: full.rate.interval),
            log: FrameLog())
    }

    @Test("losses that aren't consumed are merged by cause, and all are counted")
    func losses() {
        var inbox = Self.inbox()
        for index in Int64(0)..<100_000 {
            inbox.recordLoss(
                1, index % 2 == 0 ? .corrupt : .late, capturedAt: ClockTime(nanoseconds: index * 33_000_000))
        }
        #expect(inbox.deliveries.count == CameraInbox.mostDeliveries)
        let count = inbox.deliveries.reduce(0) { sum, delivery in
            if case .lost(let count, _, _) = delivery { sum + count } else { sum }
        }
        #expect(count == 100_000)
    }

    @Test(
        "a choice refused while the governor has reduced the camera is discarded, and the previous choice applies"
    )
    func refusedBelow() {
        var inbox = Self.inbox()
        let isNew1 = inbox.recordRequest(for: Self.slower, .governor, "desk rate 30 → 20")
        #expect(isNew1)
        inbox.recordDelivery(in: Self.slower)
        inbox.chosen = Self.small
        let isNew2 = inbox.recordRequest(for: Self.smallAndSlower, .reconfigured, "format desk 1280x720")
        #expect(isNew2)
        let (refused, kept) = inbox.recordRejection(of: Self.smallAndSlower)
        #expect(refused == Self.small && kept == Self.full)
        #expect(inbox.chosen == Self.full && inbox.wanted == Self.slower && inbox.format == Self.slower)
        // The user's choice was refused, not the governor's, so the governor needn't withdraw anything.
        #expect(inbox.refused.isEmpty)
        inbox.chosen = Self.small
        let isNew3 = inbox.recordRequest(for: Self.smallAndSlower, .reconfigured, "format desk 1280x720")
        #expect(isNew3)
    }

    @Test("if the camera refuses the governor's format, the governor is notified and the user's choice stays")
    func refusedLess() {
        var inbox = Self.inbox()
        let isNew4 = inbox.recordRequest(for: Self.slower, .governor, "desk rate 30 → 20")
        #expect(isNew4)
        let (refused, kept) = inbox.recordRejection(of: Self.slower)
        #expect(refused == Self.slower && kept == Self.full)
        #expect(inbox.refused == [Self.slower] && inbox.chosen == Self.full && inbox.wanted == Self.full)
    }

    @Test("an accepted choice remains in effect even if the governor reduces it")
    func accepted() {
        var inbox = Self.inbox()
        inbox.chosen = Self.small
        let isNew5 = inbox.recordRequest(for: Self.smallAndSlower, .reconfigured, "format desk 1280x720")
        #expect(isNew5)
        inbox.recordDelivery(in: Self.smallAndSlower)
        inbox.chosen = Self.full
        let isNew6 = inbox.recordRequest(for: Self.slower, .reconfigured, "format desk 1920x1080")
        #expect(isNew6)
        let kept = inbox.recordRejection(of: Self.slower).kept
        #expect(kept == Self.small)
        #expect(inbox.chosen == Self.small)
    }
}
