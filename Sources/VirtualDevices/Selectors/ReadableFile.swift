import Glibc
import Media

/// A file that a selector names; its errors are those of a device that is missing or unusable.
struct ReadableFile {
    let path: String
    private let selector: String
    private let operation: String

    /// Opens the file once to check that it can be read.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - selector: The selector as the user wrote it, for messages.
    ///   - operation: What is tried, for messages: `opening the file`.
    /// - Throws: `VirtualDeviceError.device` when the file is missing, may not be read, or is a pipe, a socket or a
    ///   device, which might never answer.
    init(_ path: String, asked selector: String, operation: String) throws(VirtualDeviceError) {
        self.path = path
        self.selector = selector
        self.operation = operation
        // O_NONBLOCK: opening a named pipe must not wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            let number = errno
            // ENXIO: a socket cannot be opened, and a device may have no driver.
            if number == ENXIO { throw .device(Self.noFile("a socket or a device", selector, operation)) }
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
        case S_IFIFO: throw .device(Self.noFile("a named pipe", selector, operation))
        default: throw .device(Self.noFile("a device", selector, operation))
        }
    }

    private static func noFile(_ what: String, _ selector: String, _ operation: String) -> DeviceError {
        DeviceError(
            device: selector, operation: operation,
            reason: .other("it is \(what), which is no file. Name a media file."))
    }

    /// Runs a closure that reads the file.
    ///
    /// - Throws: `VirtualDeviceError.device` when `body` throws, with advice to check the file.
    func read<Result>(
        _ body: () throws(EncodingError) -> Result
    ) throws(VirtualDeviceError) -> Result {
        do throws(EncodingError) {
            return try body()
        } catch {
            // libavformat's message for a file of an unknown kind.
            let reason =
                error.reason.contains("Invalid data found")
                ? "it holds no frames or audio that can be read" : error.reason.printable()
            let sentence = "\(reason). Check the file with `ffprobe`, or choose another."
            throw .device(DeviceError(device: selector, operation: operation, reason: .other(sentence)))
        }
    }
}
