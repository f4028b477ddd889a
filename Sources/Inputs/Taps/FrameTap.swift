public import Media
internal import Monitoring

/// Passes a camera's frames, or the composed frames of the program, to the calling program in the requested format.
///
///     let size = FrameSize(width: 640, height: 360)
///     let tap = FrameTap(role: "program", FrameRequest(.converted(.bgra), size: size)) { frame in show(frame) }
///     try session.attach(tap)
///
/// The handler runs on a separate thread. If the handler is too slow, frames are dropped and counted; the recording
/// isn't affected. A frame's memory is valid while the frame is retained. Don't retain frames of a raw camera after the
/// handler returns, since their memory may belong to the driver.
public final class FrameTap: Sendable {
    /// Pixel format of the frames passed to the handler.
    public typealias Format = FrameRequest.Format

    private struct State {
        var request: FrameRequest
        var decimator: FrameDecimator?
        var delivered = 0
        var dropped = 0
        var isPaused = false
        /// Number of frames in driver memory that are queued or being handled.
        var lent = 0

        /// Whether a frame is within the requested rate.
        mutating func keeps(_ frame: CapturedFrame) -> Bool {
            guard let rate = request.rate else { return true }
            if decimator?.rate != rate { decimator = FrameDecimator(rate: rate) }
            return decimator?.keeps(MediaTime(nanoseconds: frame.capturedAt.nanoseconds)) ?? true
        }
    }

    /// The camera's role, or `program` for the composed frames.
    public let role: String
    /// Whether the tap only serves a preview, so that the governor may pause it when the computer is overloaded.
    public let isPreview: Bool
    /// Whether the session can end without waiting for the handler, which may itself be waiting for another
    /// process.
    package let mayStall: Bool
    /// Whether the handler receives compressed frames on the camera's own thread, so that no other thread
    /// needs to be woken for them.
    private let handlesOnCameraThread: Bool
    private let queue: BoundedQueue<CapturedFrame>
    private let state: ConditionLock<State>
    private let handler: @Sendable (CapturedFrame) -> Void

    /// Creates a tap that calls `handler` for each frame after it has been attached to a session.
    ///
    /// - Parameters:
    ///   - role: The camera's role, or `program`.
    ///   - request: The requested format, part, size, and rate. A frame that can't be converted is dropped.
    ///   - isPreview: Whether the tap only serves a preview, so that the governor may pause it when the computer is
    ///     overloaded.
    ///   - capacity: Maximum number of frames queued for the handler, at least 1.
    ///   - handler: Called for each frame, one at a time, on the tap's own thread.
    public convenience init(
        role: String, _ request: FrameRequest, isPreview: Bool = false, capacity: Int = 3,
        handler: @escaping @Sendable (CapturedFrame) -> Void
    ) {
        self.init(
            role: role, request, isPreview: isPreview, capacity: capacity, mayStall: false, handler: handler)
    }

    /// Creates a tap for whole frames; see the other initializer.
    ///
    /// - Parameters:
    ///   - role: The camera's role, or `program`.
    ///   - format: Pixel format of the frames passed to the handler.
    ///   - isPreview: Whether the governor may pause the tap.
    ///   - capacity: Maximum number of frames queued for the handler, at least 1.
    ///   - handler: Called for each frame, one at a time, on the tap's own thread.
    public convenience init(
        role: String, format: Format, isPreview: Bool = false, capacity: Int = 3,
        handler: @escaping @Sendable (CapturedFrame) -> Void
    ) {
        self.init(
            role: role, FrameRequest(format), isPreview: isPreview, capacity: capacity, handler: handler)
    }

    /// Creates a tap for a handler that only records frames as captured and never blocks. The handler receives
    /// compressed frames on the camera's own thread, and raw frames on the tap's thread.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - capacity: Maximum number of raw frames queued for the handler, at least 1.
    ///   - handler: Called for each frame.
    package convenience init(
        role: String, notingAtOnce capacity: Int, handler: @escaping @Sendable (CapturedFrame) -> Void
    ) {
        self.init(
            role: role, FrameRequest(.asCaptured), isPreview: false, capacity: capacity, mayStall: false,
            handlesOnCameraThread: true, handler: handler)
    }

    package init(
        role: String, _ request: FrameRequest, isPreview: Bool, capacity: Int, mayStall: Bool,
        handlesOnCameraThread: Bool = false, handler: @escaping @Sendable (CapturedFrame) -> Void
    ) {
        self.handlesOnCameraThread = handlesOnCameraThread
        self.role = role
        self.isPreview = isPreview
        self.mayStall = mayStall
        self.handler = handler
        state = ConditionLock(State(request: request))
        queue = BoundedQueue(capacity: capacity)
    }

    /// The requested format, part, size, and rate. The request may be changed at any time from any thread, and takes
    /// effect with the next frame.
    public var request: FrameRequest {
        get { state.withLock { $0.request } }
        set { state.withLock { $0.request = newValue } }
    }

    /// Number of frames passed to the handler.
    public var deliveredCount: Int { state.withLock { $0.delivered } }
    /// Number of frames dropped because the handler was too slow, the tap was paused, or a conversion failed.
    /// Frames beyond the requested rate don't count.
    public var droppedCount: Int { state.withLock { $0.dropped } }
    /// Number of frames in driver memory that are queued or being handled.
    package var lentCount: Int { state.withLock { $0.lent } }

    /// Pauses or resumes the tap. Frames that arrive during a pause count as dropped.
    package func pause(_ isPaused: Bool) { state.withLock { $0.isPaused = isPaused } }

    /// Whether the handler processes every frame immediately: the tap isn't paused and does more than record
    /// frames.
    var isWatched: Bool { !handlesOnCameraThread && state.withLock { !$0.isPaused } }

    /// Queues a frame for the handler, or drops and counts it. Never blocks.
    package func offer(_ frame: CapturedFrame) {
        let isNoted = handlesOnCameraThread && frame.pixel.isCompressed
        let isWanted = state.withLock { state in
            if state.isPaused {
                state.dropped += 1
                return false
            }
            // Frames of an H.264 stream can be omitted only after decoding.
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

    /// Ends the tap. No more frames are accepted.
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

/// The frames that a tap requests: captured or converted pixels, part, size, and rate. The tap's own thread converts
/// them.
///
/// Frames have the camera's own pixels, which aren't square if `CaptureDevice.pixelAspect` is set. If the pixels aren't
/// square, stretch the frames when showing them, or request a `size` with the displayed aspect ratio. The program's
/// pixels are square.
public struct FrameRequest: Sendable, Equatable {
    /// Pixel format of the frames passed to the handler.
    public enum Format: Sendable, Equatable {
        /// The camera's own bytes as captured, complete: JPEG, H.264, or raw. The part, the size, and, for H.264, the
        /// rate don't apply. The program's frames are `i420`.
        case asCaptured
        /// Pixels in `nv12`, `i420`, or `bgra`. Compressed frames are decoded.
        case converted(PixelFormat)
    }

    /// Pixel format of the frames passed to the handler.
    public var format: Format
    /// The part of the stored frame to deliver, as fractions of its width and height; `nil` for the whole
    /// frame.
    public var part: FramePart?
    /// Target size of the part in pixels. Width and height must be even and at most 7680 × 4320; `nil` for the part's
    /// own size. If the aspect ratios differ, the image is stretched.
    public var size: FrameSize?
    /// Maximum number of frames per second; `nil` for all. Frames are omitted evenly and don't count as
    /// losses.
    public var rate: FrameRate?

    /// Creates a request. Each parameter sets the property of the same name.
    public init(
        _ format: Format = .asCaptured, part: FramePart? = nil, size: FrameSize? = nil, rate: FrameRate? = nil
    ) {
        self.format = format
        self.part = part
        self.size = size
        self.rate = rate
    }
}

/// Decodes an H.264 stream for one tap, on the tap's thread, so that the recording never waits for it. Use it only on
/// that thread.
final class TapDecoding {
    private let role: String
    private let codecs: any CodecFactory
    private var decoder: (any VideoDecoding)?

    init(role: String, codecs: any CodecFactory) {
        self.role = role
        self.codecs = codecs
    }

    /// Returns the frames that become ready with the next frame of the stream; none before its first key frame.
    ///
    /// - Throws: `EncodingError` if a decoder isn't available, or memory allocation fails.
    func frames(of frame: CapturedFrame) throws(EncodingError) -> [CapturedFrame] {
        if decoder == nil {
            guard frame.isKey else { return [] }
            decoder = try codecs.makeVideoDecoder(name: role)
        }
        return try decoder?.decode(frame).ready ?? []
    }
}
