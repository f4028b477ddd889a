internal import FoundationEssentials
internal import Glibc
internal import MulticamContainers
public import MulticamMedia
package import MulticamSessionFolder
internal import MulticamSystem

/// The files of one still.
public struct StillFiles: Sendable, Equatable {
    /// Absolute path of the still.
    public let still: String
    /// Absolute path of the clip around the still; `nil` if there is no clip.
    public let clip: String?
    /// Capture time of the frame, as a time stamp on the session clock.
    public let capturedAt: ClockTime
}

/// The folder for stills and their clips. Each file gets a unique name.
package struct StillFolder: Sendable {
    /// Path of the folder that the user selected, or of the session folder.
    private let root: String
    /// The subfolder of `root`.
    private let subfolder: String
    private let software: String

    /// Describes a folder for stills. If the folder doesn't exist, it is created when the first still is
    /// written.
    ///
    /// - Parameters:
    ///   - path: Path of the folder.
    ///   - version: The application's version, which is stored in the files as part of the software name.
    package init(path: String, version: String) { self.init(path, subfolder: "", version) }

    /// Describes the folder for the stills of a recording, which is the subfolder `stills` of the session
    /// folder.
    package init(ofSession folder: String, version: String) {
        self.init(folder, subfolder: "stills", version)
    }

    private init(_ root: String, subfolder: String, _ version: String) {
        self.root = URL(fileURLWithPath: root).standardizedFileURL.path
        self.subfolder = subfolder
        software = "multicam \(version)"
    }

    /// Writes a still as `2026-11-21_142310-123_desk.jpg` and its clip as a QuickTime movie with the same name. The
    /// name contains the local time with milliseconds. Blocks on disk I/O. Don't call this method from a Swift task.
    ///
    /// - Parameters:
    ///   - still: The still to write.
    ///   - codecs: Encodes frames that aren't JPEG, and the clip's audio.
    ///   - name: File name to use instead of the default. No file with this name may exist yet.
    /// - Returns: Absolute paths of the files.
    /// - Throws: `StillError.encoding` if the frame or the audio cannot be encoded, `.file` if a file cannot
    ///   be written or already exists.
    package func write(
        _ still: Still, with codecs: any CodecFactory, as name: String? = nil
    ) throws(StillError) -> StillFiles {
        let (frame, jpeg): (CapturedFrame, SharedBytes)
        do throws(EncodingError) {
            frame = try still.squarePixelFrame(with: codecs)
            jpeg = try codecs.makeStill(of: frame)
        } catch {
            throw .encoding(error)
        }
        let facts = still.metadata.exif(of: frame, role: still.role, software: software)
        let clip: (movie: ClipFile, place: ContainedFile)
        let files: StillFiles
        do throws(FileError) {
            try FolderCreation.make(root)
            let folder = try ContainedFolder(opening: root)
            if !subfolder.isEmpty { try folder.makeFolder(subfolder) }
            let prefix = subfolder.isEmpty ? "" : subfolder + "/"
            let base: String
            if let name {
                base = prefix + Self.nameWithoutExtension(name)
            } else {
                base = try freeName(still, in: folder, prefix)
            }
            let file = folder.file(name.map { prefix + $0 } ?? base + ".jpg")
            try StillFile.write(jpeg, facts, to: file)
            let time = still.frame.capturedAt
            guard let movie = ClipFile(still) else {
                return StillFiles(still: file.path, clip: nil, capturedAt: time)
            }
            clip = (movie, folder.file(base + ".mov"))
            files = StillFiles(still: file.path, clip: clip.place.path, capturedAt: time)
        } catch {
            throw .file(error)
        }
        try clip.movie.write(to: clip.place, with: codecs)
        return files
    }

    private static func nameWithoutExtension(_ name: String) -> String {
        name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    }

    /// Returns a file name, without an extension, that no still or clip in the folder uses yet. Two stills in
    /// the same millisecond are rare but possible.
    private func freeName(
        _ still: Still, in folder: ContainedFolder, _ prefix: String
    ) throws(FileError) -> String {
        let usual = prefix + SessionFolder.defaultName(date: still.metadata.date, profile: "")
        let milliseconds = LocalTime(still.metadata.date).timeSinceMidnight.count / 1_000_000 % 1000
        let digits = String(String(1000 + milliseconds).dropFirst())
        let base = "\(usual.dropLast())-\(digits)_\(still.role)"
        for number in 1..<1000 {
            let candidate = number == 1 ? base : "\(base)-\(number)"
            if !folder.file(candidate + ".jpg").exists, !folder.file(candidate + ".mov").exists {
                return candidate
            }
        }
        throw FileError(path: folder.file(base + ".jpg").path, operation: "creating the file", errno: EEXIST)
    }
}

extension Manifest.Still {
    /// Creates the manifest entry of a still.
    ///
    /// - Parameters:
    ///   - at_ns: Capture time of the frame, in nanoseconds, relative to T0.
    ///   - role: The camera's role.
    ///   - files: The files that were written.
    ///   - folder: Path of the session folder; `nil` if there is none. Paths of files in this folder are stored as
    ///     relative paths.
    package init(at_ns: Int64, role: String, _ files: StillFiles, in folder: String?) {
        func relative(_ path: String) -> String {
            guard let folder, path.hasPrefix(folder + "/") else { return path.printable(limit: 1000) }
            return String(path.dropFirst(folder.count + 1))
        }
        self.init(at_ns: at_ns, role: role, file: relative(files.still), clip: files.clip.map(relative))
    }
}
