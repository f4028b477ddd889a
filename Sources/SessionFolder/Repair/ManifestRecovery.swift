internal import Containers
internal import Glibc
internal import Media

/// The manifest that a crash left, and the draft of the next one beside it.
struct ManifestRecovery {
    /// The manifest, or a whole draft of a recording that ended; `nil` where there is none that can be read.
    let manifest: Manifest?
    private let draft: String

    /// Reads both.
    ///
    /// - Throws: `FileError` "open" when the process has no permission to read one of them.
    init(folder: String) throws(FileError) {
        draft = folder + "/manifest.json.new"
        let standing = try Self.read(folder + "/manifest.json")
        // A whole draft of a recording that ended lacks only its name.
        if let next = try Self.read(draft), next.outcome != .recording,
            standing?.outcome ?? .recording == .recording
        {
            manifest = next
        } else {
            manifest = standing
        }
    }

    /// Removes the draft of the next manifest.
    func removeDraft() throws(FileError) {
        guard unlink(draft) == 0 || errno == ENOENT else {
            throw FileError(path: draft, operation: "remove", errno: errno)
        }
    }

    private static func read(_ path: String) throws(FileError) -> Manifest? {
        guard access(path, F_OK) == 0 else { return nil }
        guard access(path, R_OK) == 0 else { throw FileError(path: path, operation: "open", errno: errno) }
        do {
            return try Manifest(reading: try WholeFile.bytes(of: path, atMost: Manifest.largestByteCount))
        } catch {
            // It is torn, zeros, or of another version: the caller reports that there is none.
            return nil
        }
    }
}
