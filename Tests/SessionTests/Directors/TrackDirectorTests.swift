import Foundation
import MulticamMedia
import MulticamPlan
import MulticamTestDisks
import MulticamTiming
import Testing

@testable import MulticamInputs
@testable import MulticamSession
@testable import MulticamSessionFolder

@Suite("Tracks and devices that change during a recording")
struct TrackDirectorTests {
    /// Returns commands as text: the kind of each command, with its most important values.
    private static func texts(_ commands: [TimelineCommand]) -> [String] {
        commands.map { command in
            switch command {
            case .addCamera(let camera): "add camera \(camera.role)"
            case .addTrack(let track, let tick): "add track \(track.name) at tick \(tick)"
            case .addMicrophone(let feed): "add microphone \(feed.role) at sample \(feed.position)"
            case .stopTrack(let name, let time): "stop track \(name) at \(time.nanoseconds)"
            case .beginPart, .arrange, .switchOff, .endFailed: "unexpected"
            }
        }
    }

    @Test(
        "a track begins with the first tick that is at least one frame interval of the camera and of the track in the future",
        arguments: [
            // The camera's interval is 33.3 ms. The earliest start is 10.0433 s.
            (trackRate: FrameRate(50), tick: 503, start: 10_060_000_000),
            // The track's interval is 100 ms. The earliest start is 10.11 s.
            (trackRate: FrameRate(10), tick: 102, start: 10_200_000_000),
        ] as [(trackRate: FrameRate, tick: Int64, start: Int64)])
    func firstTick(trackRate: FrameRate, tick: Int64, start: Int64) throws {
        let recording = try DirectedRecording()
        recording.handle(.change(.startTrack(DirectedRecording.track("desk", rate: trackRate))))
        let output = recording.begin()
        #expect(Self.texts(output.commands) == ["add track desk at tick \(tick)"])
        #expect(recording.outputs.startTimes["desk"] == MediaTime(nanoseconds: start))
        #expect(output.events.map(\.name) == [.split])
        #expect(output.events.map(\.at) == [MediaTime(nanoseconds: start)])
    }

    @Test("a track begins only if its first tick is before the end of the recording")
    func endOfRecording() throws {
        let late = try DirectedRecording()
        late.handle(.change(.startTrack(DirectedRecording.track("desk"))))
        #expect(late.hasFile("desk.mov"))
        let output = late.begin(before: MediaTime(nanoseconds: 10_060_000_000))
        #expect(output.commands.isEmpty && output.events.isEmpty)
        #expect(!late.director.consumeChange())
        late.director.finish()
        #expect(!late.hasFile("desk.mov"))

        let inTime = try DirectedRecording()
        inTime.handle(.change(.startTrack(DirectedRecording.track("desk"))))
        #expect(inTime.begin(before: MediaTime(nanoseconds: 10_060_000_001)).commands.count == 1)
    }

    @Test("a track that is stopped before its first tick never begins, and its file is removed")
    func canceled() throws {
        let recording = try DirectedRecording()
        recording.handle(.change(.startTrack(DirectedRecording.track("desk"))))
        #expect(recording.handle(.change(.stopTrack(name: "desk"))).isEmpty)
        let output = recording.begin()
        #expect(output.commands.isEmpty && output.events.isEmpty)
        #expect(!recording.director.consumeChange())
        recording.director.finish()
        #expect(!recording.hasFile("desk.mov"))
    }

    @Test("stopping an open track ends it when the change was requested and rewrites the manifest once")
    func stopped() throws {
        let recording = try DirectedRecording()
        recording.handle(.change(.startTrack(DirectedRecording.track("desk"))))
        _ = recording.begin()
        #expect(recording.director.consumeChange())
        let commands = recording.handle(.change(.stopTrack(name: "desk")))
        #expect(Self.texts(commands) == ["stop track desk at \(DirectedRecording.now.nanoseconds)"])
        #expect(recording.director.consumeChange())
        #expect(!recording.director.consumeChange())
    }

    @Test("a file that can't be created causes a warning with the track's name, and no track begins")
    func failedFile() throws {
        let recording = try DirectedRecording()
        try Data().write(to: URL(filePath: "\(recording.disk.path)/blocked"))
        recording.handle(
            .change(.startTrack(DirectedRecording.track("desk", file: "blocked/desk.mov"))))
        let output = recording.begin()
        #expect(output.commands.isEmpty && recording.outputs.cameraTracks.isEmpty)
        let event = try #require(output.events.first)
        guard case .warning(let warning) = event.content else {
            Issue.record("\(event)")
            return
        }
        #expect(warning.track == "desk" && event.at == DirectedRecording.now)
        #expect(warning.text.hasPrefix("track desk could not start: "))
        #expect(!recording.director.consumeChange())
    }

    @Test("an added camera joins the recording before its track, and its format can be changed even earlier")
    func addedCamera() throws {
        let recording = try DirectedRecording()
        let camera = try DirectedRecording.camera("face", clock: recording.clock)
        let opened = try TrackOpener(
            disks: [recording.disk.disk], codecs: recording.codecs, date: Date(timeIntervalSince1970: 0)
        ).open(DirectedRecording.track("face", file: "face.mov"), of: camera)
        #expect(recording.handle(.admit(camera, DirectedRecording.planned("face"), opened)).isEmpty)
        recording.handle(.change(.setFormat(role: "face", nil)))
        #expect(recording.deliveredFormats.map(\.role) == ["face"])
        #expect(
            Self.texts(recording.begin().commands) == ["add camera face", "add track face at tick 503"])
    }

    @Test(
        "a device whose track hasn't begun at the end of the recording is returned, and its file is removed")
    func unusedDevice() throws {
        let recording = try DirectedRecording()
        let camera = try DirectedRecording.camera("face", clock: recording.clock)
        let opened = try TrackOpener(
            disks: [recording.disk.disk], codecs: recording.codecs, date: Date(timeIntervalSince1970: 0)
        ).open(DirectedRecording.track("face", file: "face.mov"), of: camera)
        recording.handle(.admit(camera, DirectedRecording.planned("face"), opened))
        recording.director.finish()
        #expect(recording.inputs.cameras.map(\.role) == ["desk", "face"])
        #expect(!recording.hasFile("face.mov"))
    }

    @Test("replacing a camera stops the old source and requests its format within the governor's limits")
    func replaced() throws {
        let stopped = ConditionLock<[String]>([])
        let recording = try DirectedRecording(clock: MonotonicClock()) { role in
            stopped.withLock { $0.append(role) }
        }
        let other = try DirectedRecording.camera("spare", clock: recording.clock)
        recording.handle(.replaceCamera(role: "desk", other))
        recording.director.finish()
        #expect(stopped.withLock { $0 } == ["desk"])
        #expect(recording.inputs.cameras[0].source.device.name == "spare")
        #expect(recording.deliveredFormats.map(\.role) == ["desk"])
        #expect(recording.deliveredFormats.first?.format == DirectedRecording.format)
        #expect(recording.director.consumeChange())
    }

    @Test("a replacement for a camera that isn't part of the recording is stopped")
    func replacedUnknown() throws {
        let stopped = ConditionLock<[String]>([])
        let recording = try DirectedRecording(clock: MonotonicClock())
        let other = try DirectedRecording.camera("spare", clock: recording.clock) { role in
            stopped.withLock { $0.append(role) }
        }
        recording.handle(.replaceCamera(role: "face", other))
        recording.director.finish()
        #expect(stopped.withLock { $0 } == ["spare"])
        #expect(recording.deliveredFormats.isEmpty && !recording.director.consumeChange())
    }

    @Test(
        "a second track of a microphone begins at the next sample, or where the previous track ends if that is later",
        arguments: [
            (previousEnd: 400_000, begin: 480_000), (previousEnd: 600_000, begin: 600_000),
        ] as [(previousEnd: Int64, begin: Int64)])
    func secondAudioTrack(previousEnd: Int64, begin: Int64) throws {
        let recording = try DirectedRecording()
        try recording.addMicrophone(trackEnd: previousEnd)
        recording.handle(
            .change(.startAudio(PlannedMicrophoneTrack(name: "host-2", role: "host", file: "host-2.wav"))))
        let output = recording.begin(audioSample: 480_000)
        #expect(recording.outputs.microphoneTracks.map(\.first) == [0, begin])
        #expect(output.commands.isEmpty)
        #expect(output.events.map(\.at) == [AudioGrid.samples.time(ofTick: begin)])
    }

    @Test("the feed of a new microphone begins at the next sample, and its track with the present audio")
    func newMicrophone() throws {
        let recording = try DirectedRecording()
        let opened = try TrackOpener(
            disks: [recording.disk.disk], codecs: recording.codecs, date: Date(timeIntervalSince1970: 0)
        ).open(
            PlannedMicrophoneTrack(role: "host", file: "host.wav"), of: recording.microphone(), isNew: true)
        recording.handle(.admitAudio(opened))
        let output = recording.begin(audioSample: 476_000)
        #expect(Self.texts(output.commands) == ["add microphone host at sample 476000"])
        guard case .addMicrophone(let feed)? = output.commands.first else { return }
        #expect(feed.tracks.map(\.first) == [480_480])
        recording.outputs.add(feed)
    }
}
