import Foundation

/// A temporary folder for one test, which is deleted after the test.
final class Folder {
    let path: String

    init() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "containers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        path = place.path
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("\(path) remains: \(error)")
        }
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}
