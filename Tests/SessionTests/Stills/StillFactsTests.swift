import Foundation
import MulticamMedia
import MulticamStills
import Testing

@testable import MulticamSession

@Suite("Metadata of a still")
struct StillFactsTests {
    private static let device = CaptureDevice(
        mediaType: .video, deviceType: .external, identity: DeviceIdentity(name: "Cam"), name: "Cam",
        manufacturer: "Maker", node: "/dev/video0", selector: "/dev/video0")

    private func facts(mode: Int64, isVolatile: Bool = false) -> StillMetadata {
        StillMetadata(
            date: Date(timeIntervalSince1970: 0), device: Self.device, rotation: .none, isMirrored: false,
            controls: [
                DeviceControl(
                    name: "auto_exposure", kind: .menu, value: mode, minimum: 0, maximum: 3, defaultValue: 3),
                DeviceControl(
                    name: "exposure_time_absolute", value: 40, minimum: 3, maximum: 2047, defaultValue: 156,
                    isVolatile: isVolatile),
            ])
    }

    @Test(
        "the exposure time is known only if it was set manually or the driver reads it from the camera"
    )
    func exposureTime() {
        #expect(facts(mode: 1).exposureTime == .milliseconds(4))
        #expect(facts(mode: 1).isExposureAutomatic == false)
        #expect(facts(mode: 3).exposureTime == nil)
        #expect(facts(mode: 3).isExposureAutomatic == true)
        #expect(facts(mode: 3, isVolatile: true).exposureTime == .milliseconds(4))
        #expect(facts(mode: 1).isWhiteBalanceAutomatic == nil)
        #expect(facts(mode: 1).make == "Maker")
    }
}
