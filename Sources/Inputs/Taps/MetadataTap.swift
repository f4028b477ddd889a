internal import MulticamMedia
public import MulticamWriters

/// Passes the frame metadata of a camera to the calling program. The handler receives one value for each
/// frame from T0 to the end of the recording, and one value for each run of consecutive lost frames.
///
///     let tap = MetadataTap(role: "desk") { metadata in
///         guard let clock = metadata.headerClock, let exposure = clock.presentationTime else { return }
///         print(metadata.capturedAt.nanoseconds, exposure)
///     }
///     try session.attach(tap)
///
/// The packet header clock is requested from a camera when the camera starts. This clock is therefore
/// available only if the tap was passed to the session before the start, or if the session records metadata.
///
/// The handler runs on a separate thread. If the handler is too slow, values are dropped and counted; the recording
/// isn't affected.
public final class MetadataTap: Sendable {
    /// The camera's role.
    public let role: String
    /// Whether the tap was attached to a session.
    package let attachment = TapAttachment()
    private let queue: BoundedQueue<CameraMetadata>
    private let dropped = ConditionLock(0)
    private let handler: @Sendable (CameraMetadata) -> Void

    /// Creates a tap that calls `handler` for the metadata of each frame.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - capacity: Maximum number of values queued for the handler; values below 1 count as 1.
    ///   - handler: Called for each value, one at a time, on the tap's own thread. The call follows the
    ///     capture of the frame after about the session's alignment delay.
    public init(role: String, capacity: Int = 240, handler: @escaping @Sendable (CameraMetadata) -> Void) {
        self.role = role
        self.handler = handler
        queue = BoundedQueue(capacity: max(1, capacity))
    }

    /// Number of values dropped because the handler was too slow.
    public var droppedCount: Int { dropped.withLock { $0 } }

    /// Queues a value for the handler. If the queue is full, the value is dropped and counted. Never blocks.
    package func offer(_ metadata: CameraMetadata) {
        if !queue.tryEnqueue(metadata) { dropped.withLock { $0 += 1 } }
    }

    /// Passes values to the handler on the tap's thread until `finish` is called.
    package func run() {
        while let metadata = queue.dequeue() { handler(metadata) }
    }

    /// Ends the tap. No more values are accepted.
    package func finish() {
        queue.finish()
    }
}
