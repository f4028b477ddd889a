import Foundation
import MulticamContainers
import MulticamEncoding
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamStandingDevices
import MulticamTestDisks
import MulticamTiming
import MulticamWriters
import Testing

@testable import MulticamInputs
@testable import MulticamSession
@testable import MulticamSessionFolder

@Suite("Manifest of a recording")
struct ManifestBuilderTests {
    /// A camera's track with fixed counts.
    private final class CountedTrack: CameraTrack {
        let name: String
        let input: CameraInput
        let rate: FrameRate = FrameRate(25)
        let counts = FrameCounts()
        let gaps: [Gap] = []

        init(_ name: String, of input: CameraInput) {
            self.name = name
            self.input = input
        }

        func receive(_ deliveries: [CameraInput.Delivery]) {}
        func step(tick: Int64) {}
        func counts(in ledger: StreamLedger) -> FrameCounts { counts }
        func finish(at end: MediaTime) {}
    }

    /// A recording of one camera, `desk`, at the end of which the manifest is built.
    private final class Fixture {
        let disk: TestDisk
        let outputs: SessionOutputs
        let input: CameraInput
        var plan: SessionPlan
        var movie = FileResult<SegmentedMovie>(streamCount: 1)
        var conclusion: FileError?
        private let clock = SimulatedClock()
        private let inputs: SessionInputs

        init() throws {
            disk = try TestDisk()
            input = try DirectedRecording.camera("desk", clock: clock)
            inputs = SessionInputs(cameras: [input], microphones: [])
            outputs = SessionOutputs(disks: [disk.disk], writers: [:], microphones: [])
            plan = SessionPlan(
                profile: "test", cameras: [DirectedRecording.planned("desk")],
                cameraTracks: [DirectedRecording.track("desk", rate: FrameRate(25))])
            addTrack("desk")
        }

        func addTrack(_ name: String) {
            outputs.cameraTracks.append(CountedTrack(name, of: input))
            outputs.places[name] = ("\(name).mov", 0)
        }

        /// Adds a microphone with a track that begins at a sample and may end at another one.
        func addMicrophone(first: Int64, end: Int64?) throws {
            let microphone = MicrophoneInput(
                role: "host", source: StandingMicrophone(name: "host"), offset: .zero, sourceChannels: [],
                clock: clock)
            let resampler = try Codecs().makeResampler(from: microphone.source.format, name: "host")
            let feed = MicrophoneFeed(input: microphone, resampler: resampler, start: clock.now)
            let track = MicrophoneTrack(
                PlannedMicrophoneTrack(role: "host", file: "desk.mov"), channels: 1, first: first, file: nil,
                encoder: nil, loudness: nil)
            if let end { _ = track.end(at: end, position: 0) }
            feed.add(track)
            outputs.add(feed)
            outputs.places["host"] = ("desk.mov", 0)
        }

        func builder() -> ManifestBuilder {
            ManifestBuilder(
                RecordingContext(
                    plan: plan, options: RecordingOptions(parentFolder: disk.path, version: "test"),
                    clock: clock, codecs: Codecs(), controls: SessionControls(),
                    liveOutputs: LiveOutputRegistry(), inputs: inputs, disks: outputs.disks,
                    sinks: SessionSinks(synchronized: []), host: nil, usesStandbyDevices: false,
                    publish: { _ in }, onFallback: { _ in }, report: { _ in }),
                start: clock.now, delay: .milliseconds(100))
        }

        /// Returns the manifest of the recording, which ends ten seconds after T0.
        func finish(_ builder: ManifestBuilder? = nil) -> Manifest {
            var builder = builder ?? self.builder()
            let closed = DiskClosings.Closed(disk: disk.disk, movies: ["desk.mov": movie], waves: [:])
            return builder.finish(
                outputs: outputs, files: RecordedFiles(closed, conclusion: conclusion),
                end: MediaTime(nanoseconds: 10_000_000_000), outcome: .finished, markers: [], stills: [],
                pressure: nil, governor: nil,
                silenceExceeded: [], other: nil)
        }
    }

    private static func seconds(_ count: Int64?) -> MediaTime? {
        count.map { MediaTime(nanoseconds: $0 * 1_000_000_000) }
    }

    @Test(
        "a track lasts until it was stopped, its encoder failed, the disk was full, or the recording ended, whichever is first",
        arguments: [
            (start: nil, stopped: nil, failed: nil, full: nil, duration: 10, ended: nil),
            (start: 3, stopped: nil, failed: nil, full: nil, duration: 7, ended: nil),
            (start: nil, stopped: 4, failed: 3, full: nil, duration: 3, ended: 3),
            (start: nil, stopped: 3, failed: 4, full: nil, duration: 3, ended: 3),
            (start: nil, stopped: nil, failed: nil, full: 6, duration: 6, ended: nil),
            (start: 1, stopped: 8, failed: nil, full: 6, duration: 5, ended: 8),
            (start: nil, stopped: 10, failed: nil, full: nil, duration: 10, ended: nil),
        ]
            as [(
                start: Int64?, stopped: Int64?, failed: Int64?, full: Int64?, duration: Int64, ended: Int64?
            )])
    func trackEnd(
        start: Int64?, stopped: Int64?, failed: Int64?, full: Int64?, duration: Int64, ended: Int64?
    ) throws {
        let fixture = try Fixture()
        fixture.outputs.startTimes["desk"] = Self.seconds(start)
        fixture.outputs.endTimes["desk"] = Self.seconds(stopped)
        fixture.outputs.failedEndTimes["desk"] = Self.seconds(failed)
        fixture.movie.conclusion = Self.seconds(full)
        let track = try #require(fixture.finish().tracks.first)
        #expect(track.first_ns == Self.seconds(start ?? 0)?.nanoseconds)
        #expect(track.duration_ns == Self.seconds(duration)?.nanoseconds)
        #expect(track.ended_ns == Self.seconds(ended)?.nanoseconds)
    }

    @Test("each part begins at the first tick after its split, and keeps the size of the previous part")
    func parts() throws {
        let fixture = try Fixture()
        let smaller = StreamParameters(
            codec: .mjpeg, timeScale: 25, size: FrameSize(width: 32, height: 24), rate: FrameRate(25))
        func part(_ number: Int, at milliseconds: Int64, _ changes: [Int: StreamParameters] = [:])
            -> SegmentedMovie.Part
        {
            SegmentedMovie.Part(
                relativePath: "desk-\(number).mov",
                start: MediaTime(nanoseconds: milliseconds * 1_000_000), changes: changes)
        }
        fixture.movie.parts = [part(2, at: 1000), part(3, at: 2010, [0: smaller]), part(4, at: 3000)]
        let track = try #require(fixture.finish().tracks.first)
        #expect(
            track.part_details == [
                Manifest.Part(file: "desk-2.mov", first_ns: 1_000_000_000, width: 64, height: 48),
                Manifest.Part(file: "desk-3.mov", first_ns: 2_040_000_000, width: 32, height: 24),
                Manifest.Part(file: "desk-4.mov", first_ns: 3_000_000_000, width: 32, height: 24),
            ])
    }

    @Test("a failed file explains the end of its track better than the full disk that ended the others")
    func failure() throws {
        let fixture = try Fixture()
        let full = FileError(path: "/disk", operation: "writing", errno: ENOSPC)
        let failed = FileError(path: "/disk/desk.mov", operation: "writing", errno: EIO)
        fixture.conclusion = full
        var manifest = fixture.finish()
        #expect(manifest.tracks.first?.failure == full.description)
        #expect(manifest.ended_by == full.description)
        fixture.movie.failure = failed
        manifest = fixture.finish()
        #expect(manifest.tracks.first?.failure == failed.description)
        #expect(manifest.ended_by == full.description)
    }

    @Test("a changed plan adds its new tracks, and existing tracks keep the rotation with which they began")
    func changedPlan() throws {
        let fixture = try Fixture()
        var builder = fixture.builder()
        var running = fixture.plan
        running.cameraTracks[0].rotation = .quarter
        var second = running.cameraTracks[0]
        second.name = "desk-2"
        running.cameraTracks.append(second)
        builder.merge(running)
        fixture.addTrack("desk-2")
        fixture.outputs.places["desk-2"] = ("desk.mov", 0)
        let tracks = fixture.finish(builder).tracks
        #expect(tracks.map(\.name) == ["desk", "desk-2"])
        #expect(tracks.map(\.rotation) == [0, 90])
        #expect(tracks.map(\.role) == [nil, "desk"])
    }

    @Test("the manifest of a running recording lists its tracks without counts")
    func running() throws {
        let fixture = try Fixture()
        let parameters = StreamParameters(
            codec: .mjpeg, timeScale: 25, size: FrameSize(width: 64, height: 48), rate: FrameRate(25))
        let writer = try MovieWriter(
            [fixture.disk.disk], relativePath: "desk.mov",
            streams: [.video(parameters, rotation: .none, name: "desk")],
            startedAt: Date(timeIntervalSince1970: 1_767_225_600))
        defer { writer.abandon() }
        fixture.outputs.writers["desk.mov"] = writer
        let manifest = fixture.builder().current(fixture.outputs, on: fixture.disk.disk)
        #expect(manifest.outcome == .recording && manifest.duration_ns == 0)
        #expect(manifest.tracks.map(\.file) == ["desk.mov"])
        #expect(manifest.tracks.allSatisfy { $0.frames == nil && $0.duration_ns == 0 })
    }

    @Test(
        "a microphone's track ends at its last sample, or earlier if the file ends earlier",
        arguments: [
            (end: nil, full: nil, duration: 9, ended: nil), (end: 5, full: nil, duration: 4, ended: 5),
            (end: 5, full: 3, duration: 2, ended: 5), (end: 10, full: nil, duration: 9, ended: nil),
        ] as [(end: Int64?, full: Int64?, duration: Int64, ended: Int64?)])
    func microphoneEnd(end: Int64?, full: Int64?, duration: Int64, ended: Int64?) throws {
        let fixture = try Fixture()
        try fixture.addMicrophone(first: 48_000, end: end.map { $0 * 48_000 })
        fixture.movie.conclusion = Self.seconds(full)
        let track = try #require(fixture.finish().tracks.first { $0.kind == "microphone" })
        #expect(track.first_ns == 1_000_000_000)
        #expect(track.duration_ns == Self.seconds(duration)?.nanoseconds)
        #expect(track.ended_ns == Self.seconds(ended)?.nanoseconds)
    }
}
