import Foundation
import MulticamKit

/// An external program that uses multicam, for tools/trial. It lists devices, records two virtual cameras and
/// a microphone, previews one camera, swaps the cameras, sets a marker, and reads the results from the
/// manifest.
@main
struct Trial {
    static func main() async throws {
        let parent = CommandLine.arguments.dropFirst().first ?? "recordings"
        let listing = DeviceListing()
        print("devices: \(listing.cameras.count) cameras, \(listing.microphones.count) microphones")

        let setup = try SessionSetup(SetupRequest(profile: "interview", usesVirtualDevices: true))
        let seen = setup.plan.cameras[0].role
        let preview = FrameTap(role: seen, format: .converted(.bgra)) { _ in }
        let session = setup.makeSession(
            RecordingOptions(parentFolder: parent, duration: .seconds(4), version: "trial 1.0"),
            frameTaps: [preview])
        let person = Task {
            for await event in session.events where event.name == .started {
                try await Task.sleep(for: .seconds(2))
                try session.commit([.swap(with: nil)])
                session.mark("swapped")
            }
        }
        let result = try await session.record()
        try await person.value
        print("preview: \(preview.deliveredCount) frames of \(seen)")
        print(result.verdict.text)

        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(result.folder)/manifest.json"))
        let manifest = try Manifest(reading: Array(bytes))
        for track in manifest.tracks {
            let count = track.frames.map { "\($0.written) frames" } ?? "no frames"
            print("track: \(track.file) \(count)")
        }
        print("markers: \(manifest.markers.map(\.text).joined(separator: ", "))")
        let shown = (manifest.arrangements ?? []).compactMap(\.layers.first?.role)
        print("shown: \(shown.joined(separator: ", then "))")
        print("folder: \(result.folder)")
    }
}
