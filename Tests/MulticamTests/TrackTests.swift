import Foundation
import MulticamInputs
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamVirtualDevices
import Testing

@Suite("separate tracks")
struct TrackTests {
    private let size = FrameSize(width: 320, height: 180)

    /// Evaluates a track's code strips. The result is the deviation of each frame from its tick (in a
    /// variable-rate track, from its time in the file), and the number of duplicates.
    private func measureErrors(_ recording: Recording, _ name: String) throws -> (
        frames: Int, worst: Double, atEnd: Double, repeats: Int, distinct: Int
    ) {
        let track = try recording.track(name)
        let rate = try #require(track.rate)
        let strips = try Reader.strips(recording.path(track.file), size: size)
        let times =
            track.variable_rate == true
            ? try Reader.times(recording.path(track.file)) : strips.indices.map { Double($0) / rate }
        try #require(times.count == strips.count)
        var atEnd = 0.0
        var (worst, repeats, last) = (0.0, 0, nil as UInt32?)
        var seen: Set<UInt32> = []
        for (tick, strip) in strips.enumerated() {
            let strip = try #require(strip, "\(name): frame \(tick) has no strip")
            let wanted = Double(recording.manifest.t0_monotonic_ns) / 1e9 + times[tick]
            let deviation = (Double(strip.time) / 1e4 - wanted).remainder(dividingBy: 1677.7216)
            atEnd = deviation
            // At T0, a variable-rate track shows the last frame before T0.
            if track.variable_rate != true || tick > 0 { worst = max(worst, abs(deviation)) }
            if strip.frame == last { repeats += 1 }
            last = strip.frame
            seen.insert(strip.frame)
        }
        return (strips.count, worst, atEnd, repeats, seen.count)
    }

    @Test("cameras of three rates with drift, jitter, and latency share a grid, with duplicates counted")
    func grid() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?drift=150&jitter=5&latency=80", size: 320x180, rate: 30 }
              b: { device: "virtual:clap?fps=29.97&drift=-80&jitter=5&latency=80", size: 320x180, rate: 30 }
              c: { device: "virtual:clap?fps=25&jitter=5&latency=80", size: 320x180, rate: 30 }
              d: { device: "virtual:clap?fps=25&jitter=5&latency=80", size: 320x180, rate: 25 }
            microphones:
              m: { device: "virtual:clap?drift=150" }
              n: { device: "virtual:clap?drift=-80&latency=80&jitter=5&rate=44100" }
            """, seconds: 30)
        for (name, cameraRate) in [("a", 30.0), ("b", 29.97), ("c", 25), ("d", 25)] {
            let track = try recording.track(name)
            let counts = try #require(track.frames)
            let judged = try measureErrors(recording, name)
            #expect(judged.frames == (name == "d" ? 750 : 900))
            #expect(judged.worst <= 0.55 / cameraRate + 0.0015, "\(name)")
            #expect(counts.written == judged.frames)
            #expect(counts.duplicated == judged.repeats)
            #expect(counts.captured - counts.decimated == judged.distinct)
            #expect(counts.lost.isEmpty && counts.slate == 0)
            let probed = try #require(try Reader.streams(recording.path(track.file)).first)
            #expect(probed.frameCount == judged.frames)
            try expect(
                probed, lasts: Double(judged.frames) / (name == "d" ? 25 : name == "b" ? 29.97 : 30),
                within: 0.04)
        }
        for name in ["m", "n"] {
            let samples = try Reader.audio(recording.path("audio/\(name).wav"))
            #expect(samples.count == 1_440_000)
            for onset in Reader.onsets(samples).dropFirst() {
                let time = Double(recording.manifest.t0_monotonic_ns) / 1e9 + Double(onset) / 48_000
                #expect(abs(time - time.rounded()) < 0.003)
            }
        }
    }

    @Test(
        "a fast camera and a microphone wait for a camera that delivers two seconds late, and lose nothing",
        arguments: [60, 120, 240])
    func far(rate: Int) async throws {
        let recording = try await Recording(
            """
            cameras:
              fast: { device: "virtual:bars?size=64x48&fps=\(rate)", rate: \(rate) }
              far: { device: "virtual:bars?size=64x48&latency=1850", rate: 30 }
            microphones: { host: { device: "virtual:clap" } }
            tracks: { cameras: copy, microphones: wav }
            """, seconds: 4)
        for (name, frames) in [("fast", 4 * rate), ("far", 120)] {
            let counts = try #require(try recording.track(name).frames)
            #expect(
                counts.written == frames && counts.duplicated == 0 && counts.lost.isEmpty,
                "\(name): \(counts)")
        }
        #expect(try recording.track("host").samples?.silence == 0)
    }

    @Test("a copied track contains the camera's exact bytes, also in duplicates")
    func bytes() async throws {
        let captured = Seen()
        let tap = FrameTap(role: "a", format: .asCaptured, capacity: 1000) { frame in
            captured.add(withExtendedLifetime(frame) { Data(frame.memory.bytes) })
        }
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?drop=0.1", size: 320x180, rate: 30 } }
            """, seconds: 2, frameTaps: [tap])
        let packets = try Reader.run(
            "ffmpeg",
            [
                "-v", "error", "-i", recording.path("cameras/a.mov"), "-c", "copy", "-f", "image2pipe", "-",
            ])
        let track = try #require(try recording.track("a").frames)
        let whole = captured.all.filter { packets.range(of: $0) != nil }
        #expect(track.written == 60 && track.lost["bus"] ?? 0 > 0)
        #expect(whole.count == track.captured)
        let hashes = try Reader.packetHashes(recording.path("cameras/a.mov"))
        #expect(hashes.count == 60)
        #expect(Set(hashes).count == track.captured)
    }

    @Test(
        "encoded tracks keep the camera's size and colors in every format",
        arguments: ["mjpeg", "yuyv", "nv12"])
    func encoded(format: String) async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?format=\(format)", size: 320x180, rate: 30, format: \(format) } }
            tracks: { cameras: encode, microphones: none }
            """, seconds: 1)
        let stream = try #require(try Reader.streams(recording.path("cameras/a.mov")).first)
        #expect(stream.codec_name == "h264" && stream.frameCount == 30)
        #expect(stream.color_range == (format == "mjpeg" ? "pc" : "tv"))
        let strips = try Reader.strips(recording.path("cameras/a.mov"), size: size).compactMap { $0 }
        #expect(strips.count == 30 && zip(strips, strips.dropFirst()).allSatisfy { $1.frame == $0.frame + 1 })
    }

    @Test("a copied H.264 track begins at T0, ends with the others, and is marked as variable-rate")
    func h264() async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?format=h264", size: 320x180, rate: 30, format: h264 } }
            tracks: { cameras: copy, microphones: none }
            """, seconds: 3)
        let track = try recording.track("a")
        let stream = try #require(try Reader.streams(recording.path("cameras/a.mov")).first)
        #expect(track.variable_rate == true && track.codec == "h264")
        try expect(stream, lasts: 3, within: 0.001)
        #expect(stream.frameCount == track.frames?.written)
        #expect(try measureErrors(recording, "a").worst < 0.0015)
    }

    @Test("a copied H.264 track of a camera faster than requested plays at its true speed")
    func fastH264() async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?format=h264&fps=60", size: 320x180, rate: 30, format: h264 } }
            tracks: { cameras: copy, microphones: none }
            """, seconds: 3)
        let stream = try #require(try Reader.streams(recording.path("cameras/a.mov")).first)
        try expect(stream, lasts: 3, within: 0.001)
        // The file contains the frames of three seconds, and the frame that is shown at T0.
        #expect(stream.frameCount == 181)
        #expect(try measureErrors(recording, "a").worst < 0.0015)
    }

    @Test(
        "a copied H.264 track of a fast or slow camera shows every frame at its capture time",
        arguments: [150, 20_000, 100_000, -20_000])
    func drivenH264(drift: Int) async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?format=h264&drift=\(drift)", size: 320x180, rate: 30, format: h264 }
            tracks: { cameras: copy, microphones: none }
            """, seconds: 6)
        let stream = try #require(try Reader.streams(recording.path("cameras/a.mov")).first)
        try expect(stream, lasts: 6, within: 0.001)
        let frames = try #require(recording.track("a").frames)
        #expect(stream.frameCount == frames.written && frames.written == frames.captured)
        // Once the clock model is known, frame times change, but no frame may count as lost.
        #expect(frames.lost.isEmpty, "\(frames.lost)")
        let interval = 1e6 / Double(1_000_000 + drift) / 30
        // The file contains the frames of six seconds, and the frame that is shown at T0.
        #expect(abs(Double(frames.written) - 1 - 6 / interval) <= 1)
        // The clock of such a camera isn't known at the beginning.
        let judged = try measureErrors(recording, "a")
        #expect(judged.worst < 1.0 / 30 && abs(judged.atEnd) < 0.0025, "\(judged.worst) s, \(judged.atEnd) s")
    }

    @Test(
        "a camera with a slow clock loses no frame when its clock becomes known", arguments: [30, 60],
        [-10_000, -20_000, -40_000])
    func slowClock(rate: Int, drift: Int) async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?drift=\(drift)&jitter=2", size: 160x90, rate: \(rate) } }
            tracks: { cameras: copy, microphones: none }
            """, seconds: 6)
        let frames = try #require(recording.track("a").frames)
        #expect(frames.lost.isEmpty, "\(frames.lost)")
    }

    @Test(
        "a track below one frame per second ends with the recording, at the requested time",
        arguments: ["1/5", "1/60"], ["copy", "encode"])
    func slow(rate: String, mode: String) async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap", size: 320x180, rate: 30, output: { rate: \(rate) } }
              b: { device: "virtual:clap", size: 320x180, rate: 30 }
            microphones: { m: { device: "virtual:clap" } }
            tracks: { cameras: \(mode), microphones: wav }
            """, seconds: 1.3)
        #expect(recording.manifest.duration_ns == 1_300_000_000)
        for (name, frames) in [("a", 1), ("b", 39)] {
            let stream = try #require(try Reader.streams(recording.path("cameras/\(name).mov")).first)
            try expect(stream, lasts: 1.3, within: 0.001)
            #expect(stream.frameCount == frames)
            #expect(try recording.track(name).frames?.written == frames)
            #expect(try recording.track(name).duration_ns == 1_300_000_000)
        }
        #expect(try Reader.audio(recording.path(recording.track("m").file)).count == 62_400)
    }

    @Test(
        "a track below one frame per second continues at its next tick, and ends with the other one between ticks"
    )
    func slowBeside() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap", size: 320x180, rate: 30 }
              b: { device: "virtual:clap", size: 320x180, rate: 30, output: { rate: 0.5 } }
            tracks: { cameras: copy, microphones: none }
            """, seconds: 5.1)
        for (name, frames) in [("a", 153), ("b", 3)] {
            let stream = try #require(try Reader.streams(recording.path("cameras/\(name).mov")).first)
            try expect(stream, lasts: 5.1, within: 0.001)
            #expect(stream.frameCount == frames)
        }
        #expect(try Reader.times(recording.path("cameras/b.mov")) == [0, 2, 4])
    }

    @Test("with a single file, every camera and microphone is a stream of session.mov")
    func oneFile() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap", size: 320x180, rate: 30 }
              b: { device: "virtual:clap", size: 320x180, rate: 30 }
            microphones: { m: { device: "virtual:clap" } }
            tracks: { cameras: copy, microphones: wav, files: one }
            """, seconds: 2)
        let streams = try Reader.streams(recording.path("session.mov"))
        #expect(streams.map(\.codec_type) == ["video", "video", "audio"])
        #expect(streams.filter { $0.codec_type == "video" }.allSatisfy { $0.frameCount == 60 })
        for stream in streams {
            try expect(stream, lasts: 2, within: 0.001)
        }
        #expect(recording.manifest.tracks.allSatisfy { $0.file == "session.mov" })
        #expect(recording.manifest.tracks.map(\.stream) == [0, 1, 2])
    }

    @Test("a split loses and duplicates nothing: frame numbers and samples continue, parts play from 0")
    func split() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap", size: 320x180, rate: 30 }
              b: { device: "virtual:clap", size: 320x180, rate: 30 }
            microphones: { m: { device: "virtual:clap" } }
            program: { size: 320x180, rate: 30, layout: single, main: a, audio: { mix: [m] } }
            tracks: { cameras: copy, microphones: wav }
            """, seconds: 4, steer: { $0.split() })
        for name in ["a", "b", "program"] {
            let track = try recording.track(name)
            let parts = [track.file] + (track.parts ?? [])
            #expect(parts.count == 2)
            var frames: [UInt32] = []
            for part in parts {
                frames += try Reader.strips(recording.path(part), size: size).compactMap { $0?.frame }
                for stream in try Reader.streams(recording.path(part)) {
                    let start = try #require(stream.start)
                    #expect(abs(start) < 0.001, "\(part)")
                }
            }
            #expect(
                frames.count == 120 && zip(frames, frames.dropFirst()).allSatisfy { $1 == $0 + 1 }, "\(name)")
        }
        let audio = try recording.track("m")
        let samples = try ([audio.file] + (audio.parts ?? [])).map { try Reader.audio(recording.path($0)) }
        #expect(samples.count == 2 && samples.map(\.count).reduce(0, +) == 192_000)
        let beeps = Reader.onsets(samples.flatMap { $0 })
        #expect(zip(beeps, beeps.dropFirst()).allSatisfy { abs($1 - $0 - 48_000) < 3 })
    }

    @Test("a split of a copied H.264 track between its key frames loses and duplicates no frame")
    func splitH264() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?format=h264", size: 320x180, rate: 30, format: h264 }
              b: { device: "virtual:clap", size: 320x180, rate: 30 }
            tracks: { cameras: copy, microphones: none }
            """, seconds: 4, steer: { $0.split() })
        #expect(recording.result.isStored)
        let track = try recording.track("a")
        let parts = [track.file] + (track.parts ?? [])
        #expect(parts.count == 2)
        let frames = try parts.map { part in
            try Reader.strips(recording.path(part), size: size).compactMap { $0?.frame }
        }
        let all = frames.flatMap { $0 }
        #expect(frames.allSatisfy { !$0.isEmpty } && all.count == track.frames?.written)
        #expect(zip(all, all.dropFirst()).allSatisfy { $1 == $0 + 1 })
        // The split isn't at a key frame, so the frames before the next one are in the first file.
        let split = try #require(track.part_details?.first?.first_ns)
        #expect(frames[0].count > Int(split * 30 / 1_000_000_000) + 1)
    }

    /// Bytes received from another thread.
    private final class Seen: Sendable {
        private let lock = BoundedQueue<Data>(capacity: 10_000)
        func add(_ data: Data) { _ = lock.tryEnqueue(data) }
        var all: [Data] {
            lock.finish()
            var result: [Data] = []
            while let next = lock.dequeue() { result.append(next) }
            return result
        }
    }
}
