public import Media

/// Hands a camera's frames to the calling program, in the pixel format that the program chose.
///
/// The handler runs on a thread of its own. When it is slower than the camera, frames are dropped and counted; the
/// recording is not affected.
public final class FrameTap: Sendable {
    /// Pixel format in which the handler gets frames: as captured, or converted to `nv12`, `i420` or `bgra`.
    public enum Format: Sendable, Equatable {
        case asCaptured
        case converted(PixelFormat)
    }

    private struct Counts {
        var delivered = 0
        var dropped = 0
        var isPaused = false
    }

    /// The camera's role.
    public let role: String
    /// Pixel format in which the handler gets frames.
    public let format: Format
    /// Whether the tap only serves a preview, so that the governor may pause it while the computer is too slow.
    public let isPreview: Bool
    private let queue: BoundedQueue<CapturedFrame>
    private let counts = ConditionLock(Counts())
    private let handler: @Sendable (CapturedFrame) -> Void

    /// Creates a tap that calls `handler` for each frame.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - format: Pixel format in which the handler gets frames. A frame that cannot be converted is dropped.
    ///   - isPreview: Whether the tap only serves a preview, so that the governor may pause it while the computer is
    ///     too slow.
    ///   - capacity: How many frames may wait for the handler, at least 1.
    ///   - handler: Called for each frame, one at a time, on the tap's own thread.
    public init(
        role: String, format: Format, isPreview: Bool = false, capacity: Int = 3,
        handler: @escaping @Sendable (CapturedFrame) -> Void
    ) {
        self.role = role
        self.format = format
        self.isPreview = isPreview
        self.handler = handler
        queue = BoundedQueue(capacity: capacity)
    }

    /// Number of frames that the handler got.
    public var deliveredCount: Int { counts.withLock { $0.delivered } }
    /// Number of frames dropped because the handler was too slow, the tap was paused, or a conversion failed.
    public var droppedCount: Int { counts.withLock { $0.dropped } }

    /// Pauses or resumes the tap; frames that come while it is paused count as dropped.
    package func pause(_ isPaused: Bool) { counts.withLock { $0.isPaused = isPaused } }

    /// Queues a frame for the handler, or drops and counts it. Never blocks.
    package func offer(_ frame: CapturedFrame) {
        let isPaused = counts.withLock { counts in
            if counts.isPaused { counts.dropped += 1 }
            return counts.isPaused
        }
        if isPaused { return }
        if !queue.offer(frame) { counts.withLock { $0.dropped += 1 } }
    }

    /// Starts the handler's thread, which ends after `finish` when the queue is empty.
    package func start(with codecs: any CodecFactory) -> MediaThread {
        MediaThread(name: "tap:\(role)") { [self] in
            while let frame = queue.next() { deliver(frame, with: codecs) }
        }
    }

    /// Ends the tap: no frame follows.
    package func finish() {
        queue.finish()
    }

    private func deliver(_ frame: CapturedFrame, with codecs: any CodecFactory) {
        do {
            switch format {
            case .asCaptured: handler(frame)
            case .converted(let pixel): handler(try codecs.convert(frame, to: pixel))
            }
            counts.withLock { $0.delivered += 1 }
        } catch {
            counts.withLock { $0.dropped += 1 }
        }
    }
}
