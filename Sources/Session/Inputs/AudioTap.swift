internal import Media

/// Hands a microphone's audio to a program that uses the library: aligned to the session's clock, 48 kHz, interleaved.
///
/// The handler runs on a thread of its own; slices that it is too slow for are dropped and counted.
public final class AudioTap: Sendable {
    /// A slice of a track.
    public struct Slice: Sendable {
        /// The index of its first sample: T0 + index/48 000.
        public let firstSample: Int64
        public let channels: Int
        public let samples: [Float]
    }

    public let role: String
    private let queue: BoundedQueue<Slice>
    private let dropped = ConditionLock(0)
    private let handler: @Sendable (Slice) -> Void

    /// - Parameters:
    ///   - role: The microphone's.
    ///   - capacity: How many slices of 20 ms may wait, at least 1.
    ///   - handler: Called for each slice, one at a time.
    public init(role: String, capacity: Int = 50, handler: @escaping @Sendable (Slice) -> Void) {
        self.role = role
        self.handler = handler
        queue = BoundedQueue(capacity: capacity)
    }

    public var droppedCount: Int { dropped.withLock { $0 } }

    func offer(_ slice: Slice) {
        if !queue.offer(slice) { dropped.withLock { $0 += 1 } }
    }

    func start() -> MediaThread {
        MediaThread(name: "tap:\(role)") { [self] in
            while let slice = queue.next() { handler(slice) }
        }
    }

    func finish() {
        queue.finish()
    }
}
