import Glibc
import Media

/// A file that a selector names, with the errors of a device that is missing or not what it should be.
struct ReadableFile {
    let path: String
    private let selector: String
    private let operation: String

    /// - Parameters:
    ///   - path: Of the file.
    ///   - selector: As the user wrote it.
    ///   - operation: What is tried, for messages: `opening the file`.
    /// - Throws: When it is not there or may not be read.
    init(_ path: String, asked selector: String, operation: String) throws(VirtualDeviceError) {
        self.path = path
        self.selector = selector
        self.operation = operation
        guard access(path, R_OK) == 0 else {
            let number = errno
            throw .device(
                [ENOTDIR, ENAMETOOLONG].contains(number)
                    ? DeviceError(device: selector, operation: operation, reason: .notFound)
                    : DeviceError(device: selector, operation: operation, errno: number))
        }
    }

    /// Reads from it; what cannot be understood is the device's failure.
    func read<Result>(
        _ body: () throws(EncodingError) -> Result
    ) throws(VirtualDeviceError) -> Result {
        do throws(EncodingError) {
            return try body()
        } catch {
            // libavformat's words for a file of no kind that it knows.
            let reason =
                error.reason.contains("Invalid data found")
                ? "it holds no pictures or sound that can be read" : error.reason.printable()
            let sentence = "\(reason). Check the file with `ffprobe`, or choose another."
            throw .device(DeviceError(device: selector, operation: operation, reason: .other(sentence)))
        }
    }
}
