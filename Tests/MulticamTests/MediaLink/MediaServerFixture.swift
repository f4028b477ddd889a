import Foundation
import MulticamMedia
import MulticamMediaServing
import MulticamSession
import MulticamSessionFolder
import MulticamSetup

/// A session on standby with a media socket in a temporary folder.
struct MediaServerFixture: Sendable {
    let scratch: URL
    let server: MediaServer
    let setup: SessionSetup
    let session: MulticamSession

    var path: String { scratch.path + "/media" }

    static let profile = """
        cameras:
          desk: { device: "virtual:clap", size: 320x180, rate: 30 }
          face: { device: "virtual:bars?format=nv12", size: 160x120, rate: 30, format: nv12 }
        microphones: { host: { device: "virtual:tone" } }
        program: { size: 320x180, rate: 30, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
        tracks: { cameras: encode, microphones: wav }
        budget: { governor: false }
        """

    /// Creates the socket, and then the session. `announce` sends the session's remote devices.
    init(
        _ profile: String = profile, seconds: Int64 = 2, devices: RemoteDevices = RemoteDevices(),
        announce: (String) throws -> Void = { _ in }
    ) throws {
        // A socket path is limited to 107 bytes.
        scratch = URL(fileURLWithPath: "/tmp/media-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        server = try MediaServer(at: scratch.path + "/media", devices: devices)
        try announce(scratch.path + "/media")
        let file = scratch.appending(path: "test.yaml")
        try profile.write(to: file, atomically: true, encoding: .utf8)
        var configuration = SessionConfiguration(profile: file.path)
        configuration.remoteDevices = devices
        setup = try SessionSetup(configuration)
        session = MulticamSession(
            setup,
            RecordingOptions(
                parentFolder: scratch.path, name: "session", duration: .seconds(seconds), version: "0.0.0"))
        server.serve(session)
    }

    func remove() {
        server.stop()
        do {
            try FileManager.default.removeItem(at: scratch)
        } catch {
            print("left behind: \(scratch.path): \(error)")
        }
    }
}
