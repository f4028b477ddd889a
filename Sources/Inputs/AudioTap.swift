package import Media

/// Hands a microphone's audio to the calling program: aligned to the session's clock, at 48 kHz, interleaved.
///
/// The handler runs on a thread of its own. Slices for which it is too slow are dropped and counted; the recording is
/// not affected.
public final class AudioTap: Sendable {
    /// Consecutive samples of a microphone.
    public struct Slice: Sendable {
        /// Index of the first sample, which lies at T0 + index/48 000 s.
        public let firstSample: Int64
        /// Number of channels in `samples`.
        public let channels: Int
        /// Samples, interleaved; full scale is ±1.
        public let samples: [Float]

        package init(firstSample: Int64, channels: Int, samples: [Float]) {
            self.firstSample = firstSample
            self.channels = channels
            self.samples = samples
        }
    }

    /// The microphone's role.
    public let role: String
    private let queue: BoundedQueue<Slice>
    private let dropped = ConditionLock(0)
    private let handler: @Sendable (Slice) -> Void

    /// Creates a tap that calls `handler` for each slice.
    ///
    /// - Parameters:
    ///   - role: The microphone's role.
    ///   - capacity: How many slices of 20 ms may wait for the handler, at least 1.
    ///   - handler: Called for each slice, one at a time, on the tap's own thread.
    public init(role: String, capacity: Int = 50, handler: @escaping @Sendable (Slice) -> Void) {
        self.role = role
        self.handler = handler
        queue = BoundedQueue(capacity: capacity)
    }

    /// Number of slices dropped because the handler was too slow.
    public var droppedCount: Int { dropped.withLock { $0 } }

    /// Queues a slice for the handler, or drops and counts it. Never blocks.
    package func offer(_ slice: Slice) {
        if !queue.offer(slice) { dropped.withLock { $0 += 1 } }
    }

    /// Starts the handler's thread, which ends after `finish` when the queue is empty.
    package func start() -> MediaThread {
        MediaThread(name: "tap:\(role)") { [self] in
            while let slice = queue.next() { handler(slice) }
        }
    }

    /// Ends the tap: no slice follows.
    package func finish() {
        queue.finish()
    }
}
