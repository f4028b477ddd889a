internal import Media
public import Writers

/// Hands a camera's metadata to the calling program: one value for each frame from T0 to the end of the recording,
/// and one for frames that were lost in a row.
///
///     let tap = MetadataTap(role: "desk") { metadata in
///         guard let clock = metadata.headerClock, let exposure = clock.presentationTime else { return }
///         print(metadata.capturedAt.nanoseconds, exposure)
///     }
///     let session = setup.makeSession(options, metadataTaps: [tap])
///
/// The clock of the packet headers is there when the tap was given to the session before it began, or the session records
/// metadata: a camera is asked for it when it starts.
///
/// The handler runs on a thread of its own. Values for which it is too slow are dropped and counted; the recording is
/// not affected.
public final class MetadataTap: Sendable {
    /// The camera's role.
    public let role: String
    private let queue: BoundedQueue<CameraMetadata>
    private let dropped = ConditionLock(0)
    private let handler: @Sendable (CameraMetadata) -> Void

    /// Creates a tap that calls `handler` for the metadata of each frame.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - capacity: How many values may wait for the handler, at least 1.
    ///   - handler: Called for each value, one at a time, on the tap's own thread, about the session's alignment
    ///     delay after the frame's time.
    public init(role: String, capacity: Int = 240, handler: @escaping @Sendable (CameraMetadata) -> Void) {
        self.role = role
        self.handler = handler
        queue = BoundedQueue(capacity: capacity)
    }

    /// Number of values dropped because the handler was too slow.
    public var droppedCount: Int { dropped.withLock { $0 } }

    /// Queues a value for the handler, or drops and counts it. Never blocks.
    package func offer(_ metadata: CameraMetadata) {
        if !queue.offer(metadata) { dropped.withLock { $0 += 1 } }
    }

    /// Handles values on the tap's thread until `finish`.
    package func run() {
        while let metadata = queue.next() { handler(metadata) }
    }

    /// Ends the tap: no value follows.
    package func finish() {
        queue.finish()
    }
}
