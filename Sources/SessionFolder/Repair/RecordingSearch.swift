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
        guard let list = opendir(folder) else {
            remarks.append(
                "\(folder.printable(limit: 1000)): it cannot be looked at: \(String(cString: strerror(errno)))."
            )
            return
        }
        var names: [String] = []
        while let entry = readdir(list) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                let name = bytes.prefix { $0 != 0 }
                return (
                    text: String(validating: name, as: UTF8.self),
                    shown: String(decoding: name, as: UTF8.self)
                )
            }
            guard let text = name.text else {
                remarks.append(
                    "\(folder.printable(limit: 1000))/\(name.shown.printable()): its name is no UTF-8. Rename it, then "
                        + "look again.")
                continue
            }
            if !text.hasPrefix(".") { names.append(text) }
        }
        closedir(list)
        for name in names.sorted() {
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
