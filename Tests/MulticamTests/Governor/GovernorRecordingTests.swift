import Foundation
import MulticamInputs
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamTiming
import MulticamVirtualDevices
import Testing

@Suite("Recordings with the governor")
struct GovernorRecordingTests {
    /// Returns a computer that is short of memory from 2 s on.
    private static func shortage(until end: Int64) -> ScriptedHost {
        ScriptedHost([
            (0, ScriptedHost.memory(isShort: false)), (2, ScriptedHost.memory(isShort: true)),
            (end, ScriptedHost.memory(isShort: false)),
        ])
    }

    /// Reverses a step: `face rate 30 → 20` becomes `face rate 20 → 30`.
    private static func reverse(of step: String) -> String {
        let sides = step.components(separatedBy: " → ")
        let words = sides[0].split(separator: " ")
        guard sides.count == 2, let from = words.last else { return step }
        let what = words.dropLast().joined(separator: " ")
        return "\(what) \(sides[1]) → \(from)"
    }

    @Test(
        "under processor pressure the program is reduced and finally paused; copied tracks are unaffected"
    )
    func originals() async throws {
        let recording = try await Recording(
            """
            cameras:
              desk: { device: "virtual:clap", size: 640x480, rate: 30 }
              face: { device: "virtual:clap", size: 640x480, rate: 30 }
            program: { size: 320x240, rate: 30, layout: side-by-side, main: desk, inset: face, audio: { mix: [] } }
            tracks: { cameras: copy }
            budget: { floors: { size: 320x240, rate: 15 } }
            """, seconds: 60,
            host: ScriptedHost([
                (0, ScriptedHost.heat(50)), (2, ScriptedHost.heat(96)), (24, ScriptedHost.heat(50)),
            ]))
        try recording.checkSchema()
        let down = [
            "program preset balanced → ultrafast", "decoding full → half size", "program frames 30 → 20",
            "program frames 20 → 15", "program on → paused",
        ]
        #expect(recording.manifest.governor.map(\.step) == down + down.reversed().map(Self.reverse))
        #expect(recording.manifest.gaps.isEmpty)
        for role in ["desk", "face"] {
            let track = try recording.track(role)
            #expect(
                track.parts == nil && track.frames?.captured == 1800 && track.frames?.lost.isEmpty == true)
        }
        let program = try #require(try recording.track("program").frames)
        #expect(program.written == 1800 && program.captured + program.duplicated == 1800)
        // While paused, the program repeats its last frame.
        let pause = try #require(recording.manifest.governor.first { $0.step == down[4] }?.at_ns)
        let resume = try #require(
            recording.manifest.governor.first { $0.step == "program paused → on" }?.at_ns)
        #expect(program.lost["governor"] ?? 0 >= (resume - pause) * 30 / 1_000_000_000 - 2)
    }

    @Test("previews are paused under pressure, including ones attached later, and all of them resume")
    func latePreviews() async throws {
        let handled = [ConditionLock(0), ConditionLock(0)]
        let taps = handled.map { count in
            FrameTap(role: "desk", FrameRequest(), isPreview: true, capacity: 3000) { _ in
                count.withLock { $0 += 1 }
            }
        }
        let host = ControllerHost(
            state: { (4..<12).contains($0) ? ScriptedHost.heat(96) : ScriptedHost.heat(50) }
        ) { session, look in
            guard let tap = [2: taps[0], 11: taps[1]][look] else { return }
            #expect(throws: Never.self) { try session.attach(tap) }
        }
        let recording = try await Recording(
            """
            cameras: { desk: { device: "virtual:clap", size: 160x120, rate: 30 } }
            program: { size: 160x120, rate: 30, layout: single, main: desk, audio: { mix: [] } }
            """, seconds: 45, host: host, steer: host.attach)
        let steps = recording.manifest.governor
        let down = try #require(steps.first { $0.step == "previews on → off" }?.at_ns)
        let up = try #require(steps.first { $0.step == "previews off → on" }?.at_ns)
        #expect(down < 11_000_000_000 && up > 12_000_000_000)
        // Both outputs were paused and have received frames since then.
        let last = Int(45_000_000_000 - up) * 30 / 1_000_000_000
        for (tap, count) in zip(taps, handled) {
            #expect(tap.droppedCount >= Int(up - 14_000_000_000) * 30 / 1_000_000_000)
            #expect(count.withLock { $0 } >= last - 60)
        }
    }

    /// A recording in which a shortage of memory reduces the rates of two copied cameras and then the size of one.
    private struct ReducedCameras {
        /// One file of a track.
        struct File {
            let name: String
            let frameCount: Int
            let width: Int
        }

        let manifest: Manifest
        let events: [String]
        /// The files of each track, in order.
        let files: [String: [File]]
        /// The number of different frames in the files of the camera `face`.
        let shownCount: Int

        init() async throws {
            let recording = try await Recording(
                """
                cameras:
                  desk: { device: "virtual:clap", size: 640x480, rate: 30 }
                  face: { device: "virtual:clap", size: 640x480, rate: 30 }
                program: { size: 320x240, rate: 30, layout: side-by-side, main: desk, inset: face, audio: { mix: [] } }
                tracks: { cameras: copy }
                budget: { floors: { size: 320x240, rate: 15 } }
                """, seconds: 80, host: GovernorRecordingTests.shortage(until: 18))
            try recording.checkSchema()
            manifest = recording.manifest
            events = recording.events
            files = try Dictionary(
                uniqueKeysWithValues: recording.manifest.tracks.map { track in
                    let files = try ([track.file] + (track.parts ?? [])).map { file in
                        let stream = try Reader.streams(recording.path(file)).first
                        return File(
                            name: file, frameCount: stream?.frameCount ?? 0, width: stream?.width ?? 0)
                    }
                    return (track.name, files)
                })
            var shown: Set<UInt32> = []
            for file in files["face"] ?? [] {
                let size = FrameSize(width: file.width, height: file.width * 3 / 4)
                shown.formUnion(
                    try Reader.strips(recording.path(file.name), size: size).compactMap { $0?.time })
            }
            shownCount = shown.count
        }

        func track(_ name: String) throws -> Manifest.Track {
            try #require(manifest.tracks.first { $0.name == name })
        }
    }

    /// The recording takes long, so several tests share it.
    private static let reducedCameras = Task { try await ReducedCameras() }

    @Test("cameras are reduced in order and restored in the reverse order, with reasons and events")
    func cameraSteps() async throws {
        let recording = try await Self.reducedCameras.value
        let steps = recording.manifest.governor.map(\.step)
        let down = [
            "face rate 30 → 20", "face rate 20 → 15", "desk rate 30 → 20", "desk rate 20 → 15",
            "face size 640x480 → 320x240",
        ]
        #expect(Array(steps.prefix(down.count)) == down)
        #expect(steps.count.isMultiple(of: 2))
        #expect(Array(steps.suffix(down.count)) == down.reversed().map(Self.reverse))
        #expect(
            recording.manifest.governor.allSatisfy {
                $0.reason.contains("memory") || $0.reason.contains("spare capacity")
            })
        // The events contain the same steps.
        let told = recording.events.filter { $0.contains("\"event\":\"governor\"") }
        #expect(told.count == steps.count)
    }

    @Test("every tick is present in the tracks of reduced cameras and in the program")
    func reducedGrids() async throws {
        let recording = try await Self.reducedCameras.value
        for track in recording.manifest.tracks {
            let frames = try #require(track.frames)
            #expect(frames.written == 2400)
            #expect(Set(frames.lost.keys).isSubset(of: ["governor"]))
            #expect(frames.written == frames.captured - frames.decimated + frames.duplicated + frames.slate)
            let files = try #require(recording.files[track.name])
            #expect(files.map(\.frameCount).reduce(0, +) == 2400, "\(track.name): \(files)")
        }
    }

    @Test(
        "a copied camera continues in a new file at each size, with its start and size in manifest and event")
    func reducedSizes() async throws {
        let recording = try await Self.reducedCameras.value
        let face = try recording.track("face")
        #expect(face.parts?.first == "cameras/face-2.mov")
        #expect(recording.files["face"]?.map(\.width) == [640, 320, 640])
        let details = try #require(face.part_details)
        #expect(details.map(\.file) == face.parts && details.map(\.width) == [320, 640])
        let splits = recording.events.filter {
            $0.contains("\"event\":\"split\"") && $0.contains("\"track\":\"face\"")
        }
        #expect(splits.count == 2)
        for (event, part) in zip(splits, details) {
            #expect(event.contains("\"at_ns\":\(part.first_ns),"))
            #expect(
                event.contains("\"file\":\"\(part.file)\"") && event.contains("\"width\":\(part.width ?? 0)"))
        }
    }

    @Test(
        "the files of a reduced camera contain the counted frames, and each restart has a gap with its reason"
    )
    func reducedCounts() async throws {
        let recording = try await Self.reducedCameras.value
        let face = try recording.track("face")
        #expect(recording.shownCount == face.frames.map { $0.captured - $0.decimated })
        let gaps = recording.manifest.gaps.filter { $0.track == "face" }
        #expect(gaps.count >= 6 && gaps.allSatisfy { $0.cause.hasPrefix("governor: face ") })
    }

    @Test("a shared file continues at another size with one camera disconnected, and its audio is complete")
    func oneFile() async throws {
        let recording = try await Recording(
            """
            cameras:
              face: { device: "virtual:clap", size: 640x480, rate: 30 }
              away: { device: "virtual:clap?format=h264&unplug=1", size: 320x180, rate: 30, format: h264 }
            microphones: { m: { device: "virtual:clap" } }
            tracks: { cameras: copy, microphones: wav, files: one }
            budget: { floors: { size: 320x240, rate: 30 } }
            """, seconds: 40, host: Self.shortage(until: 12))
        try recording.checkSchema()
        let face = try recording.track("face")
        let files = [face.file] + (face.parts ?? [])
        #expect(face.part_details?.map(\.width) == [320, 640])
        let streams = try files.map { try Reader.streams(recording.path($0)) }
        #expect(streams.map { $0.first?.width } == [640, 320, 640])
        #expect(streams.compactMap { $0.first?.frameCount }.reduce(0, +) == 1200)
        // The first part contains all frames of the disconnected camera.
        #expect(streams.first?[1].frameCount == (try recording.track("away").frames?.written))
        // If another stream of a file is empty, FFmpeg 7 counts the last two audio packets of 1,024 samples
        // as complete.
        let lengths: [Double] = streams.compactMap { $0.last?.seconds }
        let difference = lengths.reduce(-40, +)
        let tolerance: Double = Double(2_048 * files.count) / 48_000
        #expect(abs(difference) < tolerance, "\(lengths)")
        // In every part, each beep is at a whole second.
        let starts = [0] + (face.part_details ?? []).map(\.first_ns)
        for (file, start) in zip(files, starts) {
            let beeps = Reader.onsets(try Reader.audio(recording.path(file))).dropFirst()
            #expect(!beeps.isEmpty)
            for beep in beeps {
                let time = Double(recording.manifest.t0_monotonic_ns + start) / 1e9 + Double(beep) / 48_000
                #expect(abs(time - time.rounded()) < 0.003)
            }
        }
    }

    @Test("at a reduced rate, each tick's frame was captured within one interval of it")
    func captureTimes() async throws {
        let recording = try await Recording(
            """
            cameras:
              desk: { device: "virtual:clap", size: 640x360, rate: 30 }
            budget: { floors: { size: 640x360, rate: 15 } }
            """, seconds: 20, host: Self.shortage(until: 12))
        #expect(
            recording.manifest.governor.map(\.step).prefix(2) == ["desk rate 30 → 20", "desk rate 20 → 15"])
        let strips = try Reader.strips(
            recording.path("cameras/desk.mov"), size: FrameSize(width: 640, height: 360))
        #expect(strips.count == 600)
        let start = recording.manifest.t0_monotonic_ns
        var farthest = 0.0
        let gaps = recording.manifest.gaps
        for (index, strip) in strips.enumerated() {
            let tick = FrameRate(30).time(ofTick: Int64(index))
            // The last frame is repeated for the duration of a gap.
            if gaps.contains(where: {
                $0.from.nanoseconds - 100_000_000 < tick.nanoseconds
                    && tick.nanoseconds < $0.to.nanoseconds + 100_000_000
            }) {
                continue
            }
            let strip = try #require(strip)
            let captured = Double(strip.time) / 10_000
            let wanted = (Double(start + tick.nanoseconds) / 1e9).truncatingRemainder(dividingBy: 1677.7216)
            farthest = max(farthest, abs(captured - wanted))
        }
        // The tolerance is one frame at the lower rate.
        #expect(farthest < 1.0 / 15)
    }

    @Test("a camera is switched off when no other step is left, shows a slate, and is switched on again")
    func off() async throws {
        let recording = try await Recording(
            """
            cameras:
              desk: { device: "virtual:clap?size=320x180&fps=30" }
              face: { device: "virtual:clap?size=320x180&fps=30" }
            """, seconds: 30, host: Self.shortage(until: 14))
        #expect(recording.manifest.governor.map(\.step) == ["face on → off", "face off → on"])
        let face = try recording.track("face").frames
        #expect(face?.written == 900 && face?.slate ?? 0 > 60)
        #expect(face?.lost.keys.sorted() == ["governor"])
        let desk = try recording.track("desk").frames
        #expect(desk?.captured == 900 && desk?.lost.isEmpty == true)
    }

    @Test("the recording ends properly before the computer shuts down, and reports the reason")
    func shutdown() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap", size: 320x180, rate: 30 }
            microphones:
              m: { device: "virtual:clap" }
            """, seconds: 30,
            host: ScriptedHost([(0, ScriptedHost.heat(50)), (4, ScriptedHost.heat(99))]))
        try recording.checkSchema()
        #expect(recording.manifest.outcome == .finished)
        #expect((3_000_000_000...6_000_000_000).contains(recording.manifest.duration_ns))
        #expect(recording.result.pressureEnd?.contains("99 °C") == true)
        #expect(recording.manifest.ended_by == recording.result.pressureEnd)
        #expect(recording.manifest.governor.last?.step == "recording stopped")
        // There is exactly one frame for each tick that begins before the end.
        let frames = Int((Double(recording.manifest.duration_ns) * 30 / 1e9).rounded(.up))
        #expect(try recording.track("a").frames?.written == frames)
        #expect(try Reader.streams(recording.path("cameras/a.mov")).first?.frameCount == frames)
    }

    @Test("the same script reproduces the same recording")
    func repeatable() async throws {
        let profile = """
            cameras:
              a: { device: "virtual:clap", size: 640x480, rate: 30 }
            budget: { floors: { size: 320x240, rate: 15 } }
            """
        let first = try await Recording(profile, seconds: 20, host: Self.shortage(until: 9))
        let second = try await Recording(profile, seconds: 20, host: Self.shortage(until: 9))
        #expect(!first.manifest.governor.isEmpty)
        #expect(first.events.dropFirst() == second.events.dropFirst())
        let files = try first.track("a")
        for file in [files.file] + (files.parts ?? []) {
            #expect(try first.bytes(file).count == second.bytes(file).count)
        }
    }
}
