import Session
import Testing

@Suite("losses without tracks of their own")
struct ProgramLossTests {
    @Test("what a camera lost to the program stands in the program's ledger")
    func programOnly() async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?drop=0.1", size: 320x180, rate: 30 } }
            program: { size: 320x180, rate: 30, layout: single, main: a }
            """, seconds: 4)
        let frames = try #require(try recording.track("program").frames)
        #expect(frames.written == 120 && (frames.lost["bus"] ?? 0) > 3)
    }

    @Test("a copied H.264 camera that never returns is lost until the end")
    func goneForGood() async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?format=h264&unplug=1", size: 320x180, rate: 30, format: h264 } }
            """, seconds: 3)
        let frames = try #require(try recording.track("a").frames)
        #expect((58...62).contains(frames.lost["away"] ?? 0))
        #expect(recording.manifest.gaps.count == 1)
    }
}
