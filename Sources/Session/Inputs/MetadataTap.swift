internal import Media
public import Writers

/// Hands a camera's metadata to a program that uses the library: of every frame from T0 to the recording's end, and of
/// those that were lost.
///
///     let tap = MetadataTap(role: "desk") { metadata in
///         guard let clock = metadata.headerClock, let exposure = clock.presentationTime else { return }
///         print(metadata.capturedAt.nanoseconds, exposure)
///     }
///     let session = setup.makeSession(options, metadataTaps: [tap])
///
/// The handler runs on a thread of its own; what it is too slow for is dropped and counted.
public final class MetadataTap: Sendable {
    public let role: String
    private let queue: BoundedQueue<CameraMetadata>
    private let dropped = ConditionLock(0)
    private let handler: @Sendable (CameraMetadata) -> Void

    /// - Parameters:
    ///   - role: The camera's.
    ///   - capacity: How many may wait, at least 1.
    ///   - handler: Called for each, one at a time, about the session's alignment delay after its time.
    public init(role: String, capacity: Int = 240, handler: @escaping @Sendable (CameraMetadata) -> Void) {
        self.role = role
        self.handler = handler
        queue = BoundedQueue(capacity: capacity)
    }

    public var droppedCount: Int { dropped.withLock { $0 } }

    func offer(_ metadata: CameraMetadata) {
        if !queue.offer(metadata) { dropped.withLock { $0 += 1 } }
    }

    func start() -> MediaThread {
        MediaThread(name: "tap:\(role)") { [self] in
            while let metadata = queue.next() { handler(metadata) }
        }
    }

    func finish() {
        queue.finish()
    }
}
