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
    /// Maximum number of names, because a folder from another computer can contain any number of files and subfolders.
    private static let maxCount = 20_000

    /// Lists the regular files of a session folder, sorted by path. Skips links, hidden files, and files that are being
    /// written: drafts and uploads. The result is empty if the folder can't be read.
    package static func list(in folder: ContainedFolder) -> [SessionFile] {
        var files: [SessionFile] = []
        var rest = maxCount
        append(filesOf: "", in: folder, depth: 0, upTo: &rest, to: &files)
        return files.sorted { $0.path < $1.path }
    }

    private static func append(
        filesOf parent: String, in folder: ContainedFolder, depth: Int, upTo rest: inout Int,
        to files: inout [SessionFile]
    ) {
        let listing: FolderListing
        do throws(FileError) {
            listing = try folder.listing(of: parent, atMost: rest)
        } catch {
            return
        }
        rest -= listing.names.count + listing.unreadableNames.count
        for name in listing.names
        where !name.hasPrefix(".") && ![".new", UploadArrival.suffix].contains(where: name.hasSuffix) {
            let path = parent.isEmpty ? name : "\(parent)/\(name)"
            if let byteCount = folder.file(path).byteCount {
                files.append(SessionFile(path: path, byteCount: byteCount))
            } else if depth < maxDepth {
                append(filesOf: path, in: folder, depth: depth + 1, upTo: &rest, to: &files)
            }
        }
    }
}
