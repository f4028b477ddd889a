package import CMedia
package import Media

/// Ends calls of libavformat that take too long, or that nobody waits for any more. Used by the thread that makes the calls.
package final class CallDeadline {
    private let cancellation: Cancellation
    private var deadline = ClockTime(nanoseconds: 0)
    private var hears = true

    /// - Parameter cancellation: Ends the calls at once.
    package init(_ cancellation: Cancellation) { self.cancellation = cancellation }

    /// Gives the calls that follow so much time from now on.
    ///
    /// - Parameters:
    ///   - time: The longest that each of them may take, counted from now.
    ///   - hears: Whether they end at once when cancelled.
    package func allow(_ time: Nanoseconds, hears: Bool = true) {
        deadline = MonotonicClock().now + time
        self.hears = hears
    }

    /// Whether the time of the present call is over, or it is cancelled.
    package var isOver: Bool { MonotonicClock().now > deadline || (hears && cancellation.isCancelled) }

    /// What libavformat asks while it waits. Valid as long as this object is held.
    package var callback: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { holder in
                guard let holder else { return 0 }
                return Unmanaged<CallDeadline>.fromOpaque(holder).takeUnretainedValue().isOver ? 1 : 0
            }, opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}
