import MulticamKit
import OwnDevices

/// Records the program of a rotating camera, and keeps the picture upright with a custom orientation tracker.
///
///     swift run own-orientation [FOLDER]
@main
struct OwnOrientation {
    static func main() async throws {
        let parent = CommandLine.arguments.dropFirst().first ?? "recordings"
        let tracker = TurningTracker()
        // A profile created in code: one built-in camera, rotated according to the sensor, shown only in the program.
        var camera = CameraRole(role: "arm")
        camera.rotation = .sensor
        let profile = Profile(
            name: "own-orientation", cameras: [camera],
            program: ProgramSettings(
                size: FrameSize(width: 640, height: 360), layout: .single, main: "arm",
                audio: AudioSettings(mix: [])))
        let setup = try SessionSetup(
            SetupRequest(profile: profile), cameras: ["arm": GradientCamera(deviceType: .builtIn)],
            tracker: tracker)
        let session = setup.makeSession(
            RecordingOptions(parentFolder: parent, duration: .seconds(3), version: "own-orientation 1.0"))
        let rotation = setup.trackRotation(of: session)
        func printRotation() {
            for connection in session.connections where connection.output == "program" {
                print("\(connection.input) is turned by \(connection.rotation.degrees)° in the program")
            }
        }
        printRotation()
        let turning = Task {
            for await event in session.events where event.name == .started {
                try await Task.sleep(for: .seconds(1))
                tracker.turn(to: .quarter)
                try await Task.sleep(for: .milliseconds(500))
                printRotation()
            }
        }
        let result = try await session.record()
        rotation?.stop()
        try await turning.value
        print("\(result.folder)/program.mp4")
        print(result.verdict.text)
    }
}
