import Glibc
package import Media

/// A file descriptor with exactly one owner; it is closed when this value is destroyed.
package struct OwnedDescriptor: ~Copyable, Sendable {
    /// The descriptor's number.
    package let number: Int32

    /// Takes ownership of an open descriptor.
    ///
    /// - Parameter number: An open descriptor that nothing else owns or closes.
    package init(owning number: Int32) {
        self.number = number
    }

    /// Opens a device node with O_CLOEXEC, so that programs started by this process do not inherit the descriptor.
    ///
    /// - Parameters:
    ///   - path: Path of the device node.
    ///   - flags: Flags of open(2), such as O_RDWR; O_CLOEXEC is added.
    /// - Throws: `DeviceError` "open", with the path and the system's error number.
    package init(opening path: String, flags: Int32) throws(DeviceError) {
        let number = open(path, flags | O_CLOEXEC)
        guard number >= 0 else { throw DeviceError(device: path, operation: "open", errno: errno) }
        self.number = number
    }

    deinit {
        close(number)
    }
}
