internal import CFiles
import Glibc
package import Media

/// Wakes a thread that sleeps in `poll`: an eventfd, which both that thread and its waker hold.
package final class WakeUp: Sendable {
    private let descriptor: OwnedDescriptor

    package init(for device: String) throws(DeviceError) {
        let number = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard number >= 0 else { throw DeviceError(device: device, operation: "eventfd", errno: errno) }
        descriptor = OwnedDescriptor(owning: number)
    }

    /// Ready to read once `wake` was called.
    package var number: Int32 { descriptor.number }

    /// Wakes the sleeper, now and whenever it polls from now on, until it forgets.
    package func wake() {
        eventfd_write(descriptor.number, 1)
    }

    /// Lets the sleeper sleep again, however often it was woken.
    package func forget() {
        var count: eventfd_t = 0
        eventfd_read(descriptor.number, &count)
    }
}

extension WakeUp {
    /// Sleeps for a time, or until it is woken.
    ///
    /// - Returns: Whether it was woken.
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
