import Foundation

/// A temporary folder, which is deleted when this object is deallocated.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "multicam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch {
            // The folder stays in the system's folder for temporary files.
        }
    }

    func folder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }

    func write(_ name: String, in folder: String, _ text: String) throws {
        try self.folder(folder)
        try text.write(toFile: "\(path)/\(folder)/\(name)", atomically: false, encoding: .utf8)
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
    }
}
