import MulticamMedia
import MulticamPlan
import MulticamSession
import MulticamSessionFolder
import MulticamVirtualDevices
import Testing

/// Tests recordings of synthetic cameras, which are read back by ffmpeg.
@Suite("Cropped, zoomed, and grayscale cameras")
struct FramingTests {
    /// Returns one plane (`y`, `u`, or `v`) of all frames of a file.
    private static func plane(_ path: String, _ name: Character) throws -> [UInt8] {
        [UInt8](
            try Reader.run(
                "ffmpeg",
                [
                    "-v", "error", "-i", path, "-map", "0:v:0", "-vf", "extractplanes=\(name)", "-f",
                    "rawvideo",
                    "-pix_fmt", "gray", "-",
                ]))
    }

    @Test(
        "an encoded track has the requested part of each frame, and half of the frames at half the rate"
    )
    func encodedParts() async throws {
        let recording = try await Recording(
            """
            cameras:
              whole: { device: "virtual:bars?seed=1", size: 1280x720, rate: 30 }
              part: { device: "virtual:bars?seed=1", size: 1280x720, rate: 30, crop: { x: 200, y: 100, width: 400, height: 300 } }
              near: { device: "virtual:bars?seed=1", size: 1280x720, rate: 30, zoom: 2, pan: 1, tilt: -1 }
              slow: { device: "virtual:clap", size: 1280x720, rate: 30, output: { size: 360x360, rate: 15 } }
            tracks: { cameras: encode, video: { quality: 1 } }
            """, seconds: 1)
        let whole = try Self.plane(recording.path("cameras/whole.mov"), "y")
        for (track, part) in [
            ("part", PixelRectangle(x: 200, y: 100, width: 400, height: 300)),
            ("near", PixelRectangle(x: 640, y: 360, width: 640, height: 360)),
        ] {
            let stream = try #require(try Reader.streams(recording.path("cameras/\(track).mov")).first)
            #expect(stream.width == part.width && stream.height == part.height && stream.frameCount == 30)
            let pixels = try Self.plane(recording.path("cameras/\(track).mov"), "y")
            var difference = 0
            for y in 0..<part.height {
                for x in 0..<part.width {
                    let there = whole[(part.y + y) * 1280 + part.x + x]
                    difference = max(difference, abs(Int(pixels[y * part.width + x]) - Int(there)))
                }
            }
            // Both files are encoded, which causes slight ringing at the edges of the bars.
            #expect(difference <= 12, "\(track)")
        }
        let slow = try #require(try Reader.streams(recording.path("cameras/slow.mov")).first)
        #expect(
            slow.width == 360 && slow.height == 360 && slow.frameCount == 15 && slow.r_frame_rate == "15/1")
        let counts = try #require(try recording.track("slow").frames)
        #expect(counts.written == 15 && counts.duplicated == 0 && counts.lost.isEmpty)
        #expect((14...15).contains(counts.decimated))
    }

    @Test(
        "a grayscale camera is encoded and shown in the program without any color"
    )
    func grey() async throws {
        let recording = try await Recording(
            """
            cameras:
              desk: { device: "virtual:bars", size: 640x360, rate: 30 }
              infra: { device: "virtual:clap?phase=0", format: grey, size: 640x360, rate: 30 }
            program: { size: 1280x360, rate: 30, layout: side-by-side, main: infra, inset: desk }
            tracks: { cameras: encode }
            """, seconds: 1)
        let path = recording.path("cameras/infra.mov")
        let stream = try #require(try Reader.streams(path).first)
        #expect(stream.codec_name == "h264" && stream.color_range == "pc" && stream.frameCount == 30)
        let strips = try Reader.strips(path, size: FrameSize(width: 640, height: 360)).compactMap {
            $0?.frame
        }
        #expect(strips.count == 30 && zip(strips, strips.dropFirst()).allSatisfy { $1 == $0 + 1 })
        for plane in ["u", "v"] as [Character] {
            #expect(try Self.plane(path, plane).allSatisfy { $0 == 128 })
        }
        let shown = try Reader.strips(
            recording.path("program.mp4"), size: FrameSize(width: 1280, height: 360),
            part: PixelRectangle(x: 0, y: 0, width: 640, height: 360))
        #expect(shown.count == 30 && shown.allSatisfy { $0 != nil })
        let device = try #require(recording.manifest.devices.first { $0.role == "infra" })
        #expect(device.format.pixel == "grey")
        try recording.checkSchema()
    }

    @Test(
        "a zoom while recording changes the program at one tick, keeps the track's full frame, and is in the manifest"
    )
    func live() async throws {
        let host = ControllerHost { session, look in
            let changes: [[SessionChange]] = [
                [], [.zoom(role: "desk", 7)], [.pan(role: "desk", 1)], [.zoom(role: "desk", 1)],
            ]
            guard changes.indices.contains(look), !changes[look].isEmpty else { return }
            do throws(SessionChangeError) {
                try session.apply(changes[look])
            } catch {
                Issue.record("\(error)")
            }
        }
        let recording = try await Recording(
            """
            cameras: { desk: { device: "virtual:bars", size: 640x360, rate: 30 } }
            program: { size: 640x360, rate: 30, layout: single, main: desk }
            tracks: { cameras: copy }
            """, seconds: 5, host: host, steer: host.attach)
        let changes = try #require(recording.manifest.changes)
        #expect(changes.map(\.changes) == [["zoom desk 7.0"], ["pan desk 1.0"], ["zoom desk 1.0"]])
        let size = FrameSize(width: 640, height: 360)
        let seen = try Reader.brightness(
            recording.path("program.mp4"), size: size,
            part: PixelRectangle(x: 20, y: 80, width: 600, height: 200))
        #expect(seen.count == 150)
        // One of seven bars is visible: first the middle one (green), then the last one (blue). The values
        // are BT.709 luma from 0 to 255.
        let (green, blue) = (137.0, 14.0)
        for (index, level) in seen.enumerated() {
            let passed = changes.count { $0.at_ns <= Int64(index) * 1_000_000_000 / 30 + 1_000_000 }
            let wanted = [seen[0], green, blue, seen[0]][passed]
            #expect(abs(level - wanted) < 4, "frame \(index): \(level)")
        }
        let track = try #require(try Reader.streams(recording.path("cameras/desk.mov")).first)
        #expect(track.width == 640 && track.height == 360 && track.frameCount == 150)
        #expect(recording.manifest.gaps.isEmpty)
    }
}
