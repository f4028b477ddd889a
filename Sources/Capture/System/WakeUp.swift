internal import CLinux
import Glibc
import Media

/// Wakes a thread that sleeps in `poll`: an eventfd, which both that thread and its waker hold.
final class WakeUp: Sendable {
    private let descriptor: OwnedDescriptor

    init(for device: String) throws(DeviceError) {
        let number = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard number >= 0 else { throw DeviceError(device: device, operation: "eventfd", errno: errno) }
        descriptor = OwnedDescriptor(owning: number)
    }

    /// Ready to read once `wake` was called.
    var number: Int32 { descriptor.number }

    /// Wakes the sleeper, now and whenever it polls from now on.
    func wake() {
        eventfd_write(descriptor.number, 1)
    }
}
