public import Media

/// Hands a camera's frames to a program that uses the library, in the format that it names.
///
/// The handler runs on a thread of its own. When it is slower than the camera, frames are dropped and counted; the
/// recording does not notice.
public final class FrameTap: Sendable {
    /// Which pixels the handler gets: as captured, or converted to `nv12`, `i420` or `bgra`.
    public enum Format: Sendable, Equatable {
        case asCaptured
        case converted(PixelFormat)
    }

    private struct Counts {
        var delivered = 0
        var dropped = 0
        var isPaused = false
    }

    public let role: String
    public let format: Format
    /// Whether it only shows frames: then the governor may pause it.
    public let isPreview: Bool
    private let queue: BoundedQueue<CapturedFrame>
    private let counts = ConditionLock(Counts())
    private let handler: @Sendable (CapturedFrame) -> Void

    /// - Parameters:
    ///   - role: The camera's.
    ///   - format: What frames are converted to. Those that cannot be are dropped.
    ///   - isPreview: Whether it only shows frames: then it is paused while the computer is too slow.
    ///   - capacity: How many frames may wait, at least 1.
    ///   - handler: Called for each frame, one at a time.
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

    /// Frames that the handler got.
    public var deliveredCount: Int { counts.withLock { $0.delivered } }
    /// Frames that came while the handler was behind, or that could not be converted.
    public var droppedCount: Int { counts.withLock { $0.dropped } }

    /// Whether the handler gets nothing for a while; what comes meanwhile counts as dropped.
    func pause(_ isPaused: Bool) { counts.withLock { $0.isPaused = isPaused } }

    func offer(_ frame: CapturedFrame) {
        let isPaused = counts.withLock { counts in
            if counts.isPaused { counts.dropped += 1 }
            return counts.isPaused
        }
        if isPaused { return }
        if !queue.offer(frame) { counts.withLock { $0.dropped += 1 } }
    }

    /// Starts the handler's thread; it ends when `finish` was called and the queue is empty.
    func start(with codecs: any CodecFactory) -> MediaThread {
        MediaThread(name: "tap:\(role)") { [self] in
            while let frame = queue.next() { deliver(frame, with: codecs) }
        }
    }

    func finish() {
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
