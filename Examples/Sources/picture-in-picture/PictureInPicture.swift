import MulticamKit

/// Reproduces Apple's sample AVMultiCamPiP: records two cameras with previews as a picture-in-picture program, and swaps the
/// cameras during the recording. Prints the hardware cost before the session starts and the pressure cost while it runs. A
/// plan that exceeds the computer's capacity is reduced.
///
///     swift run picture-in-picture [FOLDER] [--virtual]
///
/// Uses the first two connected cameras, or virtual cameras if fewer than two are connected.
@main
struct PictureInPicture {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        let parent = words.first { !$0.hasPrefix("--") } ?? "recordings"
        // The cost of the plan is computed for this computer, and the plan is reduced if necessary.
        let session = try await MulticamSession(
            try await configuration(isVirtual: words.contains("--virtual")))
        show(session.reduction)

        for camera in session.currentPlan.cameras {
            let preview = FrameTap(role: camera.role, format: .converted(.i420), isPreview: true) { frame in
                guard frame.sequence.isMultiple(of: 60) else { return }
                print("\(camera.role): \(frame.size), brightness \(brightness(of: frame))")
            }
            try session.attach(preview)
        }
        let events = Task {
            for await event in session.events {
                if let text = event.message { print(text) }
            }
        }
        let recording = try await session.startRecording(in: parent, duration: .seconds(6))
        let person = Task { try await swap(in: session) }
        let result = try await recording.result
        person.cancel()
        await events.value
        print(result.verdict.text)
        print("\(result.folder)/program.mp4")
    }

    /// Creates a profile in code: two cameras and a microphone, with the second camera as an inset over the first.
    private static func configuration(isVirtual: Bool) async throws -> SessionConfiguration {
        let found = isVirtual ? [] : try await DiscoverySession().devices
        let cameras = found.filter { $0.mediaType == .video && $0.problem == nil }.prefix(2)
        let microphone = found.first { $0.mediaType == .audio && $0.isDefault }
        let selectors = cameras.count == 2 ? cameras.map(\.selector) : ["virtual:clap", "virtual:bars"]
        let profile = Profile(
            name: "picture-in-picture",
            cameras: zip(["back", "front"], selectors).map { CameraRole(role: $0, device: $1) },
            microphones: [MicrophoneRole(role: "sound", device: microphone?.selector ?? "virtual:clap")],
            program: ProgramSettings(
                size: FrameSize(width: 1280, height: 720), layout: .pip, main: "back", insets: ["front"],
                style: InsetStyle(corner: .topRight, fit: .contain), audio: AudioSettings(mix: ["sound"])))
        return SessionConfiguration(profile: profile)
    }

    /// Prints the equivalent of `AVCaptureMultiCamSession.hardwareCost`, term by term, and the applied reductions.
    private static func show(_ reduction: PlanReduction?) {
        guard let reduction else { return }
        print("hardware cost \(percent(reduction.cost.total))")
        for term in reduction.cost.terms { print("  \(term.resource): \(percent(term.used))") }
        for step in reduction.steps { print("reduced: \(step.sentence)") }
    }

    /// Simulates the double taps of a user: swaps the two cameras every two seconds, and prints the pressure cost.
    private static func swap(in session: MulticamSession) async throws {
        while !Task.isCancelled {
            try await Task.sleep(for: .seconds(2))
            guard session.status.phase == .recording else { continue }
            try await session.commit([.swap(with: nil)])
            try await Task.sleep(for: .milliseconds(500))
            let status = session.status
            let cost =
                status.pressure.map { "\($0.level.rawValue), cost \(percent($0.cost.value))" }
                ?? "not read yet"
            print("program: \(status.shown.joined(separator: ", and over it ")); system pressure \(cost)")
        }
    }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

    /// Returns the mean of some pixels, 0…255, instead of showing the frame on a screen.
    private static func brightness(of frame: CapturedFrame) -> Int {
        guard let luma = frame.plane(0), let plane = frame.planes.first else { return 0 }
        let rows = stride(from: 0, to: frame.size.height, by: 16)
        let sum = rows.reduce(0) { $0 + Int(luma[$1 * plane.stride + frame.size.width / 2]) }
        return sum / max(1, (frame.size.height + 15) / 16)
    }
}
