internal import Containers
internal import FileSystem
internal import FoundationEssentials
internal import Glibc
public import Media
internal import SessionFolder

/// The folder in which stills and their clips are written, each under a name that no other file has.
public struct StillFolder: Sendable {
    /// The files of one still.
    public struct Files: Sendable, Equatable {
        /// Absolute path of the still.
        public let still: String
        /// Absolute path of the clip around the still, or `nil` when there is none.
        public let clip: String?
        /// Capture time of the frame, as its time stamp on the session's clock.
        public let capturedAt: ClockTime
    }

    /// Absolute path of the folder.
    public let path: String
    private let software: String

    /// Names a folder for stills; the first still makes it where it is missing.
    ///
    /// - Parameters:
    ///   - path: Path of the folder.
    ///   - version: The program's version, which the files name as their software.
    public init(path: String, version: String) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
        software = "multicam \(version)"
    }

    /// Names the folder of a recording's stills: `stills` in its session folder.
    public init(ofSession folder: String, version: String) {
        self.init(path: folder + "/stills", version: version)
    }

    /// Writes a still as `2026-11-21_142310-123_desk.jpg`, by local time to the millisecond, and its clip beside it
    /// as a QuickTime movie. Waits for the disk; do not call it from a Swift task.
    ///
    /// - Parameters:
    ///   - still: The still.
    ///   - codecs: Encodes a frame that is no JPEG, and the clip's audio.
    ///   - name: File name in place of the usual one; it must not exist yet.
    /// - Returns: Absolute paths of the files.
    /// - Throws: `StillError.encoding` when the frame or the audio cannot be encoded, `.file` when a file cannot be written or
    ///   exists already.
    public func write(
        _ still: Still, with codecs: any CodecFactory, as name: String? = nil
    ) throws(StillError) -> Files {
        let jpeg: SharedBytes
        do throws(EncodingError) { jpeg = try codecs.makeStill(of: still.frame) } catch {
            throw .encoding(error)
        }
        let facts = still.facts.exif(of: still, software: software)
        let clip: (movie: ClipFile, path: String)
        let files: Files
        do throws(FileError) {
            try FolderCreation.make(path)
            let base: String
            if let name { base = path + "/" + Self.withoutEnding(name) } else { base = try freeName(still) }
            let file = name.map { path + "/" + $0 } ?? base + ".jpg"
            try StillFile.write(jpeg, facts, to: file)
            let time = still.frame.capturedAt
            guard let movie = ClipFile(still) else { return Files(still: file, clip: nil, capturedAt: time) }
            clip = (movie, base + ".mov")
            files = Files(still: file, clip: base + ".mov", capturedAt: time)
        } catch {
            throw .file(error)
        }
        try clip.movie.write(to: clip.path, with: codecs)
        return files
    }

    private static func withoutEnding(_ name: String) -> String {
        name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    }

    /// Finds a path without ending that no still or clip has: two stills of one millisecond are rare, not impossible.
    private func freeName(_ still: Still) throws(FileError) -> String {
        let usual = path + "/" + SessionFolder.usualName(date: still.facts.date, profile: "")
        let milliseconds = LocalTime(still.facts.date).sinceMidnight.count / 1_000_000 % 1000
        let digits = String(String(1000 + milliseconds).dropFirst())
        let base = "\(usual.dropLast())-\(digits)_\(still.role)"
        for number in 1..<1000 {
            let candidate = number == 1 ? base : "\(base)-\(number)"
            if access(candidate + ".jpg", F_OK) != 0, access(candidate + ".mov", F_OK) != 0 {
                return candidate
            }
        }
        throw FileError(path: base + ".jpg", operation: "create", errno: EEXIST)
    }
}
