import Media
import Testing

@testable import Capture

@Suite("What a camera tells of its absence")
struct CameraDeliveryTests {
    /// What was told by `steps`, in words.
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

    @Test("one that was asked for is its own from the moment at which the camera is found missing")
    func unpluggedMeanwhile() {
        let told = told { delivery in
            delivery.away("off", isRequested: true)
            delivery.away("unplugged")
            delivery.away("unplugged")
        }
        #expect(told == ["asked: off", "unplugged"])
    }

    @Test("one of its own is nobody else's, whatever is asked of it meanwhile")
    func askedMeanwhile() {
        let told = told { delivery in
            delivery.away("silent")
            delivery.away("changing its format", isRequested: true)
            delivery.away("unplugged")
        }
        #expect(told == ["silent", "unplugged"])
    }
}
