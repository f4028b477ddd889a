import Glibc
package import Media

/// A file descriptor with exactly one owner, which closes it when it goes away.
package struct OwnedDescriptor: ~Copyable, Sendable {
    package let number: Int32

    /// - Parameter number: Open, and owned by nobody else.
    package init(owning number: Int32) {
        self.number = number
    }

    /// Opens a device's node, and closes it in programs that this process starts.
    ///
    /// - Throws: "open", of the node.
    package init(opening path: String, flags: Int32) throws(DeviceError) {
        let number = open(path, flags | O_CLOEXEC)
        guard number >= 0 else { throw DeviceError(device: path, operation: "open", errno: errno) }
        self.number = number
    }

    deinit {
        close(number)
    }
}
