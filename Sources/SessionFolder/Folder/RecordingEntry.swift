internal import Containers
internal import FileSystem
internal import Glibc
public import Media

/// A session folder in a list of recordings.
public struct RecordingEntry: Sendable, Equatable, Encodable {
    /// What became of the recording.
    public enum State: String, Sendable, Encodable {
        /// A session records into the folder, or a recovery works on it.
        case recording
        /// The recording ended by a crash, and `multicam recover` has not been run.
        case cutOff = "cut-off"
        case complete
        /// The manifest cannot be read.
        case damaged
    }

    /// The folder's name.
    public let folder: String
    /// What became of the recording.
    public let state: State
    /// When it began, as ISO 8601; `nil` when that is not known.
    public private(set) var started: String?
    /// How long it is, in nanoseconds; `nil` while that is not known.
    public private(set) var duration_ns: Int64?
    /// Bytes of its files; `nil` while that is not known.
    public private(set) var bytes: Int64?
    /// The profile's name; `nil` when that is not known.
    public private(set) var profile: String?
    /// What is said of a recording that has ended; why it cannot be read; `nil` while it runs.
    public private(set) var verdict: String?

    /// Looks at a folder; `nil` when it is no session folder.
    ///
    /// - Parameters:
    ///   - name: The folder's name.
    ///   - parent: Path of the folder in which it is.
    public init?(_ name: String, in parent: String) {
        let path = "\(parent)/\(name)"
        folder = name.printable()
        switch FolderState(of: path) {
        case .noRecording: return nil
        case .running: state = .recording
        case .unfinished:
            state = .cutOff
            verdict = "It was cut off. `multicam recover` makes it whole."
        case .ended:
            do {
                let manifest = try Manifest(
                    reading: try WholeFile.bytes(
                        of: path + "/manifest.json", atMost: Manifest.largestByteCount))
                state = .complete
                started = manifest.started.printable()
                duration_ns = manifest.duration_ns
                profile = manifest.profile.printable()
                verdict = Verdict(manifest).text
                bytes = (manifest.files ?? []).reduce(Int64(0)) { $0 &+ $1.bytes }
            } catch {
                state = .damaged
                verdict = "\(error)".printable(limit: 400)
            }
        }
    }

    /// Lists the recordings in a folder, the newest name first.
    ///
    /// - Parameters:
    ///   - folder: Path of the folder.
    ///   - limit: The most recordings that are listed.
    /// - Returns: The recordings; none where the folder does not exist.
    /// - Throws: `FileError` when the folder cannot be read.
    public static func list(_ folder: String, atMost limit: Int = 200) throws(FileError) -> [RecordingEntry] {
        let names: [String]
        do throws(FileError) {
            names = try FolderListing(of: folder, atMost: 100_000).names
        } catch {
            if error.errno == ENOENT { return [] }
            throw error
        }
        return Array(names.reversed().lazy.compactMap { RecordingEntry($0, in: folder) }.prefix(limit))
    }
}
