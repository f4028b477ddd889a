import Foundation
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamVirtualDevices
import Testing

@testable import MulticamControlRoom

@Suite("Frames and waveforms of finished recordings for the control room")
struct RecordedMediaTests {
    private static let size = FrameSize(width: 320, height: 180)

    /// A recording of more than two seconds that was split in the middle.
    private static func recording(_ files: String = "one-each") async throws -> Recording {
        let host = ControllerHost { session, look in if look == 1 { session.split() } }
        return try await Recording(
            """
            cameras:
              desk: { device: "virtual:clap?phase=0", size: 320x180, rate: 30 }
              face: { device: "virtual:clap?phase=5&format=h264", size: 320x180, rate: 30, format: h264 }
              side: { device: "virtual:clap?phase=0", size: 320x180, rate: 30, rotation: 90 }
            microphones: { host: { device: "virtual:clap" } }
            program: { size: 320x180, rate: 30, layout: single, main: desk, audio: { mix: [host] } }
            tracks: { cameras: copy, microphones: wav, files: \(files) }
            """, seconds: 2.5, host: host, steer: host.attach)
    }

    private static func media(_ recording: Recording) -> RecordedMedia {
        RecordedMedia(URL(fileURLWithPath: recording.folder).deletingLastPathComponent().path)
    }

    private static func request(_ content: RecordingRequest.Content) -> RecordingRequest {
        RecordingRequest(folder: "session", content: content)
    }

    /// Returns the code strip that ffmpeg decodes from the returned frame, and the frame's time.
    private static func shown(
        _ media: RecordedMedia, _ track: String, _ time: Int64, turned: Bool = false
    ) throws -> (strip: CodeStrip?, at: Int64) {
        let answer = media.response(to: request(.frame(track: track, at: time, width: 3840)))
        guard answer.status == 200, let bytes = answer.bytes else {
            Issue.record("\(track) at \(time): \(answer.status)")
            return (nil, 0)
        }
        #expect(answer.type == "image/jpeg")
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jpg")
        try bytes.write(to: file)
        defer { unlink(file.path) }
        let strips = try Reader.strips(file.path, size: size, turned: turned)
        #expect(strips.count == 1)
        return (strips.first ?? nil, Int64(answer.headers["X-At-Ns"] ?? "") ?? -1)
    }

    @Test(
        "a track's frame at a time matches its files, in any order, across parts, for JPEG and H.264",
        arguments: ["one-each", "one"])
    func frames(files: String) async throws {
        let recording = try await Self.recording(files)
        let media = Self.media(recording)
        let tick: Int64 = 1_000_000_000 / 30
        for name in ["desk", "program"] {
            let track = try recording.track(name)
            let parts = [track.file] + (track.parts ?? [])
            #expect(parts.count == 2, "\(name)")
            let strips = try parts.flatMap {
                try Reader.strips(recording.path($0), size: Self.size, stream: track.stream, turned: false)
            }
            #expect(strips.count == 75, "\(name)")
            for index in [0, 74, 1, 2, 3, 40, 39, 10, 50, 36, 35, 31, 30, 29, 28, 60] {
                let (strip, at) = try Self.shown(media, name, Int64(index) * tick + tick / 2)
                #expect(strip != nil && strip == strips[index], "\(name) \(index)")
                #expect((at - Int64(index) * tick).magnitude < 1_000_000, "\(name) \(index): \(at)")
            }
        }
        // A copied H.264 track shows the most recently captured frame.
        for index in [0, 70, 20, 21, 22, 33, 5] {
            let time = Int64(index) * tick + tick / 2
            let (strip, at) = try Self.shown(media, "face", time)
            #expect(at <= time && time - at <= tick + 1_000_000, "\(index): \(at)")
            #expect(strip != nil, "\(index)")
        }
    }

    @Test("a returned frame has its rotation and the requested width")
    func turned() async throws {
        let recording = try await Self.recording()
        let media = Self.media(recording)
        let answer = media.response(to: Self.request(.frame(track: "side", at: 0, width: 160)))
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jpg")
        try #require(answer.bytes).write(to: file)
        defer { unlink(file.path) }
        let told = String(
            decoding: try Reader.run(
                "ffprobe",
                ["-v", "error", "-show_entries", "stream=width,height:frame_tags=Orientation", file.path]),
            as: UTF8.self)
        #expect(told.contains("width=160") && told.contains("height=90"), "\(told)")
        #expect(told.contains("Orientation=") && told.contains("6"), "\(told)")
    }

    @Test("a waveform has the peaks of the audio, also across parts and for the program's mix")
    func waveform() async throws {
        let recording = try await Self.recording()
        let media = Self.media(recording)
        for name in ["host", "program"] {
            let answer = media.response(to: Self.request(.waveform(track: name, count: 25)))
            let told = try JSONDecoder().decode(
                [String: [Double]].self, from: answer.bytes ?? Data())["peaks", default: []]
            let track = try recording.track(name)
            // Put each part at its position. The program's audio consists of blocks, and two consecutive
            // parts may share one.
            var samples = [Float](repeating: 0, count: 120_000)
            let parts =
                [(track.file, Int64(0))] + (track.part_details ?? []).map { ($0.file, $0.first_ns) }
            for (file, start) in parts {
                let first = Int(start.rescaled(from: 1_000_000_000, to: 48_000))
                // In its downmix, ffmpeg preserves the power of two equal channels, which makes the result
                // louder than either channel.
                let factor: Float = name == "program" ? Float(0.5).squareRoot() : 1
                for (index, sample) in try Reader.audio(recording.path(file)).enumerated()
                where first + index < samples.count { samples[first + index] = sample * factor }
            }
            let length = samples.count / 25
            #expect(told.count == 25)
            for (index, peak) in told.enumerated() {
                let piece = samples[index * length..<(index + 1) * length]
                let wanted = Double(piece.map(\.magnitude).max() ?? 0)
                // An interval may end about a sample earlier or later, and ffmpeg's decoder differs slightly.
                #expect(abs(peak - wanted) < 0.05, "\(name) \(index): \(peak), not \(wanted)")
            }
            #expect(told.max() ?? 0 > 0.3, "\(name)")
        }
        #expect(media.response(to: Self.request(.waveform(track: "desk", count: 10))).status == 404)
    }

    @Test("missing content is refused with a sentence, and nothing outside the folder is read")
    func refused() async throws {
        let recording = try await Self.recording()
        let media = Self.media(recording)
        func status(_ content: RecordingRequest.Content, _ folder: String = "session") -> Int {
            media.response(to: RecordingRequest(folder: folder, content: content)).status
        }
        #expect(status(.frame(track: "guest", at: 0, width: 160)) == 404)
        #expect(status(.frame(track: "../desk", at: 0, width: 160)) == 404)
        #expect(status(.frame(track: "host", at: 0, width: 160)) == 404)
        #expect(status(.frame(track: "desk", at: 60_000_000_000, width: 160)) == 404)
        #expect(status(.frame(track: "desk", at: 0, width: 160), "..") == 404)
        #expect(status(.frame(track: "desk", at: 0, width: 160), "copies/../session") == 404)
        #expect(status(.frame(track: "desk", at: 0, width: 160), "other") == 404)
        // A recording that was received from elsewhere may contain links instead of files.
        let file = recording.path(try recording.track("desk").file)
        try FileManager.default.moveItem(atPath: file, toPath: file + ".away")
        try FileManager.default.createSymbolicLink(
            atPath: file, withDestinationPath: recording.path("program.mp4"))
        #expect(status(.frame(track: "desk", at: 0, width: 160)) == 404)
        // A running or interrupted recording isn't shown.
        var manifest = recording.manifest
        manifest.outcome = .recording
        try JSONText.pretty(manifest).write(to: URL(fileURLWithPath: recording.path("manifest.json")))
        #expect(status(.frame(track: "program", at: 0, width: 160)) == 409)
    }
}
