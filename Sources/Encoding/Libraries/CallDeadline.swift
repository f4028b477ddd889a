package import CMulticamMedia
package import MulticamMedia

/// Interrupts libavformat calls that exceed a time limit or are canceled. Use this object only from the
/// thread that makes the calls.
package final class CallDeadline {
    private let cancellation: Cancellation
    private var deadline = ClockTime(nanoseconds: 0)
    private var isCancellable = true
    /// Called once, when libavformat first invokes the interrupt callback. At that point, libavformat has
    /// looked up the URL's protocol and is opening the first connection.
    package var onFirstInterruptCheck: (() -> Void)?

    /// Creates a deadline for libavformat calls.
    ///
    /// - Parameter cancellation: Cancellation that interrupts the calls immediately.
    package init(_ cancellation: Cancellation) { self.cancellation = cancellation }

    /// Sets the deadline for the following libavformat calls.
    ///
    /// - Parameters:
    ///   - time: Maximum time for the calls, counted from now.
    ///   - isCancellable: Whether cancellation interrupts the calls immediately.
    package func allow(_ time: Nanoseconds, isCancellable: Bool = true) {
        deadline = MonotonicClock().now + time
        self.isCancellable = isCancellable
    }

    /// Whether the deadline of the current call has passed, or the call is canceled.
    package var shouldInterrupt: Bool {
        MonotonicClock().now > deadline || (isCancellable && cancellation.isCancelled)
    }

    /// Callback that libavformat calls while it waits. The callback is valid only while this object exists.
    package var callback: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { holder in
                guard let holder else { return 0 }
                let deadline = Unmanaged<CallDeadline>.fromOpaque(holder).takeUnretainedValue()
                deadline.onFirstInterruptCheck.take()?()
                return deadline.shouldInterrupt ? 1 : 0
            }, opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}
