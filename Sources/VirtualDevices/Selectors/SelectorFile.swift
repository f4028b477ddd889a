import Glibc
import MulticamMedia

/// A file named in a selector. Errors are reported as a missing or unusable device.
struct SelectorFile {
    let path: String
    private let selector: String
    private let operation: String

    /// Opens the file once to check that it can be read.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - selector: The selector as the user wrote it, for messages.
    ///   - operation: The attempted operation, for messages, for example `opening the file`.
    /// - Throws: `VirtualDeviceError.device` if the file is missing, can't be read, or is a pipe, a socket, or a
    ///   device, which might block forever.
    init(_ path: String, selector: String, operation: String) throws(VirtualDeviceError) {
        self.path = path
        self.selector = selector
        self.operation = operation
        // O_NONBLOCK prevents `open` from waiting for the writer of a named pipe.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            let number = errno
            // `ENXIO` means that a socket can't be opened or a device has no driver.
            if number == ENXIO {
                throw .device(Self.notRegularFileError("a socket or a device", selector, operation))
            }
            throw .device(
                [ENOTDIR, ENAMETOOLONG].contains(number)
                    ? DeviceError(device: selector, operation: operation, reason: .notFound)
                    : DeviceError(device: selector, operation: operation, errno: number))
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else {
            throw .device(DeviceError(device: selector, operation: operation, errno: errno))
        }
        switch facts.st_mode & S_IFMT {
        case S_IFREG, S_IFDIR: break
        case S_IFIFO: throw .device(Self.notRegularFileError("a named pipe", selector, operation))
        default: throw .device(Self.notRegularFileError("a device", selector, operation))
        }
    }

    private static func notRegularFileError(_ what: String, _ selector: String, _ operation: String)
        -> DeviceError
    {
        DeviceError(
            device: selector, operation: operation,
            reason: .other("the path refers to \(what), not a regular file. Choose a media file."))
    }

    /// Runs a closure that reads the file.
    ///
    /// - Throws: `VirtualDeviceError.device` if `body` throws, with advice to check the file.
    func read<Result>(
        _ body: () throws(EncodingError) -> Result
    ) throws(VirtualDeviceError) -> Result {
        do throws(EncodingError) {
            return try body()
        } catch {
            // This is libavformat's message for an unknown file type.
            let reason =
                error.reason.hasPrefix("Invalid data found")
                ? "the file does not contain readable frames or audio" : error.reason.printable()
            let sentence = "\(reason). Check the file with `ffprobe`, or choose another."
            throw .device(DeviceError(device: selector, operation: operation, reason: .other(sentence)))
        }
    }
}

/// Checks the time stamps of a media file during playback. A file can contain arbitrary time stamps, and
/// playback must not pause for the duration of a long jump.
struct FileTimestampValidator {
    private var lastTime: Nanoseconds?

    /// Longest plausible jump forward (30 days). Recordings can have gaps of several days.
    private static let maxForwardJump = Nanoseconds.seconds(30 * 86_400)
    /// Longest plausible jump backward (10 s). Packets can overlap, and frames can be out of order.
    private static let maxBackwardJump = Nanoseconds.seconds(10)

    /// Checks the next time stamp.
    ///
    /// - Parameter time: Time since the file's first frame or sample.
    /// - Returns: The cause to report if playback must end here; `nil` if playback can continue.
    mutating func check(_ time: Nanoseconds) -> String? {
        let last = lastTime ?? .zero
        defer { lastTime = time }
        let step = time - last
        guard step > Self.maxForwardJump || step < .zero - Self.maxBackwardJump else { return nil }
        let (way, length) = step > .zero ? ("forward", step) : ("backward", .zero - step)
        return
            "the file's timestamps jump \(way) by \(Int64(rounding: length.inSeconds)) s after \(last.text)"
    }
}
