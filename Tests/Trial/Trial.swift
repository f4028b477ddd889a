import Foundation
import MulticamKit

/// An external program that uses multicam, for tools/trial. It lists devices, records two virtual cameras and
/// a microphone, previews one camera, swaps the cameras, sets a marker, and prints the results. `trial FOLDER sessions COUNT` runs
/// random sessions instead.
@main
struct Trial {
    /// The parts of `manifest.json` that this program prints.
    struct Manifest: Decodable {
        struct Marker: Decodable { let text: String }
        struct Layer: Decodable { let role: String }
        struct Arrangement: Decodable { let layers: [Layer] }
        let markers: [Marker]
        let arrangements: [Arrangement]?
    }

    static func main() async throws {
        let parent = CommandLine.arguments.dropFirst().first ?? "recordings"
        if CommandLine.arguments.dropFirst(2).first == "sessions" {
            return try await RandomSessions(folder: parent).run(
                count: Int(CommandLine.arguments.last ?? "") ?? 20)
        }
        let discovery = try await DiscoverySession()
        let cameras = discovery.devices.filter { $0.mediaType == .video }.count
        print("devices: \(cameras) cameras, \(discovery.devices.count - cameras) microphones")

        let session = try await MulticamSession(
            SessionConfiguration(profile: "interview", usesVirtualDevices: true), on: .unlimited)
        let seen = session.currentPlan.cameras[0].role
        let preview = FrameTap(role: seen, format: .converted(.bgra)) { _ in }
        try session.attach(preview)
        let recording = try await session.startRecording(in: parent, duration: .seconds(4))
        try await Task.sleep(for: .seconds(2))
        try await session.commit([.swap(with: nil)])
        try recording.mark("swapped")
        let result = try await recording.result
        print("preview: \(preview.deliveredCount) frames of \(seen)")
        print(result.verdict.text)

        for track in result.tracks {
            let file = track.files[0].dropFirst(result.folder.count + 1)
            print("track: \(file) \(track.frameCount.map { "\($0) frames" } ?? "no frames")")
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(result.folder)/manifest.json"))
        let manifest = try JSONDecoder().decode(Manifest.self, from: bytes)
        print("markers: \(manifest.markers.map(\.text).joined(separator: ", "))")
        let shown = (manifest.arrangements ?? []).compactMap(\.layers.first?.role)
        print("shown: \(shown.joined(separator: ", then "))")
        print("folder: \(result.folder)")
    }
}
