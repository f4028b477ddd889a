import Foundation
import MulticamMedia
import MulticamSessionFolder
import Testing

@Suite("slates in recordings")
struct SlateTests {
    @Test(
        "the track of a disconnected camera shows its name, upright after the player's rotation",
        arguments: ["copy", "encode"], [0, 90, 180, 270])
    func upright(mode: String, rotation: Int) async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?unplug=0.3", size: 320x180, rate: 30, rotation: \(rotation) } }
            tracks: { cameras: \(mode) }
            """, seconds: 2)
        let frames = try #require(try recording.track("a").frames)
        #expect(frames.slate >= 20 && frames.written == 60)
        #expect(frames.captured - frames.decimated + frames.duplicated + frames.slate == 60)
        let isTurned = rotation % 180 != 0
        let size = isTurned ? FrameSize(width: 180, height: 320) : FrameSize(width: 320, height: 180)
        func brightness(_ x: Int, _ y: Int) throws -> Double {
            let part = PixelRectangle(x: x, y: y, width: 8, height: 8)
            let all = try Reader.brightness(recording.path("cameras/a.mov"), size: size, part: part)
            return try #require(all.last)
        }
        // The panel is wider than it is high, so it is dark to the left of the center, and the background is
        // visible above it.
        #expect(try brightness(size.width / 2 - 56, size.height / 2 - 32) < 70)
        let ground = try brightness(size.width / 2 - 4, isTurned ? 80 : 24)
        #expect((115...140).contains(ground))
    }

    @Test("the program shows a slate for each disconnected camera in its place, and the others continue")
    func program() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap", size: 640x360, rate: 30 }
              b: { device: "virtual:clap?unplug=0.3", size: 640x360, rate: 30 }
            program: { size: 640x360, rate: 30, layout: side-by-side, main: a, inset: b }
            """, seconds: 2)
        let path = recording.path("program.mp4")
        let size = FrameSize(width: 640, height: 360)
        let panel = PixelRectangle(x: 476, y: 100, width: 8, height: 8)
        let shades = try Reader.brightness(path, size: size, part: panel)
        #expect(shades.count == 60)
        // In limited range, the value is 16 + 219 · 0.15 = 49.
        #expect(try #require(shades.last) < 60)
        let frames = try #require(try recording.track("program").frames)
        #expect(frames.captured == 60 && frames.written == 60)
    }
}
