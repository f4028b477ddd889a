import Media
import Testing

@testable import Capture

@Suite("Outage reports of a camera")
struct CameraDeliveryTests {
    /// Returns the outages reported by `steps`, as text.
    private func reportedOutages(_ steps: (CameraDelivery) -> Void) -> [String] {
        let format = VideoFormat(
            pixel: .mjpeg, size: FrameSize(width: 640, height: 480), rate: FrameRate(30))
        let heard = ConditionLock<[String]>([])
        steps(
            CameraDelivery(format: format, clock: SimulatedClock()) { event in
                guard case .outageBegan(_, let cause, let isRequested) = event else { return }
                heard.withLock { $0.append(isRequested ? "asked: \(cause)" : cause) }
            })
        return heard.withLock { $0 }
    }

    @Test("reports a requested outage as an unrequested one once the camera is missing")
    func unpluggedMeanwhile() {
        let told = reportedOutages { delivery in
            delivery.reportOutage("off", isRequested: true)
            delivery.reportOutage("unplugged")
            delivery.reportOutage("unplugged")
        }
        #expect(told == ["asked: off", "unplugged"])
    }

    @Test("does not turn an unrequested outage into a requested one")
    func askedMeanwhile() {
        let told = reportedOutages { delivery in
            delivery.reportOutage("silent")
            delivery.reportOutage("changing its format", isRequested: true)
            delivery.reportOutage("unplugged")
        }
        #expect(told == ["silent", "unplugged"])
    }
}
