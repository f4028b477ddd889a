import MulticamKit
import OwnDevices

/// Records a custom camera, encoded in a separate file, and a microphone.
///
///     swift run own-camera [FOLDER]      (in the folder Examples)
@main
struct OwnCamera {
    static func main() async throws {
        // The plan uses the format of the camera, regardless of the device that the profile names for the camera's role.
        let session = try await MulticamSession(
            SessionConfiguration(
                profile: "Profiles/own-camera.yaml", ownCameras: ["own": GradientCamera()]))
        let result = try await session.record(
            in: CommandLine.arguments.dropFirst().first ?? "recordings", duration: .seconds(3))
        for track in result.tracks {
            let amount = track.frameCount.map { "\($0) frames" } ?? "\(track.sampleCount ?? 0) samples"
            print("\(track.files[0]): \(amount)")
        }
        print(result.verdict.text)
    }
}
