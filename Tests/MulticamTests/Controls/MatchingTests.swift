import Foundation
import MulticamMedia
import MulticamSessionFolder
import Testing

@Suite("matched cameras in a recording")
struct MatchingTests {
    private static func controls(_ role: String, in recording: Recording) -> [String: Manifest.Control] {
        let device = recording.manifest.devices.first { $0.role == role }
        return Dictionary(
            (device?.controls ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    @Test(
        "before the first frame, all cameras have the leader's exposure, gain, and color, and lock their own focus"
    )
    func match() async throws {
        let recording = try await Recording(
            """
            cameras:
              desk: { device: "virtual:bars?size=64x48" }
              face: { device: "virtual:bars?size=64x48", match: desk }
              side: { device: "virtual:bars?size=64x48", match: { camera: desk, what: [white-balance] } }
            """, seconds: 1)
        let (desk, face, side) = (
            Self.controls("desk", in: recording), Self.controls("face", in: recording),
            Self.controls("side", in: recording)
        )
        for name in ["auto_exposure", "exposure_time_absolute", "gain", "white_balance_temperature"] {
            #expect(face[name]?.value == desk[name]?.value, "\(name)")
            #expect(face[name]?.value == face[name]?.asked, "\(name)")
            #expect(face[name]?.origin == .match)
        }
        #expect(face["auto_exposure"]?.value == 1)
        #expect(face["focus_automatic_continuous"]?.value == 0)
        #expect(face["focus_absolute"]?.value != desk["focus_absolute"]?.value)
        #expect(side["white_balance_temperature"]?.value == desk["white_balance_temperature"]?.value)
        #expect(side["exposure_time_absolute"] == nil)
        #expect(!recording.events.contains { $0.contains(#""warning""#) })
        try recording.checkSchema()
    }

    @Test("a control that can't be matched causes a warning at the start, and the others are matched")
    func shortcoming() async throws {
        let recording = try await Recording(
            """
            cameras:
              desk: { device: "virtual:bars?size=64x48" }
              face: { device: "virtual:bars?size=64x48&lacks=gain,exposure_time_absolute", match: desk }
            """, seconds: 1)
        let warnings = recording.events.filter { $0.contains(#""warning""#) }
        #expect(warnings.count == 2)
        #expect(warnings.allSatisfy { $0.contains(#""track":"face""#) && $0.contains(#""at_ns":0"#) })
        #expect(
            warnings.contains {
                $0.contains("face: the camera has no gain control, so it cannot match the gain of desk (16).")
            })
        #expect(Self.controls("face", in: recording)["white_balance_automatic"]?.value == 0)
    }

    @Test("a profile's controls are set, read back, and listed in the manifest with their origin")
    func manifest() async throws {
        let recording = try await Recording(
            """
            cameras:
              desk:
                device: "virtual:bars?size=64x48"
                controls: { focus_absolute: 50, brightness: 20, focus_automatic_continuous: 0, power_line_frequency: "60 Hz" }
            """, seconds: 1)
        let desk = Self.controls("desk", in: recording)
        #expect(
            desk.mapValues(\.value) == [
                "focus_absolute": 50, "brightness": 20, "focus_automatic_continuous": 0,
                "power_line_frequency": 2,
            ])
        #expect(desk.values.allSatisfy { $0.origin == .asked && $0.refused == nil })
        try recording.checkSchema()
    }
}
