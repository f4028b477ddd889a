public import MulticamMedia
internal import MulticamMonitoring

/// Passes a camera's frames, or the composed frames of the program, to the calling program in the requested format.
///
///     let size = FrameSize(width: 640, height: 360)
///     let tap = FrameTap(role: "program", FrameRequest(.converted(.bgra), size: size)) { frame in show(frame) }
///     try session.attach(tap)
///
/// The handler runs on a separate thread. If the handler is too slow, frames are dropped and counted; the
/// recording isn't affected. The memory of a frame is valid while the frame is retained. Don't retain raw
/// frames of a camera after the handler returns, because their memory may belong to the driver.
public final class FrameTap: Sendable {
    /// Pixel format of the frames passed to the handler.
    package typealias Format = FrameRequest.Format

    private struct State {
        var request: FrameRequest
        var decimator: FrameDecimator?
        var delivered = 0
        var dropped = 0
        var isPaused = false
        /// Number of frames in driver memory that are queued or being handled.
        var lent = 0

        /// Whether a frame is passed on at the requested frame rate.
        mutating func keeps(_ frame: CapturedFrame) -> Bool {
            guard let rate = request.rate else { return true }
            if decimator?.rate != rate { decimator = FrameDecimator(rate: rate) }
            return decimator?.shouldKeep(MediaTime(nanoseconds: frame.capturedAt.nanoseconds)) ?? true
        }
    }

    /// The camera's role, or `program` for the composed frames.
    public let role: String
    /// Whether the tap is only for a preview, so that the governor may pause the tap when the computer is
    /// overloaded.
    public let isPreview: Bool
    /// Whether the session doesn't wait for the handler when it ends, because the handler itself may be
    /// waiting for another process.
    package let mayStall: Bool
    /// Whether the handler receives compressed frames directly on the camera's thread, which avoids waking
    /// another thread.
    private let handlesOnCameraThread: Bool
    /// Whether the tap was attached to a session.
    package let attachment = TapAttachment()
    private let queue: BoundedQueue<CapturedFrame>
    private let state: ConditionLock<State>
    private let handler: @Sendable (CapturedFrame) -> Void

    /// Creates a tap that calls `handler` for each frame after it has been attached to a session.
    ///
    /// - Parameters:
    ///   - role: The camera's role, or `program`.
    ///   - request: The requested format, crop, size, and rate. A frame that can't be converted is dropped.
    ///   - isPreview: Whether the tap is only for a preview, so that the governor may pause the tap when the
    ///     computer is overloaded.
    ///   - capacity: Maximum number of frames queued for the handler; values below 1 count as 1.
    ///   - handler: Called for each frame, one at a time, on the tap's own thread.
    public convenience init(
        role: String, _ request: FrameRequest, isPreview: Bool = false, capacity: Int = 3,
        handler: @escaping @Sendable (CapturedFrame) -> Void
    ) {
        self.init(
            role: role, request, isPreview: isPreview, capacity: capacity, mayStall: false, handler: handler)
    }

    /// Creates a tap for whole frames, without cropping, scaling, or a rate limit.
    ///
    /// - Parameters:
    ///   - role: The camera's role, or `program`.
    ///   - format: Pixel format of the frames passed to the handler.
    ///   - isPreview: Whether the governor may pause the tap.
    ///   - capacity: Maximum number of frames queued for the handler; values below 1 count as 1.
    ///   - handler: Called for each frame, one at a time, on the tap's own thread.
    public convenience init(
        role: String, format: FrameRequest.Format, isPreview: Bool = false, capacity: Int = 3,
        handler: @escaping @Sendable (CapturedFrame) -> Void
    ) {
        self.init(
            role: role, FrameRequest(format), isPreview: isPreview, capacity: capacity, handler: handler)
    }

    /// Creates a tap for a handler that only stores unmodified frames and never blocks. The handler receives
    /// compressed frames on the camera's thread, and raw frames on the tap's thread.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - capacity: Maximum number of raw frames queued for the handler; values below 1 count as 1.
    ///   - handler: Called for each frame.
    package convenience init(
        role: String, rawCapacity capacity: Int, handler: @escaping @Sendable (CapturedFrame) -> Void
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
        queue = BoundedQueue(capacity: max(1, capacity))
    }

    /// The requested format, crop, size, and rate. The request can be changed at any time from any thread. A
    /// change takes effect with the next frame.
    public var request: FrameRequest {
        get { state.withLock { $0.request } }
        set { state.withLock { $0.request = newValue } }
    }

    /// Number of frames passed to the handler.
    public var deliveredCount: Int { state.withLock { $0.delivered } }
    /// Number of frames dropped because the handler was too slow, the tap was paused, or a conversion failed.
    /// Frames that are omitted due to the requested rate aren't counted.
    public var droppedCount: Int { state.withLock { $0.dropped } }
    /// Number of frames in driver memory that are queued or being handled.
    package var lentCount: Int { state.withLock { $0.lent } }

    /// Pauses or resumes the tap. Frames that arrive during a pause count as dropped.
    package func pause(_ isPaused: Bool) { state.withLock { $0.isPaused = isPaused } }

    /// Whether the handler must receive every frame without delay. The value is `true` unless the tap is
    /// paused or only stores frames.
    var needsPromptFrames: Bool { !handlesOnCameraThread && state.withLock { !$0.isPaused } }

    /// Queues a frame for the handler. If the queue is full, the frame is dropped and counted. Never blocks.
    package func offer(_ frame: CapturedFrame) {
        let isNoted = handlesOnCameraThread && frame.pixel.isCompressed
        let isWanted = state.withLock { state in
            if state.isPaused {
                state.dropped += 1
                return false
            }
            // Frames of an H.264 stream can be omitted only after decoding, because later frames depend on
            // them.
            guard frame.pixel == .h264 || state.keeps(frame) else { return false }
            if !frame.isOwned, !isNoted { state.lent += 1 }
            return true
        }
        if isWanted, isNoted { return callHandler(with: frame) }
        guard isWanted, !queue.tryEnqueue(frame) else { return }
        state.withLock { state in
            state.dropped += 1
            if !frame.isOwned { state.lent -= 1 }
        }
    }

    /// Passes frames to the handler on the tap's thread until `finish` is called.
    package func run(with codecs: any CodecFactory) {
        let decoding = TapDecoder(role: role, codecs: codecs)
        while let frame = queue.dequeue() {
            deliver(frame, with: codecs, decoding)
            if !frame.isOwned { state.withLock { $0.lent -= 1 } }
        }
    }

    /// Ends the tap. No more frames are accepted.
    package func finish() {
        queue.finish()
    }

    private func deliver(_ frame: CapturedFrame, with codecs: any CodecFactory, _ decoding: TapDecoder) {
        let request = request
        guard case .converted(let pixel) = request.format else { return callHandler(with: frame) }
        do {
            guard frame.pixel == .h264 else {
                return callHandler(
                    with: try codecs.convert(frame, to: pixel, part: request.part, size: request.size))
            }
            for decoded in try decoding.frames(of: frame) where state.withLock({ $0.keeps(decoded) }) {
                callHandler(
                    with: try codecs.convert(decoded, to: pixel, part: request.part, size: request.size))
            }
        } catch {
            state.withLock { $0.dropped += 1 }
        }
    }

    private func callHandler(with frame: CapturedFrame) {
        handler(frame)
        state.withLock { $0.delivered += 1 }
    }
}

/// The properties of the frames that a tap requests: pixel format, crop, size, and rate. Frames are converted
/// on the tap's own thread.
///
/// Frames keep the pixel aspect ratio of the camera. If `CaptureDevice.pixelAspect` is set, the pixels aren't
/// square: stretch the frames for display, or request a `size` with the display aspect ratio. The program's
/// pixels are square.
public struct FrameRequest: Sendable, Equatable {
    /// Pixel format of the frames passed to the handler.
    public enum Format: Sendable, Equatable {
        /// Complete, unmodified frames in the camera's format: JPEG, H.264, or raw. The crop, the size, and,
        /// for H.264, the rate are ignored. Frames of the program are in `i420` format.
        case asCaptured
        /// Frames converted to `nv12`, `i420`, or `bgra`. Compressed frames are decoded.
        case converted(PixelFormat)
    }

    /// Pixel format of the frames passed to the handler.
    public var format: Format
    /// The part of the stored frame to deliver, as fractions of the frame's width and height; `nil` for the
    /// whole frame.
    public var part: FramePart?
    /// Size in pixels to which the part is scaled; `nil` for no scaling. Width and height must be even and at
    /// most 7680 × 4320. If the aspect ratios differ, the image is stretched.
    public var size: FrameSize?
    /// Maximum number of frames per second; `nil` for all frames. Frames are omitted at regular intervals.
    /// Omitted frames don't count as losses.
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

/// Decodes an H.264 stream for one tap. Use an instance only on the tap's thread, so that the recording never
/// waits for the decoder.
final class TapDecoder {
    private let role: String
    private let codecs: any CodecFactory
    private var decoder: (any VideoDecoding)?

    init(role: String, codecs: any CodecFactory) {
        self.role = role
        self.codecs = codecs
    }

    /// Decodes the next frame of the stream and returns the decoded frames that are ready. The result is
    /// empty before the first key frame.
    ///
    /// - Throws: `EncodingError` if no decoder is available or memory allocation fails.
    func frames(of frame: CapturedFrame) throws(EncodingError) -> [CapturedFrame] {
        if decoder == nil {
            guard frame.isKey else { return [] }
            decoder = try codecs.makeVideoDecoder(name: role)
        }
        return try decoder?.decode(frame).ready ?? []
    }
}
