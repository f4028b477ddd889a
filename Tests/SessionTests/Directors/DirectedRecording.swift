import Foundation
import MulticamEncoders
import MulticamEncoding
import MulticamMedia
import MulticamPlan
import MulticamStandingDevices
import MulticamTestDisks
import MulticamTiming
import MulticamWriters

@testable import MulticamInputs
@testable import MulticamSession
@testable import MulticamSessionFolder

/// A recording without a timeline: devices, a disk, and a `TrackDirector`, at a fixed time after T0.
///
/// With the default clock, files are created before `handle` returns.
final class DirectedRecording {
    /// Time since T0, which is not a tick of the test cameras.
    static let now = MediaTime(nanoseconds: 10_010_000_000)

    let disk: TestDisk
    let codecs = Codecs()
    let clock: any SessionClock
    let start: ClockTime
    let outputs: SessionOutputs
    let inputs: SessionInputs
    let director: TrackDirector
    private(set) var deliveredFormats: [(role: String, format: VideoFormat?)] = []

    static let format = VideoFormat(
        pixel: .mjpeg, size: FrameSize(width: 64, height: 48), rate: FrameRate(30))

    /// - Parameters:
    ///   - clock: The session clock.
    ///   - cameras: Roles of the cameras that are part of the recording.
    ///   - onStop: Called with the role of a camera that is stopped.
    /// - Throws: An error if the session folder can't be created.
    init(
        clock: any SessionClock = SimulatedClock(), cameras: [String] = ["desk"],
        onStop: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        disk = try TestDisk(waitsForRoom: true)
        self.clock = clock
        start = clock.now - Nanoseconds(Self.now.nanoseconds)
        outputs = SessionOutputs(disks: [disk.disk], writers: [:], microphones: [])
        inputs = SessionInputs(
            cameras: try cameras.map { try Self.camera($0, clock: clock, onStop: onStop) },
            microphones: [])
        director = TrackDirector(
            clock: clock, start: start,
            opener: TrackOpener(
                disks: [disk.disk], codecs: codecs, date: Date(timeIntervalSince1970: 1_767_225_600)),
            inputs: inputs, outputs: outputs, taps: TapRegistry())
    }

    deinit {
        director.finish()
        for writer in outputs.writers.values { writer.abandon() }
        for wave in outputs.waves { wave.abandon() }
        outputs.meter?.finish()
        outputs.meter?.join()
    }

    static func camera(
        _ role: String, clock: any SessionClock, onStop: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> CameraInput {
        try CameraInput(
            role: role, source: StandingCamera(format, name: role) { onStop(role) }, latency: .zero,
            decodes: false, taps: TapRegistry(), keepsLog: false, clock: clock, codecs: Codecs())
    }

    static func planned(_ role: String) -> PlannedCamera {
        PlannedCamera(role: role, selector: role, identity: DeviceIdentity(name: role), format: format)
    }

    static func track(_ role: String, rate: FrameRate = FrameRate(50), file: String = "desk.mov")
        -> PlannedCameraTrack
    {
        PlannedCameraTrack(
            role: role, mode: .copy, file: file, rate: rate,
            settings: VideoEncodingSettings(size: format.size, rate: rate), rotation: .none)
    }

    /// Creates the input of a microphone that isn't part of the recording yet.
    func microphone(_ role: String = "host") -> MicrophoneInput {
        MicrophoneInput(
            role: role, source: StandingMicrophone(name: role), offset: .zero, sourceChannels: [],
            clock: clock)
    }

    /// Adds a microphone to the recording, with a track that ends at a sample.
    func addMicrophone(trackEnd: Int64) throws {
        let input = microphone()
        let feed = MicrophoneFeed(
            input: input, resampler: try Codecs().makeResampler(from: input.source.format, name: "host"),
            start: start)
        let track = MicrophoneTrack(
            PlannedMicrophoneTrack(role: "host", file: "host.wav"), channels: 1, file: nil, encoder: nil,
            loudness: nil)
        _ = track.end(at: trackEnd, position: 0)
        feed.add(track)
        inputs.add(input)
        outputs.add(feed)
    }

    @discardableResult
    func handle(_ order: SessionOrder) -> [TimelineCommand] {
        director.handle(order, at: Self.now, reason: "test") { camera, format, _ in
            deliveredFormats.append((camera.role, format))
        }
    }

    /// Begins the tracks whose files exist, at the present.
    func begin(audioSample: Int64 = 480_000, before end: MediaTime? = nil) -> DirectorOutput {
        director.beginOpenedTracks(
            at: TimelinePosition(time: Self.now, programTick: nil, audioSample: audioSample), before: end)
    }

    func hasFile(_ path: String) -> Bool { FileManager.default.fileExists(atPath: "\(disk.path)/\(path)") }
}
