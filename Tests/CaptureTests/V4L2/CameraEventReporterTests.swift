import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Outage reports of a camera")
struct CameraEventReporterTests {
    /// Returns the outages reported by `steps`, as text.
    private func reportedOutages(_ steps: (CameraEventReporter) -> Void) -> [String] {
        let format = VideoFormat(
            pixel: .mjpeg, size: FrameSize(width: 640, height: 480), rate: FrameRate(30))
        let heard = ConditionLock<[String]>([])
        steps(
            CameraEventReporter(format: format, clock: SimulatedClock()) { event in
                guard case .outageBegan(_, let cause, let isRequested) = event else { return }
                heard.withLock { $0.append(isRequested ? "asked: \(cause)" : cause) }
            })
        return heard.withLock { $0 }
    }

    @Test("reports a requested outage as an unrequested one once the camera is missing")
    func unpluggedMeanwhile() {
        let told = reportedOutages { reporter in
            reporter.reportOutage("off", isRequested: true)
            reporter.reportOutage("unplugged")
            reporter.reportOutage("unplugged")
        }
        #expect(told == ["asked: off", "unplugged"])
    }

    @Test("does not turn an unrequested outage into a requested one")
    func askedMeanwhile() {
        let told = reportedOutages { reporter in
            reporter.reportOutage("silent")
            reporter.reportOutage("changing its format", isRequested: true)
            reporter.reportOutage("unplugged")
        }
        #expect(told == ["silent", "unplugged"])
    }
}
