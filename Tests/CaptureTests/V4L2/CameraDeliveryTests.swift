import Media
import Testing

@testable import Capture

@Suite("Outage reports of a camera")
struct CameraDeliveryTests {
    /// Returns the outages reported by `steps`, as text.
    private func told(_ steps: (CameraDelivery) -> Void) -> [String] {
        let format = VideoFormat(
            pixel: .mjpeg, size: FrameSize(width: 640, height: 480), rate: FrameRate(30))
        let heard = ConditionLock<[String]>([])
        steps(
            CameraDelivery(format: format, clock: SimulatedClock()) { event in
                guard case .away(_, let cause, let isRequested) = event else { return }
                heard.withLock { $0.append(isRequested ? "asked: \(cause)" : cause) }
            })
        return heard.withLock { $0 }
    }

    @Test("reports a requested outage as an unrequested one once the camera is missing")
    func unpluggedMeanwhile() {
        let told = told { delivery in
            delivery.away("off", isRequested: true)
            delivery.away("unplugged")
            delivery.away("unplugged")
        }
        #expect(told == ["asked: off", "unplugged"])
    }

    @Test("does not turn an unrequested outage into a requested one")
    func askedMeanwhile() {
        let told = told { delivery in
            delivery.away("silent")
            delivery.away("changing its format", isRequested: true)
            delivery.away("unplugged")
        }
        #expect(told == ["silent", "unplugged"])
    }
}
