internal import Containers
internal import Glibc
internal import Media

/// What a folder is to whoever is told to read it: a recording that came to its end, one that runs, or one that a crash has left.
public enum FolderState: Sendable, Equatable {
    /// It has neither a manifest nor events.
    case noRecording
    /// Somebody records it, or recovers it.
    case running
    /// It did not come to its end, and nobody is at it.
    case unfinished
    /// It came to its end, or was recovered; or its manifest cannot be read, which readers tell better.
    case ended

    /// - Parameter folder: Any path.
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

    /// A recorder and a recovery hold a lock on the events.
    private static func isLocked(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
        flock(descriptor, LOCK_UN)
        return false
    }

    /// What to do about a recording that has not ended, in a sentence; `nil` where it has.
    ///
    /// - Parameter folder: Its path.
    /// - Returns: With a command that a shell takes as it is.
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
