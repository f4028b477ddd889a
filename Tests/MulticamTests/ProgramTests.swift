import MulticamMedia
import MulticamVirtualDevices
import Testing

@Suite("the program")
struct ProgramTests {
    private static let profile = """
        cameras:
          desk: { device: "virtual:clap", size: 640x360, rate: 30 }
          face: { device: "virtual:clap", size: 640x360, rate: 30 }
        microphones: { host: { device: "virtual:clap" } }
        program: { size: 1280x720, rate: 30, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
        """
    private let size = FrameSize(width: 1280, height: 720)
    // The inset has a quarter of the width. The margin from the corner is 1/50 of the width, rounded to an
    // even number.
    private let inset = PixelRectangle(x: 934, y: 514, width: 320, height: 180)

    @Test("pip: exact frame count, correct tags, gapless numbers in main and inset, claps in sync")
    func pip() async throws {
        let recording = try await Recording(Self.profile, seconds: 4)
        let path = recording.path("program.mp4")
        let streams = try Reader.streams(path)
        let video = try #require(streams.first { $0.codec_type == "video" })
        #expect(video.codec_name == "h264" && video.pix_fmt == "yuv420p" && video.r_frame_rate == "30/1")
        #expect(video.width == 1280 && video.height == 720 && video.frameCount == 120)
        #expect(video.color_range == "tv" && video.color_space == "bt709")
        #expect(video.color_primaries == "bt709" && video.color_transfer == "bt709")
        try expect(video, lasts: 4, within: 0.001)
        let audio = try #require(streams.first { $0.codec_type == "audio" })
        #expect(audio.codec_name == "aac" && audio.sample_rate == "48000")
        try expect(audio, lasts: 4, within: 0.034)

        for part in [PixelRectangle(x: 0, y: 0, width: 1280, height: 720), inset] {
            let strips = try Reader.strips(path, size: size, part: part)
            let frames = strips.compactMap { $0.map { Int($0.frame) } }
            #expect(frames.count == 120)
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $1 == $0 + 1 })
        }
        try expectClapsTogether(path)
    }

    private func expectClapsTogether(_ path: String) throws {
        let main = try Reader.brightness(
            path, size: size, part: PixelRectangle(x: 40, y: 80, width: 600, height: 300))
        let small = try Reader.brightness(
            path, size: size, part: PixelRectangle(x: inset.x + 20, y: inset.y + 30, width: 280, height: 100))
        func claps(_ brightness: [Double]) -> [Double] {
            brightness.indices.filter { brightness[$0] > 215 }.map { Double($0) / 30 }
        }
        let beeps = Reader.onsets(try Reader.audio(path)).map { Double($0) / 48_000 }
        #expect(claps(main).count == 4 && claps(small).count == 4 && beeps.count >= 4)
        for (a, b) in zip(claps(main), claps(small)) { #expect(abs(a - b) <= 1.01 / 30) }
        for clap in claps(main) { #expect(beeps.contains { abs($0 - clap) <= 1.01 / 30 }) }
    }

    @Test("75 % bars have the code values of BT.709")
    func colors() async throws {
        let recording = try await Recording(
            """
            cameras: { main: { device: "virtual:bars", size: 640x360, rate: 30 } }
            program: { size: 640x360, rate: 30, layout: single, main: main }
            """, seconds: 0.5)
        let planes = [UInt8](
            try Reader.run(
                "ffmpeg",
                [
                    "-v", "error", "-i", recording.path("program.mp4"), "-frames:v", "1", "-f", "rawvideo",
                    "-pix_fmt",
                    "yuv444p", "-",
                ]))
        // The bars are white, yellow, cyan, green, magenta, red, and blue at 75 % (ITU-R BT.709, limited
        // range).
        let expected = [
            (180, 128, 128), (168, 44, 136), (145, 147, 44), (134, 63, 52), (63, 193, 204), (51, 109, 212),
            (28, 212, 120),
        ]
        for (bar, codes) in expected.enumerated() {
            for (plane, code) in [codes.0, codes.1, codes.2].enumerated() {
                var sum = 0
                for row in 100..<110 {
                    for column in (bar * 640 / 7 + 20)..<(bar * 640 / 7 + 70) {
                        sum += Int(planes[plane * 640 * 360 + row * 640 + column])
                    }
                }
                #expect(abs(Double(sum) / 500 - Double(code)) <= 3, "bar \(bar), plane \(plane)")
            }
        }
    }

    @Test(
        "a rotated camera is upright in the program, and its track contains the rotation",
        arguments: [(90, -90), (180, 180), (270, 90)])
    func rotation(degrees: Int, shown: Int) async throws {
        let recording = try await Recording(
            """
            cameras: { face: { device: "virtual:clap?mount=\(degrees)", size: 640x360, rate: 30, rotation: \(degrees) } }
            program: { size: \(degrees == 180 ? "640x360" : "360x640"), rate: 30, layout: single, main: face }
            tracks: { cameras: copy, microphones: none }
            """, seconds: 1)
        let upright =
            degrees == 180 ? FrameSize(width: 640, height: 360) : FrameSize(width: 360, height: 640)
        let track = try #require(try Reader.streams(recording.path("cameras/face.mov")).first)
        #expect(track.rotation.map { ($0 - shown) % 360 } == 0)
        #expect(track.width == 640 && track.height == 360)
        #expect(try Reader.strips(recording.path("cameras/face.mov"), size: upright).allSatisfy { $0 != nil })
        #expect(try Reader.strips(recording.path("program.mp4"), size: upright).allSatisfy { $0 != nil })
    }

    @Test("side by side and grid show each camera at its position", arguments: ["side-by-side", "grid"])
    func layouts(layout: String) async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap", size: 640x360, rate: 30 }
              b: { device: "virtual:clap?phase=9", size: 640x360, rate: 30 }
            program: { size: 1280x720, rate: 30, layout: \(layout), main: a, inset: b, fit: contain }
            """, seconds: 0.5)
        for x in [0, 640] {
            let place = PixelRectangle(x: x, y: 180, width: 640, height: 360)
            let strips = try Reader.strips(recording.path("program.mp4"), size: size, part: place)
            #expect(strips.count == 15 && strips.allSatisfy { $0 != nil })
        }
    }
}
