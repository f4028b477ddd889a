import MulticamKit
import OwnDevices

/// Records a custom camera, encoded in a separate file, and a microphone.
///
///     swift run own-camera [FOLDER]      (in the folder Examples)
@main
struct OwnCamera {
    static func main() async throws {
        let parent = CommandLine.arguments.dropFirst().first ?? "recordings"
        // The plan uses the format of the camera, regardless of the device that the profile names for the camera's role.
        let setup = try SessionSetup(
            SetupRequest(profile: "Profiles/own-camera.yaml"), cameras: ["own": GradientCamera()])
        let session = setup.makeSession(
            RecordingOptions(parentFolder: parent, duration: .seconds(3), version: "own-camera 1.0"))
        let result = try await session.record()
        for track in result.manifest.tracks {
            let amount =
                track.frames.map { "\($0.written) frames" } ?? "\(track.samples?.written ?? 0) samples"
            print("\(result.folder)/\(track.file): \(amount)")
        }
        print(result.verdict.text)
    }
}
