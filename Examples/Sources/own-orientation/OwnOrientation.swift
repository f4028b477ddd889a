import MulticamKit
import OwnDevices

/// Records the program of a rotating camera, and keeps the picture upright with a custom orientation tracker.
///
///     swift run own-orientation [FOLDER]
@main
struct OwnOrientation {
    static func main() async throws {
        let tracker = TurningTracker()
        // A profile created in code: one built-in camera, rotated according to the sensor, shown only in the program.
        let profile = Profile(
            name: "own-orientation", cameras: [CameraRole(role: "arm", rotation: .sensor)],
            program: ProgramSettings(
                size: FrameSize(width: 640, height: 360), layout: .single, main: "arm",
                audio: AudioSettings(mix: [])))
        var configuration = SessionConfiguration(
            profile: profile, ownCameras: ["arm": GradientCamera(isBuiltIn: true)])
        configuration.orientationTracker = tracker
        let session = try await MulticamSession(configuration)
        func printRotation() {
            for connection in session.connections where connection.output == "program" {
                print("\(connection.input) is turned by \(connection.rotation.degrees)° in the program")
            }
        }
        printRotation()
        let recording = try await session.startRecording(
            in: CommandLine.arguments.dropFirst().first ?? "recordings", duration: .seconds(3))
        try await Task.sleep(for: .seconds(1))
        tracker.turn(to: .quarter)
        try await Task.sleep(for: .milliseconds(500))
        printRotation()
        let result = try await recording.result
        print("\(result.folder)/program.mp4")
        print(result.verdict.text)
    }
}
