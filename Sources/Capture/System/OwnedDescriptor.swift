import Glibc
import Media

/// A file descriptor with exactly one owner. Closes when that owner goes away.
struct OwnedDescriptor: ~Copyable, Sendable {
    let number: Int32

    /// - Parameter number: Open, and owned by nobody else.
    init(owning number: Int32) {
        self.number = number
    }

    init(opening path: String, flags: Int32) throws(DeviceError) {
        let number = open(path, flags | O_CLOEXEC)
        guard number >= 0 else { throw DeviceError(device: path, operation: "open", errno: errno) }
        self.number = number
    }

    deinit {
        close(number)
    }
}
