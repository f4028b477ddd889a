internal import CFiles
import Glibc
package import Media

/// Wakes a thread that sleeps in poll(2), by an eventfd that the sleeping thread and its waker share. Callable from any thread.
package final class WakeUp: Sendable {
    private let descriptor: OwnedDescriptor

    /// Creates an eventfd that is not yet woken.
    ///
    /// - Parameter device: Name of the device whose thread sleeps, for the error.
    /// - Throws: `DeviceError` "eventfd", with the system's error number.
    package init(for device: String) throws(DeviceError) {
        let number = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard number >= 0 else { throw DeviceError(device: device, operation: "eventfd", errno: errno) }
        descriptor = OwnedDescriptor(owning: number)
    }

    /// The eventfd's descriptor, to poll for POLLIN: it is readable from `wake` until `forget`.
    package var number: Int32 { descriptor.number }

    /// Wakes the sleeping thread. Later calls of poll(2) return at once too, until `forget` is called.
    package func wake() {
        eventfd_write(descriptor.number, 1)
    }

    /// Clears all wake-ups so far, so that the thread can sleep again.
    package func forget() {
        var count: eventfd_t = 0
        eventfd_read(descriptor.number, &count)
    }
}

extension WakeUp {
    /// Blocks the calling thread for a time on CLOCK_MONOTONIC, or until `wake` is called. It does not clear the wake-up.
    ///
    /// - Parameter time: The longest time to sleep.
    /// - Returns: `true` when woken, `false` when the time has passed.
    package func sleep(for time: Nanoseconds) -> Bool {
        let end = MonotonicClock().now + time
        while true {
            let rest = end - MonotonicClock().now
            guard rest > .zero else { return false }
            var source = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            // Rounded up: waking early would only be another round.
            let result = poll(&source, 1, Int32(clamping: (rest.count + 999_999) / 1_000_000))
            if result > 0 { return true }
        }
    }
}
