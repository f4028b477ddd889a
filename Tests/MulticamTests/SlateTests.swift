import Foundation
import Media
import SessionFolder
import Testing

@Suite("slates in recordings")
struct SlateTests {
    @Test(
        "the track of a camera that is away names it, upright where players turn the frame",
        arguments: ["copy", "encode"], [0, 90, 180, 270])
    func upright(mode: String, rotation: Int) async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?unplug=0.3", size: 320x180, rate: 30, rotation: \(rotation) } }
            tracks: { cameras: \(mode) }
            """, seconds: 2)
        let frames = try #require(try recording.track("a").frames)
        #expect(frames.slate >= 20 && frames.written == 60)
        #expect(frames.captured - frames.skipped + frames.repeated + frames.slate == 60)
        let isTurned = rotation % 180 != 0
        let size = isTurned ? FrameSize(width: 180, height: 320) : FrameSize(width: 320, height: 180)
        func brightness(_ x: Int, _ y: Int) throws -> Double {
            let part = PixelRectangle(x: x, y: y, width: 8, height: 8)
            let all = try Reader.brightness(recording.path("cameras/a.mov"), size: size, part: part)
            return try #require(all.last)
        }
        // The panel lies across, so it is dark at the left of the middle, and the ground shows above it.
        #expect(try brightness(size.width / 2 - 56, size.height / 2 - 32) < 70)
        let ground = try brightness(size.width / 2 - 4, isTurned ? 80 : 24)
        #expect((115...140).contains(ground))
    }

    @Test("the program names each camera that is away in its own place, and the others go on")
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
        // Limited range: 16 + 219 · 0.15 is 49.
        #expect(try #require(shades.last) < 60)
        let frames = try #require(try recording.track("program").frames)
        #expect(frames.captured == 60 && frames.written == 60)
    }
}
