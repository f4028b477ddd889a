import MulticamMedia
import MulticamStandingDevices
import Testing

@testable import MulticamInputs
@testable import MulticamTiming

@Suite("Replacement of a camera")
struct CameraReplacementTests {
    private static func format(_ pixel: PixelFormat) -> VideoFormat {
        VideoFormat(pixel: pixel, size: FrameSize(width: 64, height: 48), rate: FrameRate(50))
    }

    private static func inbox(_ name: String, _ pixel: PixelFormat = .mjpeg) -> CameraInbox {
        let format = format(pixel)
        let stream = CameraStream(
            source: StandingCamera(format, name: name), latency: .zero, decoder: nil)
        return CameraInbox(
            stream: stream, beginning: stream, clock: DeviceClock(nominalSecondsPerCount: 1.0 / 50),
            format: format, wanted: format, chosen: format, accepted: format,
            exposure: ExposureMonitor(nominal: format.rate.interval), log: FrameLog())
    }

    /// Returns a frame that was captured the given number of milliseconds after clock zero.
    private static func frame(
        _ milliseconds: Int64, _ pixel: PixelFormat = .mjpeg, isKey: Bool = true
    ) -> DatedFrame {
        let time = ClockTime(nanoseconds: milliseconds * 1_000_000)
        return DatedFrame(
            frame: CapturedFrame(
                pixel: pixel, size: FrameSize(width: 64, height: 48),
                color: ColorDescription(matrix: .bt601, range: .full), capturedAt: time,
                sequence: milliseconds / 20, isKey: isKey, memory: SharedBytes([1, 2, 3])),
            time: time, decoded: nil)
    }

    private static func append(_ frame: DatedFrame, to inbox: inout CameraInbox) {
        inbox.enqueue(frame, arrival: frame.time)
    }

    private static func replace(
        _ inbox: inout CameraInbox, with other: CameraInbox, at milliseconds: Int64
    ) {
        inbox.adoptSource(
            of: other, as: other.stream.numbered(1), at: ClockTime(nanoseconds: milliseconds * 1_000_000),
            reason: "replace-camera desk other")
    }

    /// Returns deliveries as text. A frame is described by its source and time.
    private static func deliveryTexts(_ inbox: CameraInbox) -> [String] {
        inbox.deliveries.map { delivery in
            func text(_ time: ClockTime) -> String { "\(time.nanoseconds / 1_000_000)" }
            return switch delivery {
            case .frame(let dated): "\(dated.stream)@\(text(dated.time))"
            case .lost(let count, let cause, let time): "lost \(count) \(cause.rawValue) \(text(time))"
            case .away(let outage):
                "away \(text(outage.since)) \(outage.cause.rawValue): \(outage.reason)"
            case .returned(let time, _, let ledger): "returned \(text(time)) \(ledger.rawValue)"
            case .formatChanged: "format"
            case .warning(_, let text): text
            case .silent(let time): "silent \(text(time))"
            case .resumed(let time): "resumed \(text(time))"
            }
        }
    }

    @Test(
        "the new camera continues after the old camera's last frame, without an artificial gap"
    )
    func seamless() {
        var (old, new) = (Self.inbox("old"), Self.inbox("new"))
        for time: Int64 in [0, 20, 40, 60] { Self.append(Self.frame(time), to: &old) }
        for time: Int64 in [15, 35, 55, 75] { Self.append(Self.frame(time), to: &new) }
        Self.replace(&old, with: new, at: 80)
        Self.append(Self.frame(95).numbered(1), to: &old)
        #expect(Self.deliveryTexts(old) == ["0@0", "0@20", "0@40", "0@60", "1@75", "1@95"])
        #expect(old.former.map(\.source.device.name) == ["old"])
        #expect(old.stream.source.device.name == "new" && old.stream.number == 1)
        #expect(old.beginning.source.device.name == "old")
    }

    @Test("if the new camera's first frame is late, the gap has the cause `reconfigured`")
    func gap() {
        var (old, new) = (Self.inbox("old"), Self.inbox("new"))
        for time: Int64 in [0, 20] { Self.append(Self.frame(time), to: &old) }
        for time: Int64 in [0, 20] { Self.append(Self.frame(time), to: &new) }
        Self.replace(&old, with: new, at: 30)
        Self.append(Self.frame(100).numbered(1), to: &old)
        Self.append(Self.frame(120).numbered(1), to: &old)
        #expect(
            Self.deliveryTexts(old) == [
                "0@0", "0@20", "away 40 reconfigured: reconfigured: replace-camera desk other",
                "lost 3 reconfigured 40",
                "returned 100 reconfigured", "1@100", "1@120",
            ])
        #expect(!old.presence.isAway && old.replacement == nil)
    }

    @Test("an H.264 replacement starts with its first key frame")
    func key() {
        var (old, new) = (Self.inbox("old", .h264), Self.inbox("new", .h264))
        Self.append(Self.frame(0, .h264), to: &old)
        Self.append(Self.frame(20, .h264, isKey: false), to: &old)
        Self.append(Self.frame(0, .h264), to: &new)
        Self.append(Self.frame(35, .h264, isKey: false), to: &new)
        Self.replace(&old, with: new, at: 40)
        Self.append(Self.frame(55, .h264, isKey: false).numbered(1), to: &old)
        Self.append(Self.frame(75, .h264).numbered(1), to: &old)
        Self.append(Self.frame(95, .h264, isKey: false).numbered(1), to: &old)
        #expect(
            Self.deliveryTexts(old) == [
                "0@0", "0@20", "away 40 reconfigured: reconfigured: replace-camera desk other",
                "lost 2 reconfigured 40",
                "returned 75 reconfigured", "1@75", "1@95",
            ])
    }

    @Test("replacing a disconnected camera ends its outage, and missing frames keep that cause")
    func away() {
        var (old, new) = (Self.inbox("old"), Self.inbox("new"))
        Self.append(Self.frame(0), to: &old)
        let since = ClockTime(nanoseconds: 10_000_000)
        old.beginOutage(CameraOutage(since: since, reason: "unplugged", cause: .disconnected))
        Self.append(Self.frame(100), to: &new)
        Self.replace(&old, with: new, at: 110)
        #expect(
            Self.deliveryTexts(old) == [
                "0@0", "away 10 disconnected: unplugged", "returned 100 disconnected",
                "lost 4 disconnected 20", "1@100",
            ])
        #expect(!old.presence.isAway && old.presence.outage == nil)
    }

    @Test("the new camera's clock, format and outage apply")
    func state() {
        var (old, new) = (Self.inbox("old"), Self.inbox("new"))
        Self.append(Self.frame(0), to: &old)
        new.format = VideoFormat(
            pixel: .mjpeg, size: FrameSize(width: 32, height: 24), rate: FrameRate(25))
        new.clock = DeviceClock(nominalSecondsPerCount: 1.0 / 25)
        new.correctedStamps = 3
        let since = ClockTime(nanoseconds: 15_000_000)
        new.beginOutage(CameraOutage(since: since, reason: "unplugged", cause: .disconnected))
        Self.replace(&old, with: new, at: 20)
        #expect(old.format == new.format && old.clock.interval == .milliseconds(40))
        #expect(old.correctedStamps == 0 && old.presence.isAway)
        #expect(Self.deliveryTexts(old) == ["0@0", "away 15 disconnected: unplugged"])
    }
}
