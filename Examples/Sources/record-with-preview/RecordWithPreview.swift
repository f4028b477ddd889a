import Foundation
import MulticamKit

/// Lists the cameras of this computer, records two virtual ones as a program, shows one of them in the terminal meanwhile, and changes
/// the program's layout after two seconds. `multicam ctl` can steer it, too.
///
///     swift run record-with-preview [FOLDER]
@main
struct RecordWithPreview {
    static func main() async throws {
        let parent = CommandLine.arguments.dropFirst().first ?? "recordings"
        for camera in DeviceListing().cameras {
            print("connected: \(camera.name.printable())")
        }

        // What is to run: any profile, here a shipped one with virtual devices for all of its roles.
        let setup = try SessionSetup(SetupRequest(profile: "pip", usesVirtualDevices: true))

        // A preview rests while the computer is too slow. Its handler runs on a thread of its own.
        let preview = FrameTap(role: "face", format: .converted(.i420), isPreview: true) { frame in
            guard frame.sequence.isMultiple(of: 30) else { return }
            print(Thumbnail(of: frame, columns: 64).text)
        }
        let session = setup.makeSession(
            RecordingOptions(parentFolder: parent, duration: .seconds(5), version: "record-with-preview 1.0"),
            frameTaps: [preview])

        // Whoever may use `multicam ctl` on this computer can steer it.
        let steering = SessionController { print($0) }
        let server = try ControlServer { request throws(ControlError) in
            try steering.work(for: request, pausedPlan: setup.plan)
        }
        defer { server.stop() }
        steering.attach(server)
        steering.attach(session, setup, stills: SessionStills(setup.plan, cameras: setup.cameras))

        // Events come as they happen. The first tells where the recording is.
        let events = Task {
            for await event in session.events {
                guard event.name == .started else { continue }
                try await Task.sleep(for: .seconds(2))
                try session.commit([.layout(.sideBySide)])
                session.mark("side by side from here on")
            }
        }
        let result = try await session.record()
        steering.release()
        try await events.value

        print(result.verdict.text)
        print("\(result.folder)/program.mp4; \(preview.deliveredCount) frames were shown.")
    }
}
