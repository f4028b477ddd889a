internal import MulticamMedia
package import MulticamSystem

/// A file of a session folder.
package struct SessionFile: Sendable, Equatable {
    /// Path relative to the session folder.
    package let path: String
    /// Size of the file in bytes.
    package let byteCount: Int64

    /// Maximum depth of the subfolders. multicam creates at most two levels.
    private static let maxDepth = 4
    /// Maximum number of files, because a folder from another computer can contain any number of files.
    private static let maxCount = 20_000

    /// Lists the regular files of a session folder, sorted by path. Skips links, hidden files, and drafts that are being
    /// written. The result is empty if the folder can't be read.
    package static func list(in folder: ContainedFolder) -> [SessionFile] {
        var files: [SessionFile] = []
        append(filesOf: "", in: folder, depth: 0, to: &files)
        return files.sorted { $0.path < $1.path }
    }

    private static func append(
        filesOf parent: String, in folder: ContainedFolder, depth: Int, to files: inout [SessionFile]
    ) {
        let names: [String]
        do throws(FileError) {
            names = try folder.listing(of: parent, atMost: maxCount).names
        } catch {
            return
        }
        for name in names where !name.hasPrefix(".") && !name.hasSuffix(".new") && files.count < maxCount {
            let path = parent.isEmpty ? name : "\(parent)/\(name)"
            if let byteCount = folder.file(path).byteCount {
                files.append(SessionFile(path: path, byteCount: byteCount))
            } else if depth < maxDepth {
                append(filesOf: path, in: folder, depth: depth + 1, to: &files)
            }
        }
    }
}
