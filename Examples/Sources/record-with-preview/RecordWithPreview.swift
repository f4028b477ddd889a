import Foundation
import MulticamKit

/// Lists the cameras of this computer, records two virtual cameras as a program, shows one of them in the terminal, and changes
/// the program's layout after two seconds. `multicam ctl` can also control the recording.
///
///     swift run record-with-preview [FOLDER]
@main
struct RecordWithPreview {
    static func main() async throws {
        let parent = CommandLine.arguments.dropFirst().first ?? "recordings"
        for camera in DeviceListing().cameras {
            print("connected: \(camera.name.printable())")
        }

        // Any profile is possible. This is a built-in profile with virtual devices for all roles.
        let setup = try SessionSetup(SetupRequest(profile: "pip", usesVirtualDevices: true))

        // The governor can pause a preview if the computer is overloaded. The handler runs on a separate thread.
        let preview = FrameTap(role: "face", format: .converted(.i420), isPreview: true) { frame in
            guard frame.sequence.isMultiple(of: 30) else { return }
            print(Thumbnail(of: frame, columns: 64).text)
        }
        let session = setup.makeSession(
            RecordingOptions(parentFolder: parent, duration: .seconds(5), version: "record-with-preview 1.0"),
            frameTaps: [preview])

        // Accepts commands from `multicam ctl`.
        let controller = SessionController { print($0) }
        let server = try ControlServer { request throws(ControlError) in
            try controller.prepareCommand(for: request, pausedPlan: setup.plan)
        }
        defer { server.stop() }
        controller.attach(server)
        controller.attach(session, setup, stills: SessionStills(setup.plan, cameras: setup.cameras))

        // Events arrive as they happen. The event `started` contains the path of the session folder.
        let events = Task {
            for await event in session.events {
                guard event.name == .started else { continue }
                try await Task.sleep(for: .seconds(2))
                try session.commit([.layout(.sideBySide)])
                session.mark("side by side from here on")
            }
        }
        let result = try await session.record()
        controller.release()
        try await events.value

        print(result.verdict.text)
        print("\(result.folder)/program.mp4; \(preview.deliveredCount) frames were shown.")
    }
}
