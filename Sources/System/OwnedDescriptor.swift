internal import CMulticamFiles
import Glibc
package import MulticamMedia

/// A file descriptor with exactly one owner. The descriptor is closed when the `OwnedDescriptor` is
/// destroyed.
package struct OwnedDescriptor: ~Copyable, Sendable {
    /// The file descriptor's number.
    package let number: Int32

    /// Takes ownership of an open descriptor.
    ///
    /// - Parameter number: An open file descriptor that no other code owns or closes.
    package init(owning number: Int32) {
        self.number = number
    }

    /// Opens a device node with O_CLOEXEC, so that child processes don't inherit the descriptor.
    ///
    /// - Parameters:
    ///   - path: Path of the device node.
    ///   - flags: Flags of open(2), such as O_RDWR; O_CLOEXEC is added.
    /// - Throws: `DeviceError` with the operation "opening", the path, and the system's error number.
    package init(opening path: String, flags: Int32) throws(DeviceError) {
        let number = open(path, flags | O_CLOEXEC)
        guard number >= 0 else { throw DeviceError(device: path, operation: "opening", errno: errno) }
        self.number = number
    }

    deinit {
        close(number)
    }
}

/// Wakes a thread that is sleeping in poll(2), using an eventfd that both threads share. `WakeUp` can be used
/// from any thread.
package final class WakeUp: Sendable {
    private let descriptor: OwnedDescriptor

    /// Creates an eventfd in the non-signaled state.
    ///
    /// - Parameter device: Name of the device that the thread serves, for errors.
    /// - Throws: `DeviceError` with the operation "eventfd" and the system's error number.
    package init(for device: String) throws(DeviceError) {
        let number = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard number >= 0 else { throw DeviceError(device: device, operation: "eventfd", errno: errno) }
        descriptor = OwnedDescriptor(owning: number)
    }

    /// The file descriptor of the eventfd. After a call of `wake`, the descriptor is readable (POLLIN) until
    /// `clear` is called.
    package var number: Int32 { descriptor.number }

    /// Wakes the sleeping thread. Later calls of poll(2) also return immediately, until `clear` is called.
    package func wake() {
        eventfd_write(descriptor.number, 1)
    }

    /// Clears all pending wake-ups, so that the thread can sleep again.
    package func clear() {
        var count: eventfd_t = 0
        eventfd_read(descriptor.number, &count)
    }
}

extension WakeUp {
    /// Blocks the calling thread for a duration on CLOCK_MONOTONIC, or until `wake` is called. A pending
    /// wake-up isn't cleared.
    ///
    /// - Parameter time: Maximum duration of the sleep.
    /// - Returns: `true` if the thread was woken, `false` if the duration has elapsed.
    package func sleep(for time: Nanoseconds) -> Bool {
        let end = MonotonicClock().now + time
        while true {
            let rest = end - MonotonicClock().now
            guard rest > .zero else { return false }
            var source = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            // The timeout is rounded up, because waking too early would require another call of poll(2).
            let result = poll(&source, 1, Int32(clamping: (rest.count + 999_999) / 1_000_000))
            if result > 0 { return true }
        }
    }
}

/// File descriptors that are kept in reserve, so that a process at its limit can still close its files properly:
/// writing a manifest needs a few new descriptors. Can be used from any thread.
package final class DescriptorReserve: Sendable {
    private let numbers: ConditionLock<[Int32]>

    /// Number of descriptors: a file that is replaced and its folder, for two files written at the same time.
    private static let size = 6

    /// Opens the descriptors, or as many as the limit of the process allows.
    package init() {
        numbers = ConditionLock(
            (0..<Self.size).compactMap { _ in
                let number = eventfd(0, Int32(EFD_CLOEXEC))
                return number >= 0 ? number : nil
            })
    }

    deinit { release() }

    /// Closes the descriptors, which makes their numbers available to the process. Later calls have no effect.
    package func release() {
        numbers.withLock { numbers in
            for number in numbers { close(number) }
            numbers = []
        }
    }
}
