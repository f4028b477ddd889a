import Foundation
import MulticamInterchange
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamRendering
import MulticamSession
import MulticamSessionFolder
import MulticamSystem
import MulticamVirtualDevices
import Testing

@Suite("rendered programs")
struct RenderTests {
    private static let profile = """
        cameras:
          desk: { device: "virtual:clap?phase=7&drop=0.02&seed=4", size: 320x180, rate: 30 }
          face: { device: "virtual:clap?phase=21&drift=200", size: 320x180, rate: 30 }
        microphones:
          host: { device: "virtual:clap", gain: -3 }
          guest: { device: "virtual:tone?rate=44100", channels: 2 }
        program:
          size: 640x360
          rate: 30
          layout: pip
          main: desk
          inset: face
          scale: 0.5
          video: { preset: superfast, quality: 20 }
          audio: { mix: [host, guest] }
        tracks: { cameras: copy, microphones: wav }
        """
    private static let size = FrameSize(width: 640, height: 360)
    private static let inset = PixelRectangle(x: 308, y: 168, width: 320, height: 180)

    /// Applies one list of changes per second, beginning with second 1. A list that is `nil` sets a marker.
    private static func steering(_ changes: [[SessionChange]?]) -> @Sendable (MulticamSession, Int) -> Void {
        { session, look in
            guard changes.indices.contains(look - 1) else { return }
            guard let change = changes[look - 1] else {
                session.mark("question \(look)")
                return
            }
            do throws(SessionChangeError) {
                try session.apply(change)
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    private func record(
        _ changes: [[SessionChange]?], of profile: String = profile, seconds: Double = 7
    ) async throws -> Recording {
        let host = ControllerHost(Self.steering(changes))
        return try await Recording(profile, seconds: seconds, host: host, steer: host.attach)
    }

    /// Returns a renderer with the command's default options.
    private func renderer(
        _ recording: Recording, cut: Cut? = nil, sound: RenderedSound = RenderedSound(),
        size: FrameSize? = nil
    ) throws -> Renderer {
        let session = try RecordedSession(folder: recording.folder)
        let video = try #require(session.encoding)
        let picture = RenderedPicture(
            session, in: recording.folder, cut: cut ?? .live(of: session), size: size)
        return Renderer(
            session, in: recording.folder, picture: picture, sound: sound,
            video: VideoEncodingSettings(
                size: session.size, rate: session.rate, preset: video.preset, quality: video.quality))
    }

    /// Returns the SSIM of all frames of two files, measured by ffmpeg from the luma. A value of 1 means
    /// identical.
    private func likeness(_ one: String, _ other: String) throws -> Double {
        let log = one + ".ssim"
        try Reader.run(
            "ffmpeg",
            [
                "-v", "error", "-i", one, "-i", other, "-lavfi", "[0:v][1:v]ssim=stats_file=\(log)", "-f",
                "null",
                "-",
            ])
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        let values = lines.compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("Y:") }.flatMap { Double($0.dropFirst(2)) }
        }
        try #require(!values.isEmpty)
        return values.reduce(1, min)
    }

    private func numbers(_ path: String, _ part: PixelRectangle? = nil) throws -> [UInt32?] {
        try Reader.strips(path, size: Self.size, part: part).map { $0.map { UInt32($0.frame) } }
    }

    @Test("a render of the live cut matches the program: every frame at its tick, with the same audio")
    func live() async throws {
        let recording = try await record(
            [
                [.layout(.sideBySide)], [.gain(role: "host", decibels: -12)], nil, [.swap(with: nil)],
                [.layout(.pip)],
            ])
        let (program, path) = (recording.path("program.mp4"), recording.path("edit/again.mp4"))
        try FileManager.default.createDirectory(
            atPath: recording.path("edit"), withIntermediateDirectories: true)
        let outcome = try renderer(recording).run(to: path)
        #expect(outcome.faults.isEmpty)
        for part in [nil, Self.inset] as [PixelRectangle?] {
            let (again, first) = (try numbers(path, part), try numbers(program, part))
            #expect(again == first && again.count == 210)
            #expect(again.contains { $0 != nil })
        }
        #expect(try likeness(path, program) >= 0.999)
        let (again, first) = (try Reader.audio(path), try Reader.audio(program))
        #expect(again.count == first.count)
        let worst = zip(again, first).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
        #expect(worst < 0.004)
    }

    @Test(
        "a render filters the audio as the program did, and without the filters contains the captured audio")
    func processing() async throws {
        let quiet = "processing: { preset: voice, makeup: 12 }"
        let recording = try await record(
            [
                [.processing(role: "host", SoundProcessing(.voiceNoisyRoom))],
                [.processing(role: "program", SoundProcessing(.music))], [.gain(role: "guest", decibels: -6)],
                [.processing(role: "host", .off)],
            ], of: Self.profile.replacingOccurrences(of: "gain: -3", with: "gain: -3, \(quiet)"))
        let arrangements = try RecordedSession(folder: recording.folder).arrangements
        #expect(
            arrangements.first?.processing?["host"]?.words == [
                "off", "high_pass=80", "de_esser=0.3", "threshold=-24", "ratio=3", "makeup=12", "bass=-1",
                "presence=2", "limit=-1",
            ])
        #expect(arrangements.last?.processing == ["program": SoundProcessing(.music)])
        try FileManager.default.createDirectory(
            atPath: recording.path("edit"), withIntermediateDirectories: true)
        func difference(_ processing: [String: SoundProcessing]?, _ name: String) throws -> Float {
            let path = recording.path("edit/\(name).mp4")
            _ = try renderer(recording, sound: RenderedSound(processing: processing)).run(to: path)
            let (again, first) = (try Reader.audio(path), try Reader.audio(recording.path("program.mp4")))
            #expect(again.count == first.count)
            return zip(again, first).reduce(0) { max($0, abs($1.0 - $1.1)) }
        }
        #expect(try difference(nil, "again") < 0.004)
        #expect(try difference([:], "plain") > 0.05)
    }

    @Test("a render shows each motion of automatic framing as the program did")
    func framed() async throws {
        let framed =
            "virtual:clap?phase=7\", size: 320x180, rate: 30, framing: { follow: people, enlargement: 4 }"
        let profile = Self.profile.replacingOccurrences(
            of: "virtual:clap?phase=7&drop=0.02&seed=4\", size: 320x180, rate: 30", with: framed)
        let host = ControllerHost { session, look in
            // The second motion begins before the first one has ended.
            guard (1...2).contains(look) else { return }
            let motion = FramingMotion(
                from: session.now.nanoseconds, duration: .milliseconds(1500),
                x: .init(from: .init(place: 0.5), to: look == 1 ? 0.4 : 0.6, seconds: 1.5),
                y: .init(constant: 0.5), height: .init(from: .init(place: 1), to: 0.6, seconds: 1.5),
                ratio: 16.0 / 9, bounds: .whole)
            let isAccepted = session.setMotion(motion, of: "desk")
            #expect(isAccepted)
        }
        let recording = try await Recording(profile, seconds: 5, host: host, steer: host.attach)
        let session = try RecordedSession(folder: recording.folder)
        #expect(session.arrangements.count == 3)
        #expect(Cut.live(of: session).shots.count == 1)
        let path = recording.path("edit/again.mp4")
        try FileManager.default.createDirectory(
            atPath: recording.path("edit"), withIntermediateDirectories: true)
        let outcome = try renderer(recording).run(to: path)
        #expect(outcome.faults.isEmpty)
        #expect(try likeness(path, recording.path("program.mp4")) >= 0.995)
    }

    @Test("a render has the same bytes on every run, with one processor or many")
    func same() async throws {
        let recording = try await record([[.layout(.grid)], nil])
        var renderer = try renderer(recording)
        var files: [Data] = []
        renderer.keyFramesInSegment = 1
        for (index, processors) in [1, 6, 6].enumerated() {
            renderer.processorCount = processors
            let path = try Renderer.nextFile(in: recording.folder).path
            #expect(path == "\(recording.folder)/edit/render-\(index + 1).mp4")
            _ = try renderer.run(to: path)
            files.append(try Data(contentsOf: URL(fileURLWithPath: path)))
        }
        #expect(files[0] == files[1] && files[1] == files[2])
        let path = recording.path("edit/render-1.mp4")
        #expect(try numbers(path) == numbers(recording.path("program.mp4")))
        #expect(try likeness(path, recording.path("program.mp4")) >= 0.99)
    }

    @Test("a render of copied H.264 with capture times, and of parts after a split, matches the program")
    func streams() async throws {
        let profile = Self.profile.replacingOccurrences(
            of: "size: 320x180, rate: 30 }", with: "size: 320x180, rate: 30, format: h264 }")
        let host = ControllerHost { session, look in if look == 3 { session.split() } }
        let recording = try await Recording(profile, seconds: 6, host: host, steer: host.attach)
        let parts = recording.manifest.tracks.filter { $0.parts != nil }
        #expect(parts.count >= 4)
        let path = try Renderer.nextFile(in: recording.folder).path
        let outcome = try renderer(recording).run(to: path)
        #expect(outcome.faults.isEmpty)
        let again = try numbers(path)
        let first = try numbers(recording.path("program.mp4")) + numbers(recording.path("program-2.mp4"))
        #expect(again.count == 180 && first.count == 180)
        for (tick, frames) in zip(again, first).enumerated() {
            #expect(frames.0 == frames.1, "tick \(tick)")
        }
    }

    @Test("a render has slates for disconnected cameras and silence for a disconnected microphone")
    func slates() async throws {
        let profile = Self.profile.replacingOccurrences(
            of: "phase=21&drift=200", with: "phase=21&unplug=1&replug=4.5")
        let recording = try await record([], of: profile)
        let path = try Renderer.nextFile(in: recording.folder).path
        _ = try renderer(recording).run(to: path)
        let (again, first) = (
            try numbers(path, Self.inset), try numbers(recording.path("program.mp4"), Self.inset)
        )
        #expect(again == first)
        #expect(again.contains(nil))
        #expect(try likeness(path, recording.path("program.mp4")) >= 0.99)
    }

    @Test("a render has the requested loudness, with headroom above its peaks")
    func loudness() async throws {
        let recording = try await record([], seconds: 6)
        for target in [-23.0, -14.0] {
            let path = try Renderer.nextFile(in: recording.folder).path
            _ = try renderer(recording, sound: RenderedSound(loudness: target)).run(to: path)
            let (integrated, peak) = try Self.measure(path)
            #expect(abs(integrated - target) <= 0.3)
            #expect(peak <= -0.9)
        }
    }

    /// Returns the integrated loudness and the true peak, measured by ffmpeg.
    private static func measure(_ path: String) throws -> (integrated: Double, peak: Double) {
        let output = try Reader.run(
            "sh",
            [
                "-c",
                "ffmpeg -hide_banner -nostats -i \"$0\" -map 0:a -af ebur128=peak=true -f null - 2>&1",
                path,
            ])
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        func number(_ name: String) -> Double? {
            lines.last { $0.hasPrefix(name) }.flatMap {
                $0.dropFirst(name.count).split(separator: " ").first.flatMap { Double($0) }
            }
        }
        return (try #require(number("I:")), try #require(number("Peak:")))
    }

    @Test(
        "a partial render has the given range, chapters, title, and cover; the program has its markers as chapters"
    )
    func part() async throws {
        let recording = try await record([nil, nil, [.layout(.single)], nil])
        let markers = recording.manifest.markers.map { Double($0.at_ns) / 1e9 }
        #expect(markers.count == 3)
        let chapters = try Self.chapters(recording.path("program.mp4"))
        #expect(chapters.map(\.title) == ["Beginning", "question 1", "question 2", "question 4"])
        for (chapter, marker) in zip(chapters.dropFirst(), markers) {
            #expect(abs(chapter.start - marker) < 0.001)
        }
        #expect(try Reader.streams(recording.path("program.mp4")).map(\.frameCount).first == 210)

        var renderer = try renderer(recording, size: FrameSize(width: 180, height: 320))
        renderer.ticks = 75..<180
        renderer.title = "An evening"
        let path = try Renderer.nextFile(in: recording.folder).path
        _ = try renderer.run(to: path)
        let found = try Self.chapters(path)
        #expect(found.map(\.title) == ["question 2", "question 4"])
        #expect(found[0].start == 0 && abs(found[1].start - (markers[2] - 2.5)) < 0.001)
        let streams = try Reader.streams(path)
        let video = try #require(streams.first { $0.codec_type == "video" && $0.codec_name == "h264" })
        #expect(video.frameCount == 105 && video.width == 180 && video.height == 320)
        #expect(streams.contains { $0.codec_name == "mjpeg" })
        let audio = try #require(streams.first { $0.codec_type == "audio" })
        try expect(audio, lasts: 3.5, within: 0.001)
    }

    @Test(
        "with a title in the profile, the program has title, date, and a cover frame, and the same frames")
    func cover() async throws {
        let plain = try await record([], seconds: 3)
        let titled = try await record([], of: "title: An evening\n" + Self.profile, seconds: 3)
        let path = titled.path("program.mp4")
        #expect(try Reader.streams(plain.path("program.mp4")).count == 2)
        let streams = try Reader.streams(path)
        #expect(streams.map(\.codec_name) == ["h264", "aac", "mjpeg"])
        #expect(streams.last?.width == 640 && streams.last?.height == 360)
        #expect(try numbers(path) == numbers(plain.path("program.mp4")))
        let told = String(
            decoding: try Reader.run("ffprobe", ["-v", "error", "-show_entries", "format_tags", path]),
            as: UTF8.self)
        #expect(told.contains("TAG:title=An evening"), "\(told)")
        #expect(told.contains("TAG:date=\(titled.manifest.started.prefix(10))"), "\(told)")
        let shown = try Reader.strips(path, size: Self.size, stream: 1)
        // The result is the frame at one second, which is the earlier one of the candidates at 1 s and 2 s.
        #expect(shown.map { $0.map { UInt32($0.frame) } } == [try numbers(path)[30]])
        let verification = try FolderVerification(folder: titled.folder)
        #expect(verification.files.allSatisfy { verification.verdict($0) == .intact })
    }

    private struct Chapter {
        let start: Double
        let title: String
    }

    private static func chapters(_ path: String) throws -> [Chapter] {
        struct Found: Decodable {
            struct Chapter: Decodable {
                let start_time: String
                let tags: [String: String]?
            }
            let chapters: [Chapter]
        }
        let output = try Reader.run("ffprobe", ["-v", "error", "-show_chapters", "-of", "json", path])
        return try JSONDecoder().decode(Found.self, from: output).chapters.map {
            Chapter(start: try #require(Double($0.start_time)), title: $0.tags?["title"] ?? "")
        }
    }

    @Test("a render omits missing files, reports them, and leaves no file behind when stopped")
    func missing() async throws {
        let recording = try await record([], seconds: 2)
        try FileManager.default.removeItem(atPath: recording.path("cameras/face.mov"))
        try FileManager.default.removeItem(atPath: recording.path("audio/host.wav"))
        let session = try RecordedSession(folder: recording.folder)
        #expect(session.problems.joined().contains("cameras/face.mov"))
        let path = try Renderer.nextFile(in: recording.folder).path
        let made = try renderer(recording)
        #expect(made.picture?.problems.joined().contains("face") == true)
        _ = try made.run(to: path)
        #expect(try numbers(path).count == 60)

        let progress = RenderProgress()
        progress.cancellation.cancel()
        #expect(throws: RenderError.self) {
            try made.run(to: try Renderer.nextFile(in: recording.folder).path, progress: progress)
        }
        let error = #expect(throws: RenderError.self) { try made.run(to: path) }
        #expect(error?.description.contains("already exists") == true)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: recording.path("edit")) == ["render-1.mp4"])
    }

    @Test("a recording also has proxies of its cameras, a podcast, and a contact sheet")
    func companions() async throws {
        let profile = Self.profile.replacingOccurrences(
            of: "size: 320x180, rate: 30 }", with: "size: 1280x720, rate: 30, rotation: 90 }")
        let recording = try await record([nil], of: profile, seconds: 2)
        let session = try RecordedSession(folder: recording.folder)
        #expect(try Proxies(of: session, in: recording.folder).run().isEmpty)
        for role in ["desk", "face"] {
            let (copy, own) = (
                try #require(try Reader.streams(recording.path("edit/proxies/\(role).mov")).first),
                try #require(try Reader.streams(recording.path("cameras/\(role).mov")).first)
            )
            #expect(copy.frameCount == own.frameCount && copy.rotation == own.rotation)
            #expect(copy.width == 960 && copy.height == 540)
        }
        let podcast = try Podcast.write(session, in: recording.folder)
        #expect(abs(try Self.measure(podcast.path).integrated + 16) <= 0.3)
        #expect(try Self.chapters(podcast.path).map(\.title) == ["Beginning", "question 1"])
        let page = try ContactSheet(of: session, in: recording.folder, cut: .live(of: session)).write()
        let text = try String(contentsOfFile: page, encoding: .utf8)
        #expect(text.contains("question 1") && text.contains("desk"))
        #expect(text.components(separatedBy: "data:image/jpeg;base64,").count == 1 + 2 * 2)
    }
}
