internal import FileSystem
internal import Glibc
internal import Media

/// Finds the session folders below a folder, such as the one that `--output` names.
public struct RecordingSearch: Sendable {
    /// Paths of interrupted recordings, in the order of their names.
    public private(set) var unfinished: [String] = []
    /// Paths of recordings that still run or are being recovered, in the order of their names.
    public private(set) var running: [String] = []
    /// Number of recordings that ended.
    public private(set) var endedCount = 0
    /// Folders that could not be searched, one sentence each.
    public private(set) var remarks: [String] = []

    /// Largest number of levels that are searched below the first folder: whoever keeps recordings by year, month and day has
    /// them three levels down.
    private static let deepest = 4

    /// Searches `folder` and the folders below it, without following symbolic links and without folders whose names begin with a
    /// dot.
    public init(below folder: String) { look(into: folder, depth: 0) }

    /// Whether no recording was found.
    public var isEmpty: Bool { unfinished.isEmpty && running.isEmpty && endedCount == 0 }

    private mutating func look(into folder: String, depth: Int) {
        let listing: FolderListing
        do throws(FileError) { listing = try FolderListing(of: folder) } catch {
            remarks.append(
                "\(folder.printable(limit: 1000)): it cannot be looked at: \(String(cString: strerror(error.errno)))."
            )
            return
        }
        for name in listing.unreadableNames {
            remarks.append(
                "\(folder.printable(limit: 1000))/\(name.printable()): its name is no UTF-8. Rename it, then look again."
            )
        }
        for name in listing.names where !name.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
            switch FolderState(of: path) {
            case .unfinished: unfinished.append(path)
            case .running: running.append(path)
            case .ended: endedCount += 1
            case .noRecording: if depth < Self.deepest { look(into: path, depth: depth + 1) }
            }
        }
    }
}
