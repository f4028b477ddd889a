import MulticamKit

/// Lists the cameras of this computer, records two virtual cameras as a program, shows one of them in the terminal, and changes
/// the program's layout after two seconds. `multicam ctl` can also control the recording.
///
///     swift run record-with-preview [FOLDER]
@main
struct RecordWithPreview {
    static func main() async throws {
        for camera in try await DiscoverySession(mediaType: .video).devices {
            print("connected: \(camera.name)")
        }

        // Any profile is possible. This is a built-in profile with virtual devices for all roles.
        // The services accept commands from `multicam ctl`.
        let services = try await SessionServices { print($0) }
        let session = try await services.makeSession(
            SessionConfiguration(profile: "pip", usesVirtualDevices: true))
        // The governor can pause a preview if the computer is overloaded. The handler runs on a separate thread.
        let preview = FrameTap(role: "face", format: .converted(.i420), isPreview: true) { frame in
            guard frame.sequence.isMultiple(of: 30) else { return }
            print(Thumbnail(of: frame, columns: 64).text)
        }
        try session.attach(preview)

        let recording = try await session.startRecording(
            in: CommandLine.arguments.dropFirst().first ?? "recordings", duration: .seconds(5))
        try await Task.sleep(for: .seconds(2))
        try await session.commit([.layout(.sideBySide)])
        try recording.mark("side by side from here on")
        let result = try await recording.result
        await services.stop()
        print(result.verdict.text)
        print("\(result.folder)/program.mp4; \(preview.deliveredCount) frames were shown.")
    }
}
