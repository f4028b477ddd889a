public import Media

/// Hands a microphone's audio, or the program's mix, to the calling program: aligned to the session's clock, at 48 kHz,
/// interleaved.
///
/// The handler runs on a thread of its own. Slices for which it is too slow are dropped and counted; the recording is
/// not affected.
public final class AudioTap: Sendable {
    /// Consecutive samples of a microphone or of the mix.
    public struct Slice: Sendable {
        /// Index of the first sample, which lies at T0 + index/48 000 s; on standby, between recordings, T0 is the instant at
        /// which the pause began, or the first tap came.
        public let firstSample: Int64
        /// When the first sample was captured, on the session clock: the time at which frames of the same instant are dated.
        public let capturedAt: ClockTime
        /// Number of channels in `samples`.
        public let channels: Int
        /// Samples, interleaved; full scale is ±1.
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
    /// Whether the session's end does not wait for the handler, which may wait for another process.
    package let mayStall: Bool
    private let queue: BoundedQueue<Slice>
    private let dropped = ConditionLock(0)
    /// How many slices were queued that the handler has not returned from.
    private let unhandled = ConditionLock(0)
    private let handler: @Sendable (Slice) -> Void

    /// Creates a tap that calls `handler` for each slice.
    ///
    /// - Parameters:
    ///   - role: The microphone's role, or `program` for the mix, in stereo.
    ///   - capacity: How many slices of 20 ms may wait for the handler, at least 1.
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
        queue = BoundedQueue(capacity: capacity)
    }

    /// Number of slices dropped because the handler was too slow.
    public var droppedCount: Int { dropped.withLock { $0 } }

    /// Queues a slice for the handler, or drops and counts it. Never blocks.
    package func offer(_ slice: Slice) {
        unhandled.withLock { $0 += 1 }
        guard !queue.offer(slice) else { return }
        unhandled.broadcast { $0 -= 1 }
        dropped.withLock { $0 += 1 }
    }

    /// Waits until the handler has returned from every slice so far, for simulated time, in which a handler that steers the session
    /// does so at the instant of what it heard. Only while `run` runs.
    package func waitUntilHandled() {
        unhandled.wait { $0 == 0 ? () : nil }
    }

    /// Handles slices on the tap's thread until `finish`.
    package func run() {
        while let slice = queue.next() {
            handler(slice)
            unhandled.broadcast { $0 -= 1 }
        }
    }

    /// Ends the tap: no slice follows.
    package func finish() {
        queue.finish()
    }
}
