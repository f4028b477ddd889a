public import Media

/// Hands a camera's pictures to a program that uses the library, in the format that it names.
///
/// The handler runs on a thread of its own. When it is slower than the camera, pictures are dropped and counted; the
/// recording does not notice.
public final class PictureTap: Sendable {
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
    /// Whether it only shows pictures: then the governor may pause it.
    public let isPreview: Bool
    private let queue: BoundedQueue<CapturedPicture>
    private let counts = Monitor(Counts())
    private let handler: @Sendable (CapturedPicture) -> Void

    /// - Parameters:
    ///   - role: The camera's.
    ///   - format: What pictures are converted to. Those that cannot be are dropped.
    ///   - isPreview: Whether it only shows pictures: then it is paused while the computer is too slow.
    ///   - capacity: How many pictures may wait, at least 1.
    ///   - handler: Called for each picture, one at a time.
    public init(
        role: String, format: Format, isPreview: Bool = false, capacity: Int = 3,
        handler: @escaping @Sendable (CapturedPicture) -> Void
    ) {
        self.role = role
        self.format = format
        self.isPreview = isPreview
        self.handler = handler
        queue = BoundedQueue(capacity: capacity)
    }

    /// Pictures that the handler got.
    public var deliveredCount: Int { counts.withLock { $0.delivered } }
    /// Pictures that came while the handler was behind, or that could not be converted.
    public var droppedCount: Int { counts.withLock { $0.dropped } }

    /// Whether the handler gets nothing for a while; what comes meanwhile counts as dropped.
    func pause(_ isPaused: Bool) { counts.withLock { $0.isPaused = isPaused } }

    func offer(_ picture: CapturedPicture) {
        let isPaused = counts.withLock { counts in
            if counts.isPaused { counts.dropped += 1 }
            return counts.isPaused
        }
        if isPaused { return }
        if !queue.offer(picture) { counts.withLock { $0.dropped += 1 } }
    }

    /// Starts the handler's thread; it ends when `finish` was called and the queue is empty.
    func start(with machinery: any MediaMachinery) -> MediaThread {
        MediaThread(name: "tap:\(role)") { [self] in
            while let picture = queue.next() { deliver(picture, with: machinery) }
        }
    }

    func finish() {
        queue.finish()
    }

    private func deliver(_ picture: CapturedPicture, with machinery: any MediaMachinery) {
        do {
            switch format {
            case .asCaptured: handler(picture)
            case .converted(let pixel): handler(try machinery.convert(picture, to: pixel))
            }
            counts.withLock { $0.delivered += 1 }
        } catch {
            counts.withLock { $0.dropped += 1 }
        }
    }
}
