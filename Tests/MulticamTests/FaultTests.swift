import Foundation
import MulticamInputs
import MulticamMedia
import MulticamMonitoring
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamTiming
import MulticamVirtualDevices
import Testing

@Suite("faults while recording")
struct FaultTests {
    private let size = FrameSize(width: 320, height: 180)

    @Test("lost and damaged frames are counted with their cause, and a copied track contains only whole ones")
    func losses() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?drop=0.1", size: 320x180, rate: 30 }
              b: { device: "virtual:clap?corrupt=0.1", size: 320x180, rate: 30 }
              c: { device: "virtual:clap", size: 320x180, rate: 30 }
            """, seconds: 10)
        for (name, cause) in [("a", "bus"), ("b", "corrupt")] {
            let counts = try #require(try recording.track(name).frames)
            #expect(counts.written == 300)
            #expect(counts.lost.keys.sorted() == [cause])
            // The frames missing in the strips match the ledger.
            let frames = try Reader.strips(recording.path("cameras/\(name).mov"), size: size).compactMap {
                $0?.frame
            }
            #expect(frames.count == 300)
            let first = try #require(frames.first)
            let last = try #require(frames.last)
            // A loss within half an interval before the first or after the last tick isn't visible in the
            // strips.
            let missing = Int(last - first) + 1 - Set(frames).count
            #expect(((counts.lost[cause] ?? 0) - 1...(counts.lost[cause] ?? 0)).contains(missing))
            try Reader.run(
                "ffmpeg",
                ["-v", "error", "-xerror", "-i", recording.path("cameras/\(name).mov"), "-f", "null", "-"])
        }
        #expect(try recording.track("c").frames?.lost.isEmpty == true)
        #expect(
            recording.events.contains {
                $0.contains("\"event\":\"drop\"") && $0.contains("\"cause\":\"bus\"")
            })
    }

    @Test(
        "the first key frame of an H.264 camera joined in mid-stream is awaited for a limited time"
    )
    func midStream() async throws {
        let profile = """
            cameras: { a: { device: "virtual:clap?format=h264", size: 160x90, rate: 30, format: h264 } }
            tracks: { cameras: copy }
            """
        func record(keyless: Int64, as selector: String? = nil) async throws -> Recording {
            try await Recording(profile, seconds: 1) { setup in
                if let camera = setup.cameras["a"] {
                    setup.cameras["a"] = MidStreamCamera(camera, keyless: keyless, selector: selector)
                }
            }
        }
        #expect(try await record(keyless: 70).track("a").frames?.lost.isEmpty == true)
        do {
            _ = try await record(keyless: .max)
            Issue.record("a stream without a key frame was recorded")
        } catch {
            #expect(
                "\(error)".contains("the camera sent no key frame within 10 s. Reconnect the camera"),
                "\(error)")
        }
        do {
            _ = try await record(keyless: .max, as: "srt://127.0.0.1:9000")
            Issue.record("a network stream without a key frame was recorded")
        } catch {
            #expect("\(error)".contains("Set a shorter key frame interval (GOP) in the camera"), "\(error)")
        }
    }

    @Test(
        "a camera that is disconnected and returns has a gap of that length, and other tracks are unaffected")
    func unplug() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?unplug=2&replug=5", size: 320x180, rate: 30 }
              b: { device: "virtual:clap", size: 320x180, rate: 30 }
              c: { device: "virtual:clap?unplug=4", size: 320x180, rate: 30 }
            """, seconds: 7)
        let a = try #require(try recording.track("a").frames)
        #expect(a.written == 210 && a.captured - a.decimated + a.duplicated + a.slate == 210)
        #expect(abs((a.lost["disconnected"] ?? 0) - 90) <= 2)
        #expect(abs(a.slate - 60) <= 2)
        let gap = try #require(recording.manifest.gaps.first { $0.track == "a" })
        #expect(abs(gap.from.nanoseconds - 2_000_000_000) < 67_000_000)
        #expect(abs(gap.to.nanoseconds - 5_000_000_000) < 67_000_000)
        let c = try #require(try recording.track("c").frames)
        #expect(c.written == 210 && abs((c.lost["disconnected"] ?? 0) - 90) <= 2)
        #expect(try recording.track("b").frames?.captured == 210)
        // After the camera is reconnected, frames are at their correct ticks.
        let strips = try Reader.strips(recording.path("cameras/a.mov"), size: size)
        for tick in 160..<210 {
            let strip = try #require(strips[tick])
            let wanted = Double(recording.manifest.t0_monotonic_ns) / 1e9 + Double(tick) / 30
            #expect(
                abs((Double(strip.time) / 1e4 - wanted).remainder(dividingBy: 1677.7216)) < 0.55 / 30 + 0.0015
            )
        }
        #expect(recording.events.filter { $0.contains("\"event\":\"device-lost\"") }.count == 2)
        #expect(recording.events.filter { $0.contains("\"event\":\"device-restored\"") }.count == 1)
    }

    @Test("a disconnected microphone leaves silence of the same length, and is in sync after its return")
    func microphone() async throws {
        let recording = try await Recording(
            """
            microphones:
              m: { device: "virtual:clap?unplug=2.3&replug=4.6" }
              n: { device: "virtual:tone?drop=0.05" }
            """, seconds: 8)
        let m = try #require(try recording.track("m").samples)
        #expect(m.written == 384_000 && abs(m.silence - 110_400) < 2400)
        let audio = try Reader.audio(recording.path("audio/m.wav"))
        #expect(audio.count == 384_000)
        for onset in Reader.onsets(audio).dropFirst() {
            let time = Double(recording.manifest.t0_monotonic_ns) / 1e9 + Double(onset) / 48_000
            #expect(abs(time - time.rounded()) < 0.002)
        }
        let n = try #require(try recording.track("n").samples)
        #expect(n.written == 384_000 && n.captured + n.silence == 384_000 && n.silence > 4800)
    }

    @Test("the ticks of a stalled camera are filled, and its gap is reported")
    func stall() async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?stall=1:1.5", size: 320x180, rate: 30 } }
            """, seconds: 4)
        let a = try #require(try recording.track("a").frames)
        #expect(a.written == 120 && abs((a.lost["disconnected"] ?? 0) - 45) <= 2)
        #expect(a.duplicated + a.slate == 120 - a.captured)
        let gap = try #require(recording.manifest.gaps.first { $0.track == "a" })
        #expect(recording.manifest.gaps.count(where: { $0.track == "a" }) == 1 && gap.cause == "silent")
        #expect(abs(gap.from.nanoseconds - 1_000_000_000) < 70_000_000)
        #expect(abs(gap.to.nanoseconds - 2_500_000_000) < 70_000_000)
    }

    @Test(
        "a camera that hangs without reporting it causes one event when it stops and one when it returns",
        arguments: [
            (keys: "stall=1:2.5", since: 1.0, cause: "silent", back: 3.5 as Double?),
            // The driver reports the outage after the silence has been detected.
            (keys: "stall=1:3.5&unplug=3&replug=4", since: 1.0, cause: "silent", back: 4.0),
            (keys: "unplug=1&replug=3", since: 1.0, cause: "unplugged", back: 3.0),
            (keys: "stall=1:3600", since: 1.0, cause: "silent", back: nil),
            (keys: "stall=1:3600&format=h264", since: 1.0, cause: "silent", back: nil),
            (keys: "fps=0.5&stall=1:8", since: 1.0, cause: "silent", back: 9.0),
        ])
    func silence(keys: String, since: Double, cause: String, back: Double?) async throws {
        let isSlow = keys.hasPrefix("fps")
        let recording = try await Recording(
            "cameras: { a: { device: \"virtual:clap?\(keys)\", size: 160x90\(isSlow ? "" : ", rate: 30") } }",
            seconds: isSlow ? 14 : 6)
        struct Line: Decodable {
            let event: String
            let at_ns: Int64
            let track: String?
            let cause: String?
        }
        let lines = try recording.events.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        let lost = lines.filter { $0.event == SessionEvent.Name.deviceLost.rawValue && $0.track == "a" }
        let restored = lines.filter {
            $0.event == SessionEvent.Name.deviceRestored.rawValue && $0.track == "a"
        }
        let tolerance = isSlow ? 2.1 : 0.1
        #expect(lost.map(\.cause) == [cause])
        // The reason that the driver gives later is reported without another device-lost event.
        let reasons = recording.events.filter {
            $0.contains("\"warning\"") && $0.contains("disconnected: unplugged")
        }
        #expect(reasons.count == (keys.contains("stall") && keys.contains("unplug") ? 1 : 0))
        #expect(lost.allSatisfy { abs(Double($0.at_ns) / 1e9 - since) < tolerance }, "\(lost)")
        #expect(restored.count == (back == nil ? 0 : 1))
        #expect(restored.allSatisfy { abs(Double($0.at_ns) / 1e9 - (back ?? 0)) < tolerance }, "\(restored)")
    }

    @Test("a short stall and a camera with one frame per 5 s don't count as outages")
    func noSilence() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?stall=1:0.8,3:0.9", size: 160x90, rate: 30 }
              b: { device: "virtual:clap?fps=0.2", size: 160x90 }
            """, seconds: 12)
        #expect(!recording.events.contains { $0.contains("\"silent\"") })
    }

    @Test("frames that a camera announces but doesn't deliver are lost", arguments: ["mjpeg", "h264"])
    func slowerThanAnnounced(format: String) async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?fps=30&actual_fps=20&format=\(format)", size: 160x90, format: \(format) }
            tracks: { cameras: copy }
            """, seconds: 10)
        let frames = try #require(try recording.track("a").frames)
        #expect((199...201).contains(frames.captured), "\(frames)")
        #expect(abs(frames.lost.values.reduce(0, +) - 100) <= 3, "\(frames)")
    }

    @Test("a stalled microphone is reported by name while it stalls")
    func stalledMicrophone() async throws {
        let seen = ConditionLock<SessionStatus.Microphone?>(nil)
        let host = ControllerHost { session, look in
            if look == 4 { seen.withLock { $0 = session.status.microphones.first } }
        }
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap", size: 320x180, rate: 30 } }
            microphones: { host: { device: "virtual:tone?stall=1:3" } }
            """, seconds: 6, host: host, steer: host.attach)
        let told = try #require(seen.withLock { $0 })
        #expect(told.alarms == [.noSignal] && told.level == AudioLevel())
        #expect(told.missing > .seconds(2) && told.missing < .seconds(3))
        let alarms = recording.events.filter { $0.contains("no-signal") }
        #expect(alarms.count == 2, "\(recording.events)")
        let gaps = recording.manifest.gaps
        let gap = try #require(gaps.first)
        #expect(gaps.count == 1 && gap.track == "host" && gap.cause == "silent", "\(gaps)")
        #expect(abs(gap.to.nanoseconds - gap.from.nanoseconds - 3_000_000_000) < 70_000_000)
        #expect(recording.events.contains { $0.contains("the device was disconnected or delivered no data") })
    }

    @Test("if a camera never delivers, the start fails with an error that names it, and leaves no folder")
    func silent() async throws {
        let scratch = FileManager.default.temporaryDirectory.appending(
            path: "multicam-silent-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let profile = scratch.appending(path: "silent.yaml")
        try "cameras: { a: { device: \"virtual:clap?drop=1\", size: 320x180 } }".write(
            to: profile, atomically: true, encoding: .utf8)
        let session = MulticamSession(
            try SessionSetup(SessionConfiguration(profile: profile.path)),
            RecordingOptions(parentFolder: scratch.path, version: "0.0.0"), clock: SimulatedClock())
        let error = await #expect(throws: RecordingError.self) { _ = try await session.record() }
        #expect(error?.description.contains("camera a") == true)
        #expect(error?.description.contains("within 10 s") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["silent.yaml"])
        try FileManager.default.removeItem(at: scratch)
    }

    @Test(
        "only losses above the profile's limit are reported",
        arguments: [(0.02, 1), (0.5, 0)])
    func limits(limit: Double, sentences: Int) async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?drop=0.1", size: 320x180, rate: 30 } }
            limits: { lost_frames: \(limit) }
            """, seconds: 3)
        #expect(recording.result.exceededLimits.count == sentences)
    }

    @Test("the same seed produces identical manifests, events, and files")
    func repeatable() async throws {
        let profile = """
            cameras:
              a: { device: "virtual:clap?drop=0.05&jitter=4&drift=100&seed=7", size: 320x180, rate: 30 }
              b: { device: "virtual:clap?corrupt=0.05&unplug=1&replug=2.2&seed=7", size: 320x180, rate: 25 }
            microphones: { m: { device: "virtual:clap?drop=0.02&jitter=1&seed=7" } }
            program: { size: 320x180, rate: 30, layout: pip, main: a, inset: b, audio: { mix: [m] } }
            tracks: { cameras: copy, microphones: wav, metadata: ndjson }
            """
        let (one, two) = (try await Recording(profile, seconds: 4), try await Recording(profile, seconds: 4))
        for file in [
            "cameras/a.mov", "cameras/b.mov", "cameras/a.ndjson", "cameras/b.ndjson",
            "audio/m.wav",
        ] {
            #expect(try one.bytes(file) == two.bytes(file), "\(file)")
        }
        #expect(
            try withoutProgramFile(one.bytes("manifest.json"))
                == withoutProgramFile(two.bytes("manifest.json")))
        // The first event contains the folder's path.
        #expect(one.events.dropFirst() == two.events.dropFirst())
    }

    /// Returns a manifest without the size and checksum of the program's file. Two encoders produce the
    /// file's frames and audio, and their order in the file is not deterministic.
    private func withoutProgramFile(_ bytes: some Collection<UInt8>) throws -> Data {
        var manifest = try #require(
            try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: any Sendable])
        let files = try #require(manifest["files"] as? [[String: any Sendable]])
        #expect(files.count == 4)
        manifest["files"] = files.filter { $0["file"] as? String != "program.mp4" }
        return try JSONSerialization.data(withJSONObject: manifest, options: .sortedKeys)
    }

    @Test("the manifest matches its schema in all cases")
    func schema() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?drop=0.05&unplug=1&replug=2", size: 320x180, rate: 30, rotation: 90 }
              b: { device: "virtual:clap?format=h264", size: 320x180, rate: 30, format: h264 }
            microphones: { m: { device: "virtual:clap" } }
            program: { size: 320x180, rate: 30, layout: single, main: a, audio: { mix: [m] } }
            tracks: { cameras: copy, microphones: wav, metadata: ndjson }
            """, seconds: 3,
            steer: { session in
                session.mark("question 1"); session.split()
            })
        try recording.checkSchema()
        #expect(recording.manifest.markers.map(\.text) == ["question 1"])
    }

    @Test(
        "the gap of a camera that returns after the recording's end extends exactly to the end",
        arguments: ["mjpeg", "h264", "yuyv"])
    func returnsTooLate(format: String) async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?phase=0&unplug=0.3&replug=0.8", size: 64x36, rate: 30, format: \(format) }
              b: { device: "virtual:clap?phase=0&jitter=500", size: 64x36, rate: 30 }
            tracks: { cameras: \(format == "yuyv" ? "encode" : "copy") }
            """, seconds: 0.6)
        let gap = try #require(recording.manifest.gaps.first { $0.track == "a" })
        #expect(gap.to.nanoseconds == 600_000_000)
    }
}
