import Foundation

/// A temporary folder for one test, with spaces and umlauts in its path, deleted at the end of the test.
final class Scratch {
    private let root: URL
    let url: URL

    init() throws {
        // The folder is outside of any home folder, because other users must have access.
        root = URL(fileURLWithPath: "/tmp/multicam-\(UUID().uuidString)")
        url = root.appending(path: "Übung mit Läufern")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: root)
        } catch {
            print("left behind: \(root.path): \(error)")
        }
    }

    var path: String { url.path }

    func file(_ name: String, _ text: String) throws -> String {
        let file = url.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    /// Creates a profile with small frames: a program, a copied camera, and a microphone.
    func smallProfile() throws -> String {
        try file(
            "small.yaml",
            """
            cameras:
              desk: { device: "virtual:clap?size=320x180" }
            microphones:
              host: { device: "virtual:clap" }
            program: { size: 320x180, rate: 30, layout: single, main: desk, audio: { mix: [host] } }
            tracks: { cameras: copy, microphones: wav }
            limits: none
            """)
    }

    /// Returns the only session folder in `output`.
    func session(in output: String) throws -> Session {
        let folder = url.appending(path: output)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        guard names.count == 1 else {
            throw RunningCommand.Failure(description: "expected one session folder, found \(names)")
        }
        return try Session(folder.appending(path: names[0]).path)
    }
}
