internal import Containers
internal import Glibc
internal import Media

/// Why a recovery made nothing whole. Each case carries a sentence for people.
public enum RecoveryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path holds no recording of this program, or none that can be read.
    case unreadable(String)
    /// Another process still records it or recovers it.
    case busy(String)
    /// The process may not change the recording.
    case noPermission(String)
    /// The recording could be read, but the disk refused to write what makes it whole; it is as it was.
    case storage(String)

    /// The sentence for people.
    public var description: String {
        switch self {
        case .unreadable(let sentence), .busy(let sentence), .noPermission(let sentence),
            .storage(let sentence):
            sentence
        }
    }
}

extension RecoveryError {
    init(_ error: FileError) {
        let path = error.path.printable(limit: 1000)
        switch error.errno {
        case 0 where error.isBusy: self = .busy("\(path): \(error.detail)")
        case 0: self = .unreadable("\(path): \(error.detail.printable(limit: 400))")
        case EACCES, EPERM:
            self = .noPermission(
                "\(path): no permission to change it. Recover it as the user who recorded it, or copy it to a folder of your own "
                    + "and recover the copy.")
        case ELOOP:
            self = .unreadable("\(path): links on the way lead in a circle. Check the path.")
        case ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG:
            self = .unreadable("\(path): there is no such recording. Check the path.")
        case ENOSPC, EDQUOT:
            self = .storage(
                "\(path): the disk is full. Free some space and recover again: what is there stays as it is.")
        case EROFS:
            self = .storage(
                "\(path): the file system is read-only. Copy the recording to another disk and recover the copy."
            )
        default:
            self = .storage(
                "\(path): \(error.operation) failed: \(String(cString: strerror(error.errno))) (errno \(error.errno)). Check the "
                    + "disk; what is there stays as it is.")
        }
    }
}
