public import Media
internal import Monitoring

/// Hands a camera's frames, or the composed frames of the program, to the calling program as it requests them.
///
///     let tap = FrameTap(role: "program", FrameRequest(.converted(.bgra), size: FrameSize(width: 640, height: 360))) { frame in
///         show(frame)
///     }
///     try session.attach(tap)
///
/// The handler runs on a thread of its own. When it is slower than the frames come, frames are dropped and counted; the
/// recording is not affected. A frame's memory is valid as long as the frame is held; of a raw camera hold it no longer than
/// the handler runs, since it may be the driver's.
public final class FrameTap: Sendable {
    /// Pixel format in which the handler gets frames.
    public typealias Format = FrameRequest.Format

    private struct State {
        var request: FrameRequest
        var decimator: FrameDecimator?
        var delivered = 0
        var dropped = 0
        var isPaused = false
        /// Frames in the driver's memory that wait or are being handled.
        var lent = 0

        /// Whether the requested rate keeps a frame.
        mutating func keeps(_ frame: CapturedFrame) -> Bool {
            guard let rate = request.rate else { return true }
            if decimator?.rate != rate { decimator = FrameDecimator(rate: rate) }
            return decimator?.keeps(MediaTime(nanoseconds: frame.capturedAt.nanoseconds)) ?? true
        }
    }

    /// The camera's role, or `program` for what the session composes.
    public let role: String
    /// Whether the tap only serves a preview, so that the governor may pause it while the computer is too slow.
    public let isPreview: Bool
    /// Whether the session's end does not wait for the handler, which may wait for another process.
    package let mayStall: Bool
    /// Whether the handler gets compressed frames on the camera's own thread: no other thread is woken for them.
    private let handsAtOnce: Bool
    private let queue: BoundedQueue<CapturedFrame>
    private let state: ConditionLock<State>
    private let handler: @Sendable (CapturedFrame) -> Void

    /// Creates a tap that calls `handler` for each frame, once a session has it.
    ///
    /// - Parameters:
    ///   - role: The camera's role, or `program`.
    ///   - request: What the handler gets. A frame that cannot be converted is dropped.
    ///   - isPreview: Whether the tap only serves a preview, so that the governor may pause it while the computer is
    ///     too slow.
    ///   - capacity: How many frames may wait for the handler, at least 1.
    ///   - handler: Called for each frame, one at a time, on the tap's own thread.
    public convenience init(
        role: String, _ request: FrameRequest, isPreview: Bool = false, capacity: Int = 3,
        handler: @escaping @Sendable (CapturedFrame) -> Void
    ) {
        self.init(
            role: role, request, isPreview: isPreview, capacity: capacity, mayStall: false, handler: handler)
    }

    /// Creates a tap of whole frames; see the other initializer.
    ///
    /// - Parameters:
    ///   - role: The camera's role, or `program`.
    ///   - format: Pixel format in which the handler gets frames.
    ///   - isPreview: Whether the governor may pause the tap.
    ///   - capacity: How many frames may wait for the handler, at least 1.
    ///   - handler: Called for each frame, one at a time, on the tap's own thread.
    public convenience init(
        role: String, format: Format, isPreview: Bool = false, capacity: Int = 3,
        handler: @escaping @Sendable (CapturedFrame) -> Void
    ) {
        self.init(
            role: role, FrameRequest(format), isPreview: isPreview, capacity: capacity, handler: handler)
    }

    /// Creates a tap whose handler only notes frames as captured, and never blocks: compressed frames it gets on the camera's own
    /// thread, raw ones on the tap's.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - capacity: How many raw frames may wait for the handler, at least 1.
    ///   - handler: Called for each frame.
    package convenience init(
        role: String, notingAtOnce capacity: Int, handler: @escaping @Sendable (CapturedFrame) -> Void
    ) {
        self.init(
            role: role, FrameRequest(.asCaptured), isPreview: false, capacity: capacity, mayStall: false,
            handsAtOnce: true, handler: handler)
    }

    package init(
        role: String, _ request: FrameRequest, isPreview: Bool, capacity: Int, mayStall: Bool,
        handsAtOnce: Bool = false, handler: @escaping @Sendable (CapturedFrame) -> Void
    ) {
        self.handsAtOnce = handsAtOnce
        self.role = role
        self.isPreview = isPreview
        self.mayStall = mayStall
        self.handler = handler
        state = ConditionLock(State(request: request))
        queue = BoundedQueue(capacity: capacity)
    }

    /// What the handler gets. It may change at any time, from any thread, and holds from the next frame on.
    public var request: FrameRequest {
        get { state.withLock { $0.request } }
        set { state.withLock { $0.request = newValue } }
    }

    /// Number of frames that the handler got.
    public var deliveredCount: Int { state.withLock { $0.delivered } }
    /// Number of frames dropped because the handler was too slow, the tap was paused, or a conversion failed. Frames beyond
    /// the requested rate do not count.
    public var droppedCount: Int { state.withLock { $0.dropped } }
    /// Frames in the driver's memory that wait or are being handled.
    package var lentCount: Int { state.withLock { $0.lent } }

    /// Pauses or resumes the tap; frames that come while it is paused count as dropped.
    package func pause(_ isPaused: Bool) { state.withLock { $0.isPaused = isPaused } }

    /// Whether somebody waits for each frame: the tap is not paused, and does more than note them.
    var isWatched: Bool { !handsAtOnce && state.withLock { !$0.isPaused } }

    /// Queues a frame for the handler, or drops and counts it. Never blocks.
    package func offer(_ frame: CapturedFrame) {
        let isNoted = handsAtOnce && frame.pixel.isCompressed
        let isWanted = state.withLock { state in
            if state.isPaused {
                state.dropped += 1
                return false
            }
            // Of a stream, frames can be left out only when they are decoded.
            guard frame.pixel == .h264 || state.keeps(frame) else { return false }
            if !frame.isOwned, !isNoted { state.lent += 1 }
            return true
        }
        if isWanted, isNoted { return hand(frame) }
        guard isWanted, !queue.offer(frame) else { return }
        state.withLock { state in
            state.dropped += 1
            if !frame.isOwned { state.lent -= 1 }
        }
    }

    /// Handles frames on the tap's thread until `finish`.
    package func run(with codecs: any CodecFactory) {
        let decoding = TapDecoding(role: role, codecs: codecs)
        while let frame = queue.next() {
            deliver(frame, with: codecs, decoding)
            if !frame.isOwned { state.withLock { $0.lent -= 1 } }
        }
    }

    /// Ends the tap: no frame follows.
    package func finish() {
        queue.finish()
    }

    private func deliver(_ frame: CapturedFrame, with codecs: any CodecFactory, _ decoding: TapDecoding) {
        let request = request
        guard case .converted(let pixel) = request.format else { return hand(frame) }
        do {
            guard frame.pixel == .h264 else {
                return hand(try codecs.convert(frame, to: pixel, part: request.part, size: request.size))
            }
            for decoded in try decoding.frames(of: frame) where state.withLock({ $0.keeps(decoded) }) {
                hand(try codecs.convert(decoded, to: pixel, part: request.part, size: request.size))
            }
        } catch {
            state.withLock { $0.dropped += 1 }
        }
    }

    private func hand(_ frame: CapturedFrame) {
        handler(frame)
        state.withLock { $0.delivered += 1 }
    }
}
