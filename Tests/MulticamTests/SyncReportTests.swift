import Foundation
import FoundationXML
import MulticamSessionFolder
import Testing

@Suite("The sync report")
struct SyncReportTests {
    @Test(
        "the drawing has the rate of every device and every gap, for any device name"
    )
    func drawing() async throws {
        let recording = try await Recording(
            """
            cameras:
              desk: { device: "virtual:clap?drift=180&jitter=4&unplug=4&replug=5", size: 320x180, rate: 30 }
              face: { device: "virtual:clap?drift=-40", size: 320x180, rate: 30 }
            microphones: { host: { device: "virtual:clap?drift=-200" } }
            tracks: { cameras: copy, microphones: wav }
            """, seconds: 12)
        let document = try XMLDocument(data: recording.bytes("report/sync.svg"))
        let root = try #require(document.rootElement())
        let words = root.elements(forName: "text").compactMap(\.stringValue)
        for role in ["desk", "face", "host"] { #expect(words.contains(role)) }
        let face = try #require(recording.manifest.devices.first { $0.role == "face" })
        #expect(words.contains { $0.contains("\(face.clock.ppm) ppm") })
        #expect(
            words.contains {
                $0.hasPrefix("Incomplete: camera desk is missing ") && $0.contains(" in a gap of 1")
            })
        // The page contains one line for each device, and the span of the gap.
        #expect(root.elements(forName: "polyline").count == 3)
        let text = String(decoding: try recording.bytes("report/sync.svg"), as: UTF8.self)
        #expect(text.contains("height=\"10\" fill=\"#8c1d0a\""))
        #expect(
            try !FileManager.default.contentsOfDirectory(atPath: recording.path("report")).contains {
                $0.hasSuffix(".new")
            })
    }
}
