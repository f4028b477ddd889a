internal import FileSystem
internal import FoundationEssentials
internal import Glibc
internal import Media

/// A file of a recording that is open for reading. Safe to use from any thread.
final class RecordedFile: Sendable {
    /// The file's bytes when it was opened.
    let byteCount: Int64
    /// Names this state of the file: who changes it changes the tag.
    let tag: String
    /// The content's media type.
    let type: String
    private let descriptor: OwnedDescriptor

    /// Opens a file below a folder without following a symbolic link: a recording that came from elsewhere cannot name a file outside
    /// of itself. `nil` when there is no such regular file, or it cannot be read.
    ///
    /// - Parameters:
    ///   - path: A path within the folder; see `isPathWithin`.
    ///   - folder: Path of the session folder.
    init?(_ path: String, in folder: String) {
        guard path.isPathWithin else { return nil }
        var names = path.split(separator: "/").map { String($0) }
        guard let last = names.popLast() else { return nil }
        var place = OwnedDescriptor(owning: open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        for name in names {
            place = OwnedDescriptor(
                owning: openat(place.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
        }
        // Without O_NONBLOCK a pipe in the file's place would block.
        let number = openat(place.number, last, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        descriptor = OwnedDescriptor(owning: number)
        var facts = stat()
        guard number >= 0, fstat(number, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        byteCount = Int64(facts.st_size)
        tag = "\"\(facts.st_ino)-\(facts.st_size)-\(facts.st_mtim.tv_sec)-\(facts.st_mtim.tv_nsec)\""
        type =
            switch last.split(separator: ".").last {
            case "mp4": "video/mp4"
            case "mov": "video/quicktime"
            case "wav": "audio/wav"
            case "json", "otio": "application/json"
            case "fcpxml", "mlt": "application/xml"
            default: "application/octet-stream"
            }
    }

    /// A path by which this very file is opened again.
    var path: String { "/proc/self/fd/\(descriptor.number)" }

    /// Reads bytes. Blocks on the disk.
    ///
    /// - Returns: At most `count` bytes; fewer at the file's end, `nil` when they cannot be read.
    func read(_ count: Int, at offset: Int64) -> Data? {
        var bytes = Data(count: count)
        let got = bytes.withUnsafeMutableBytes { buffer in
            while true {
                let got = pread(descriptor.number, buffer.baseAddress, buffer.count, off_t(offset))
                if got >= 0 || errno != EINTR { return got }
            }
        }
        return got > 0 ? bytes.prefix(got) : nil
    }
}
