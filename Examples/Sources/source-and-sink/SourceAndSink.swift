import Foundation
import MulticamKit
import OwnDevices

/// Runs a custom camera and a custom microphone without recording. One sink writes the frames to a file, and another sink receives
/// the data of both devices in sync.
///
///     swift run source-and-sink [FILE.y4m]
@main
struct SourceAndSink {
    static func main() async throws {
        let path = CommandLine.arguments.dropFirst().first ?? "own.y4m"
        // The session itself doesn't write any files.
        let profile = Profile(
            name: "source-and-sink", cameras: [CameraRole(role: "own")],
            microphones: [MicrophoneRole(role: "tone")],
            tracks: TrackSettings(cameras: .none, microphones: .none))
        let camera = GradientCamera(size: FrameSize(width: 320, height: 180))
        let sink = try VideoFileSink(path: path, rate: camera.format.rate)
        let frames = FrameTap(role: "own", format: .converted(.i420), capacity: 8) { sink.write($0) }
        let both = SynchronizedOutput(roles: ["own", "tone"], rate: FrameRate(2, per: 1)) { tick in
            guard case .frame(let own)? = tick["own"], case .audio(let tone)? = tick["tone"] else { return }
            let peak = tone.samples.map { abs($0) }.max() ?? 0
            let distance = (own.capturedAt.nanoseconds - tick.time.nanoseconds) / 1_000_000
            print(
                "tick \(tick.index): frame \(own.sequence), \(distance) ms from it; the tone's peak is \(peak)"
            )
        }
        var configuration = SessionConfiguration(
            profile: profile, ownCameras: ["own": camera], ownMicrophones: ["tone": ToneMicrophone()])
        configuration.synchronizedOutputs = [both]
        configuration.recording.duration = .seconds(3)
        let session = try await MulticamSession(configuration)
        try session.attach(frames)
        try await session.run()
        try sink.close()
        print("\(path): \(frames.deliveredCount) frames, \(frames.droppedCount) dropped")
    }
}
