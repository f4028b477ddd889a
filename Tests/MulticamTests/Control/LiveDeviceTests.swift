import Foundation
import MulticamMedia
import MulticamPlan
import MulticamSession
import MulticamSessionFolder
import MulticamTiming
import MulticamVirtualDevices
import Testing

@Suite("Camera and track changes while recording")
struct LiveDeviceTests {
    private static let profile = """
        cameras:
          desk: { device: "virtual:clap?phase=0&size=640x360", rate: 30 }
          face: { device: "virtual:clap?phase=0&size=320x180", rate: 30 }
        microphones: { host: { device: "virtual:tone" } }
        program: { size: 640x360, rate: 30, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
        tracks: { cameras: copy, microphones: wav }
        """

    /// Returns a host that requests changes at readings, one per second, and records refusals as issues.
    private static func host(_ changes: [Int: [SessionChange]]) -> ControllerHost {
        ControllerHost { session, look in
            guard let wanted = changes[look] else { return }
            do throws(SessionChangeError) {
                try session.apply(wanted)
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    private static let changing = """
        cameras:
          desk: { device: "virtual:clap?phase=0", size: 640x480, rate: 30 }
          face: { device: "virtual:clap?phase=0&size=320x180", rate: 30 }
        microphones: { host: { device: "virtual:tone" } }
        tracks: { cameras: copy, microphones: wav }
        """

    private static func expectWhole(
        _ recording: Recording, _ names: [String], frames: Int64, audio: [String] = ["host"]
    ) throws {
        for name in names {
            let counts = try #require(try recording.track(name).frames)
            #expect(
                counts.written == frames && counts.lost.isEmpty && counts.duplicated == 0,
                "\(name): \(counts)")
        }
        for name in audio {
            let samples = try #require(try recording.track(name).samples)
            #expect(samples.silence == 0)
        }
    }

    @Test(
        "after a format change, the copy continues in a new part, and only this track has a gap in the ledger"
    )
    func format() async throws {
        let size = FrameSize(width: 320, height: 240)
        let host = Self.host([2: [.format(role: "desk", size, nil)]])
        let recording = try await Recording(Self.changing, seconds: 6, host: host, steer: host.attach)
        try recording.checkSchema()
        try Self.expectWhole(recording, ["face"], frames: 180)
        let desk = try recording.track("desk")
        #expect(desk.part_details?.map(\.width) == [320])
        let counts = try #require(desk.frames)
        #expect(counts.written == 180 && counts.lost.keys.sorted() == ["reconfigured"], "\(counts)")
        let gap = try #require(recording.manifest.gaps.first { $0.track == "desk" })
        #expect(gap.cause == "reconfigured: format desk 320x240")
        let missing = Double(gap.to.nanoseconds - gap.from.nanoseconds) / 1e9 * 30
        #expect(abs(missing - Double(counts.lost["reconfigured"] ?? 0)) <= 2)
        #expect(recording.events.contains { $0.contains("no frames were delivered for") })
        #expect(recording.manifest.changes?.map(\.changes) == [["format desk 320x240"]])
        let parts = [desk.file] + (desk.parts ?? [])
        let frames = try parts.map { try Reader.streams(recording.path($0)).first?.frameCount ?? 0 }
        #expect(frames.reduce(0, +) == 180)
    }

    @Test(
        "a disabled camera is a slate until it is enabled, even if the program uses it")
    func disabled() async throws {
        let host = Self.host([1: [.enabled(role: "face", false)], 4: [.enabled(role: "face", true)]])
        let recording = try await Recording(Self.profile, seconds: 7, host: host, steer: host.attach)
        try Self.expectWhole(recording, ["desk"], frames: 210)
        let counts = try #require(try recording.track("face").frames)
        #expect(
            counts.written == 210 && counts.slate > 30 && counts.lost.keys.sorted() == ["reconfigured"],
            "\(counts)"
        )
        #expect(
            recording.manifest.gaps.filter { $0.track == "face" }.map(\.cause) == [
                "reconfigured: disable face"
            ])
    }

    @Test("a stopped track is complete, and a new track of its camera starts on the same grid")
    func ended() async throws {
        let host = Self.host([1: [.stopTrack(role: "face")], 4: [.startTrack(role: "face")]])
        let recording = try await Recording(Self.profile, seconds: 8, host: host, steer: host.attach)
        try recording.checkSchema()
        try Self.expectWhole(recording, ["desk"], frames: 240)
        let first = try recording.track("face")
        let second = try recording.track("face.2")
        let ended = try #require(first.ended_ns)
        #expect(first.duration_ns == ended && second.role == "face" && second.ended_ns == nil)
        #expect(
            second.first_ns > ended && second.first_ns + second.duration_ns == recording.manifest.duration_ns)
        for track in [first, second] {
            let counts = try #require(track.frames)
            let stream = try #require(try Reader.streams(recording.path(track.file)).first)
            #expect(counts.lost.isEmpty && counts.slate == 0, "\(track.name): \(counts)")
            #expect(Int64(stream.frameCount ?? 0) == counts.written)
            let length = Int64(counts.written) * 1_000_000_000 / 30
            #expect(abs(length - track.duration_ns) < 1_000_000)
        }
        // Each frame of the second track shows its capture time, as if the first track had continued.
        let size = FrameSize(width: 320, height: 180)
        let strips = try Reader.strips(recording.path(second.file), size: size)
        let before = try Reader.strips(recording.path(first.file), size: size)
        let lag = try #require(before.first.flatMap { $0?.frame })
        let expected = UInt32(second.first_ns * 30 / 1_000_000_000 + 1) + UInt32(lag)
        let begun = try #require(strips.first.flatMap { $0?.frame })
        #expect(abs(Int(begun) - Int(expected)) <= 1)
        #expect(recording.manifest.gaps.isEmpty)
    }

    @Test("a track doesn't start if its thread can't be created, and the others are complete")
    func withoutThread() async throws {
        MediaThread.refusedNames.withLock { _ = $0.insert("open:lonely.2") }
        defer { MediaThread.refusedNames.withLock { _ = $0.remove("open:lonely.2") } }
        let profile = Self.changing.replacing("face:", with: "lonely:")
        let host = Self.host([1: [.stopTrack(role: "lonely")], 3: [.startTrack(role: "lonely")]])
        let recording = try await Recording(profile, seconds: 6, host: host, steer: host.attach)
        try Self.expectWhole(recording, ["desk"], frames: 180)
        #expect(!recording.manifest.tracks.contains { $0.name == "lonely.2" })
        #expect(
            recording.events.contains { $0.contains("lonely.2") && $0.contains("could not be created") })
    }

    @Test("a removed camera leaves a complete track and a program without the camera")
    func removed() async throws {
        let host = Self.host([2: [.removed(role: "face")]])
        let recording = try await Recording(Self.profile, seconds: 5, host: host, steer: host.attach)
        try Self.expectWhole(recording, ["desk", "program"], frames: 150)
        #expect(try recording.track("face").ended_ns != nil)
        #expect(recording.manifest.changes?.last?.shown == ["desk"])
        #expect(recording.manifest.gaps.isEmpty)
        #expect(recording.manifest.devices.map(\.role) == ["desk", "face", "host"])
    }

    @Test("when the last camera track is stopped, audio continues to the end of the recording")
    func audioAlone() async throws {
        let host = Self.host([1: [.stopTrack(role: "desk"), .stopTrack(role: "face")]])
        let recording = try await Recording(Self.changing, seconds: 4, host: host, steer: host.attach)
        #expect(try recording.track("desk").ended_ns != nil && recording.track("face").ended_ns != nil)
        #expect(recording.manifest.duration_ns == 4_000_000_000)
        #expect(try recording.track("host").samples?.written == 192_000)
    }

    @Test("a microphone's track stops and starts to the sample, and the program keeps its audio")
    func microphone() async throws {
        let host = Self.host([1: [.stopTrack(role: "host")], 4: [.startTrack(role: "host")]])
        let profile = Self.profile.replacingOccurrences(of: "virtual:tone", with: "virtual:clap?phase=0")
        let recording = try await Recording(profile, seconds: 7, host: host, steer: host.attach)
        try recording.checkSchema()
        try Self.expectWhole(recording, ["desk", "face", "program"], frames: 210, audio: ["host", "host.2"])
        let first = try recording.track("host")
        let second = try recording.track("host.2")
        let ended = try #require(first.ended_ns)
        #expect(first.duration_ns == ended && second.role == "host" && second.kind == "microphone")
        #expect(second.first_ns > ended && second.ended_ns == nil)
        #expect(second.first_ns + second.duration_ns == recording.manifest.duration_ns)
        for track in [first, second] {
            let written = try #require(track.samples?.written)
            let length = Double(track.duration_ns) * 48e-6
            #expect(abs(Double(written) - length) < 1, "\(track.name): \(written) of \(length)")
            #expect(try Reader.audio(recording.path(track.file)).count == Int(written))
            #expect(track.loudness != nil)
        }
        // The claps of the second track come at the same times as those of the first track would have. If a
        // track starts during a clap, the onset is missing.
        let claps = Reader.onsets(try Reader.audio(recording.path(first.file)))
        let begin = Int((Double(second.first_ns) * 48e-6).rounded())
        let later = Reader.onsets(try Reader.audio(recording.path(second.file))).filter { $0 > 2_400 }.map {
            $0 + begin
        }
        let clap = try #require(claps.last)
        #expect(!later.isEmpty)
        for onset in later {
            let apart = (onset - clap + 24_000) % 48_000 - 24_000
            #expect(abs(apart) <= 2, "\(claps), \(later)")
        }
        #expect(recording.manifest.gaps.isEmpty)
        #expect(recording.manifest.changes?.map(\.changes) == [["stop-track host"], ["start-track host"]])
    }

    @Test(
        "an added microphone has all its samples in place, even if other devices are seconds behind",
        arguments: [0, 700, 1800])
    func addedMicrophone(latency: Int) async throws {
        let host = ControllerHost { session, look in
            guard look == 4 else { return }
            do {
                let selector = "virtual:clap?drift=40"
                let source = try VirtualSources.microphone(selector: selector, role: "lapel")
                var planned = try #require(session.currentPlan.microphones.first)
                (planned.role, planned.selector, planned.identity) = (
                    "lapel", selector, source.device.identity
                )
                try session.add(
                    source, as: planned, track: PlannedMicrophoneTrack(role: "lapel", file: "audio/lapel.wav")
                )
            } catch {
                Issue.record(error)
            }
        }
        let recording = try await Recording(
            """
            cameras: { desk: { device: "virtual:clap?size=320x180&latency=\(latency)", rate: 30 } }
            microphones: { host: { device: "virtual:clap" } }
            tracks: { cameras: copy, microphones: wav }
            """, seconds: 9, host: host, steer: host.attach)
        let lapel = try recording.track("lapel")
        let samples = try #require(lapel.samples)
        #expect(lapel.first_ns > 3_000_000_000 && lapel.first_ns + lapel.duration_ns == 9_000_000_000)
        #expect(samples.silence == 0, "\(samples)")
        #expect(abs(Double(samples.written) - Double(lapel.duration_ns) * 48e-6) < 1)
        #expect(recording.manifest.gaps.isEmpty, "\(recording.manifest.gaps) \(recording.events)")
        let begin = Int((Double(lapel.first_ns) * 48e-6).rounded())
        let claps = Reader.onsets(try Reader.audio(recording.path("audio/host.wav")))
        let later = Reader.onsets(try Reader.audio(recording.path(lapel.file))).filter { $0 > 2_400 }
        #expect(later.count >= 2)
        for onset in later { #expect(claps.contains { abs($0 - onset - begin) <= 48 }, "\(claps) \(later)") }
    }

    /// Adds a camera or microphone with the role `guest`.
    private static func addGuest(_ kind: String, to session: MulticamSession) throws {
        if kind == "camera" {
            let format = VideoFormat(
                pixel: .mjpeg, size: FrameSize(width: 320, height: 180), rate: FrameRate(30))
            let source = try VirtualSources.camera(selector: "virtual:clap", role: "guest", wanted: format)
            var track = try #require(session.currentPlan.cameraTracks.first { $0.role == "face" })
            (track.name, track.role, track.file) = ("guest", "guest", "cameras/guest.mov")
            let planned = PlannedCamera(
                role: "guest", selector: "virtual:clap", identity: source.device.identity, format: format)
            return try session.add(source, as: planned, track: track)
        }
        let source = try VirtualSources.microphone(selector: "virtual:clap", role: "guest")
        var planned = try #require(session.currentPlan.microphones.first)
        (planned.role, planned.selector, planned.identity) = ("guest", "virtual:clap", source.device.identity)
        try session.add(
            source, as: planned, track: PlannedMicrophoneTrack(role: "guest", file: "audio/guest.wav"))
    }

    @Test(
        "a device with a track that can't start is refused with the reason, and can be added later",
        arguments: [
            (kind: "camera", file: "cameras/guest.mov"), (kind: "microphone", file: "audio/guest.wav"),
        ])
    func trackThatCannotBegin(kind: String, file: String) async throws {
        let (refusals, plans) = (ConditionLock<[SessionChangeError]>([]), ConditionLock<[SessionPlan]>([]))
        let host = ControllerHost { session, look in
            guard [2, 4].contains(look), let folder = session.folderPath else { return }
            let obstacle = "\(folder)/\(file)"
            do {
                if look == 2 {
                    try FileManager.default.createDirectory(
                        atPath: obstacle, withIntermediateDirectories: false)
                } else {
                    try FileManager.default.removeItem(atPath: obstacle)
                }
                try Self.addGuest(kind, to: session)
            } catch let error as SessionChangeError {
                refusals.withLock { $0.append(error) }
            } catch {
                Issue.record(error)
            }
            plans.withLock { $0.append(session.currentPlan) }
        }
        let recording = try await Recording(Self.changing, seconds: 8, host: host, steer: host.attach)
        try recording.checkSchema()
        let refused = refusals.withLock { $0.map(\.description) }
        #expect(refused.count == 1, "\(refused)")
        #expect(
            refused.first?.hasPrefix("\(kind) guest was not added: its track could not be started: ") == true
                && refused.first?.contains("/\(file): ") == true, "\(refused)")
        let found = plans.withLock { $0.map { $0.cameras.map(\.role) + $0.microphones.map(\.role) } }
        #expect(found.map { $0.contains("guest") } == [false, true], "\(found)")
        let guest = try recording.track("guest")
        #expect(guest.first_ns > 3_000_000_000 && guest.first_ns + guest.duration_ns == 8_000_000_000)
        try Self.expectWhole(recording, ["desk", "face"], frames: 240)
        #expect(recording.manifest.changes?.count == 1, "\(recording.manifest.changes ?? [])")
    }

    @Test("a microphone's track that is stopped and restarted at once has every sample in one of its files")
    func breath() async throws {
        let host = Self.host([1: [.stopTrack(role: "host"), .startTrack(role: "host")]])
        let recording = try await Recording(Self.profile, seconds: 3, host: host, steer: host.attach)
        let (first, second) = (try recording.track("host"), try recording.track("host.2"))
        #expect(first.ended_ns == second.first_ns)
        let counts = try [first, second].map { try Reader.audio(recording.path($0.file)).count }
        #expect(counts.reduce(0, +) == 3 * 48_000 && counts.allSatisfy { $0 > 0 })
        #expect(first.samples?.written == Int64(counts[0]) && second.samples?.written == Int64(counts[1]))
    }

    @Test("a disabled microphone is silent everywhere, with a gap that states the cause")
    func microphoneOff() async throws {
        let host = Self.host([1: [.enabled(role: "host", false)], 4: [.enabled(role: "host", true)]])
        let recording = try await Recording(Self.profile, seconds: 7, host: host, steer: host.attach)
        let gap = try #require(recording.manifest.gaps.first)
        #expect(recording.manifest.gaps.count == 1 && gap.track == "host" && gap.cause == "disable host")
        let length = gap.to.nanoseconds - gap.from.nanoseconds
        #expect(abs(length - 3_000_000_000) < 200_000_000)
        let samples = try #require(try recording.track("host").samples)
        #expect(samples.written == 7 * 48_000)
        #expect(abs(Double(samples.silence) - Double(length) * 48e-6) < 2)
        for file in [try recording.track("host").file, try recording.track("program").file] {
            let heard = try Reader.audio(recording.path(file))
            let step = heard.count / 70
            func peak(from: Int, to: Int) -> Float { heard[from * step..<to * step].map(abs).max() ?? 0 }
            // The values are in tenths of a second, with a margin for the encoder.
            let (begin, end) = (
                Int(gap.from.nanoseconds / 100_000_000), Int(gap.to.nanoseconds / 100_000_000)
            )
            #expect(peak(from: begin + 2, to: end - 1) < 0.001, "\(file)")
            #expect(peak(from: 0, to: begin - 1) > 0.05 && peak(from: end + 2, to: 70) > 0.05, "\(file)")
        }
    }

    @Test(
        "a track that would start after the recording's end, which is still undecided, leaves nothing behind",
        arguments: [4, 5, 6])
    func afterTheEnd(look: Int) async throws {
        let host = Self.host([
            2: [.stopTrack(role: "face"), .stopTrack(role: "host")],
            look: [.startTrack(role: "face"), .startTrack(role: "host")],
        ])
        let profile = Self.changing.replacingOccurrences(of: "phase=0\",", with: "latency=1800\",")
        let recording = try await Recording(profile, seconds: 5, host: host, steer: host.attach)
        try recording.checkSchema()
        let names = Set(recording.manifest.tracks.map(\.name))
        // In each case, the next sample of a connected microphone is before the end.
        #expect(names.subtracting(["face.2"]) == ["desk", "face", "host", "host.2"])
        #expect(names.contains("face.2") == (look < 5))
        for track in recording.manifest.tracks {
            #expect(track.duration_ns > 0 && track.first_ns + track.duration_ns <= 5_000_000_000)
        }
        let files = try FileManager.default.subpathsOfDirectory(atPath: recording.folder)
        #expect(files.filter { $0.contains(".2") || $0.contains("-2") }.count == names.count - 3, "\(files)")
    }

    @Test("a track leaves nothing behind if the recording ends before its first tick")
    func beforeItsFirstTick() async throws {
        let host = ControllerHost { session, look in
            do {
                switch look {
                case 2: try session.apply([.stopTrack(role: "slow")])
                case 4: try session.apply([.startTrack(role: "slow")])
                case 6: session.stop()
                default: break
                }
            } catch {
                Issue.record(error)
            }
        }
        let recording = try await Recording(
            """
            cameras:
              desk: { device: "virtual:clap?size=320x180", rate: 30 }
              slow: { device: "virtual:clap?size=320x180&fps=30", rate: 1/10 }
            tracks: { cameras: copy }
            """, seconds: 60, host: host, steer: host.attach)
        try recording.checkSchema()
        #expect(recording.events.contains { $0.contains("track slow.2 starts") })
        #expect(recording.manifest.duration_ns < 8_000_000_000)
        #expect(recording.manifest.tracks.map(\.name) == ["desk", "slow"])
        let files = try FileManager.default.subpathsOfDirectory(atPath: recording.folder)
        #expect(files.filter { $0.hasSuffix(".mov") }.sorted() == ["cameras/desk.mov", "cameras/slow.mov"])
        #expect(recording.manifest.files?.count == 2)
    }

    @Test(
        "a track that is stopped before it has started leaves nothing behind"
    )
    func brief() async throws {
        let host = Self.host([
            1: [.stopTrack(role: "face")],
            2: [.startTrack(role: "face"), .stopTrack(role: "face")],
            3: [
                .stopTrack(role: "host"), .startTrack(role: "host"),
                .stopTrack(role: "host"),
            ],
        ])
        let recording = try await Recording(Self.changing, seconds: 4, host: host, steer: host.attach)
        try recording.checkSchema()
        #expect(!recording.manifest.tracks.contains { $0.name == "face.2" })
        let files = try FileManager.default.contentsOfDirectory(atPath: recording.path("cameras"))
        #expect(files.sorted() == ["desk.mov", "face.mov"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: recording.path("audio")) == ["host.wav"])
    }

    @Test("changes that require a recording are refused before it starts")
    func early() async throws {
        let refusal = ConditionLock<String?>(nil)
        _ = try await Recording(
            Self.changing, seconds: 1,
            steer: { session in
                do throws(SessionChangeError) {
                    try session.apply([.stopTrack(role: "face")])
                } catch {
                    refusal.withLock { $0 = error.description }
                }
            })
        #expect(refusal.withLock { $0 }?.contains("nothing is being recorded") == true)
    }
}
