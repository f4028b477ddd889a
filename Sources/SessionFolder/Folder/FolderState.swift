internal import Containers
internal import Glibc
internal import Media

/// State of a folder that is to be read as a recording: whether there is one, and whether it runs, ended or was interrupted.
public enum FolderState: Sendable, Equatable {
    /// The folder has neither a manifest nor events.
    case noRecording
    /// A session records into the folder, or a recovery works on it.
    case running
    /// The recording was interrupted, and no process works on the folder.
    case unfinished
    /// The recording ended or was recovered; or its manifest cannot be read, which readers of the manifest explain better.
    case ended

    /// Determines the state of a folder from its manifest and from the lock on its events. `folder` is any path.
    public init(of folder: String) {
        let hasManifest = access(folder + "/manifest.json", F_OK) == 0
        let events = folder + "/events.ndjson"
        guard hasManifest || access(events, F_OK) == 0 else {
            self = .noRecording
            return
        }
        do {
            if hasManifest {
                let bytes = try WholeFile.bytes(
                    of: folder + "/manifest.json", atMost: Manifest.largestByteCount)
                guard try Manifest(reading: bytes).outcome == .recording else {
                    self = .ended
                    return
                }
            }
        } catch {
            self = .ended
            return
        }
        self = Self.isLocked(events) ? .running : .unfinished
    }

    /// Whether another process holds the lock on the events: recorders and recoveries do.
    private static func isLocked(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
        flock(descriptor, LOCK_UN)
        return false
    }

    /// A sentence that says what to do about a recording that has not ended; `nil` for one that has, and where there is none.
    ///
    /// - Parameter folder: Path of the session folder.
    /// - Returns: A sentence; a command in it is quoted for a shell.
    public func remedy(for folder: String) -> String? {
        switch self {
        case .noRecording, .ended: nil
        case .running: "the recording is still running. Stop it first."
        case .unfinished:
            "the recording did not come to its end. Run `multicam recover \(Self.absolute(folder).shellQuoted())`."
        }
    }

    private static func absolute(_ folder: String) -> String {
        guard let path = realpath(folder, nil) else { return folder }
        defer { free(path) }
        return String(validatingCString: path) ?? folder
    }
}
