public import MulticamMedia

/// Passes the audio of a microphone or the program's mix to the calling program. The audio is interleaved,
/// has a sample rate of 48 kHz, and is aligned to the session's clock.
///
/// The handler runs on a separate thread. If the handler is too slow, slices are dropped and counted; the recording
/// isn't affected.
public final class AudioTap: Sendable {
    /// Consecutive samples of a microphone or of the mix.
    public struct Slice: Sendable {
        /// Index of the first sample. The time of this sample is T0 + index/48,000 s. On standby between
        /// recordings, T0 is the start of the pause or the time when the first tap was attached.
        public let firstSample: Int64
        /// Capture time of the first sample, on the session's clock. Video frames captured at the same
        /// instant have the same time.
        public let capturedAt: ClockTime
        /// Number of channels in `samples`.
        public let channels: Int
        /// Interleaved samples; full scale is ±1.
        public let samples: [Float]

        package init(firstSample: Int64, capturedAt: ClockTime, channels: Int, samples: [Float]) {
            self.firstSample = firstSample
            self.capturedAt = capturedAt
            self.channels = channels
            self.samples = samples
        }
    }

    /// The microphone's role, or `program` for the mix.
    public let role: String
    /// Whether the session doesn't wait for the handler when it ends, because the handler itself may be
    /// waiting for another process.
    package let mayStall: Bool
    /// Whether the tap was attached to a session.
    package let attachment = TapAttachment()
    private let queue: BoundedQueue<Slice>
    private let dropped = ConditionLock(0)
    /// Number of slices that are queued or being handled.
    private let unhandled = ConditionLock(0)
    private let handler: @Sendable (Slice) -> Void

    /// Creates a tap that calls `handler` for each slice.
    ///
    /// - Parameters:
    ///   - role: The microphone's role, or `program` for the stereo mix.
    ///   - capacity: Maximum number of 20 ms slices queued for the handler; values below 1 count as 1.
    ///   - handler: Called for each slice, one at a time, on the tap's own thread.
    public convenience init(
        role: String, capacity: Int = 50, handler: @escaping @Sendable (Slice) -> Void
    ) {
        self.init(role: role, capacity: capacity, mayStall: false, handler: handler)
    }

    package init(
        role: String, capacity: Int, mayStall: Bool, handler: @escaping @Sendable (Slice) -> Void
    ) {
        self.role = role
        self.mayStall = mayStall
        self.handler = handler
        queue = BoundedQueue(capacity: max(1, capacity))
    }

    /// Number of slices dropped because the handler was too slow.
    public var droppedCount: Int { dropped.withLock { $0 } }

    /// Queues a slice for the handler. If the queue is full, the slice is dropped and counted. Never blocks.
    package func offer(_ slice: Slice) {
        unhandled.withLock { $0 += 1 }
        guard !queue.tryEnqueue(slice) else { return }
        unhandled.broadcast { $0 -= 1 }
        dropped.withLock { $0 += 1 }
    }

    /// Waits until the handler has processed all queued slices. With simulated time, this ensures that a
    /// handler that controls the session acts at the time of the audio that it received. Call this function
    /// only while `run` is running.
    package func waitUntilHandled() {
        unhandled.wait { $0 == 0 ? () : nil }
    }

    /// Passes slices to the handler on the tap's thread until `finish` is called.
    package func run() {
        while let slice = queue.dequeue() {
            handler(slice)
            unhandled.broadcast { $0 -= 1 }
        }
    }

    /// Ends the tap. No more slices are accepted.
    package func finish() {
        queue.finish()
    }
}
