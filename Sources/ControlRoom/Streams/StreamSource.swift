internal import FoundationEssentials
internal import Glibc
internal import MulticamContainers
internal import MulticamControl
internal import MulticamEncoding
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamMediaLink
internal import MulticamStudio

/// A stream of the recorder. Receives the stream through a `RemoteTap`, converts it to formats that browsers
/// support, and queues the result for the web loop.
///
/// Safe to use from any thread. Frames are converted to JPEG on the tap's thread. Only the newest picture is queued.
final class StreamSource: Sendable {
    private struct State {
        var tap: RemoteTap?
        /// Whether the most recent tap has ended.
        var isDetached = true
        var isClosed = false
        var waiting: [StreamPiece] = []
        /// Time of the next attempt to connect to the recorder. The pause between attempts doubles each time
        /// the recorder refuses the stream.
        var nextAttempt = ClockTime(nanoseconds: 0)
        var backoff = Backoff(from: .milliseconds(100), to: .seconds(5))
        /// Message of the recorder's last refusal. Pages receive each message once.
        var refusal: String?
    }

    let key: StreamKey
    private let mailbox: WebMailbox<RoomMessage>
    private let state = ConditionLock(State())

    /// Maximum number of packets or audio slices queued for the web loop.
    private static let mostWaiting = 300

    /// Creates a source that isn't attached yet.
    init(_ key: StreamKey, _ mailbox: WebMailbox<RoomMessage>) { (self.key, self.mailbox) = (key, mailbox) }

    /// Connects to a recorder, unless the source is already connected or was refused recently. Blocks while
    /// the recorder is too busy to answer, so this function must not be called on the web loop's thread. Only
    /// one thread may call this function.
    ///
    /// - Parameters:
    ///   - process: The recorder's process ID.
    ///   - connector: Connects to the recorder.
    func attach(to process: Int32, by connector: RecorderConnector) {
        let isDue = state.withLock { state in
            guard state.isDetached, !state.isClosed, state.nextAttempt <= MonotonicClock().now else {
                return false
            }
            // The state is updated before the tap is created, because the tap's thread may report its end
            // immediately.
            (state.isDetached, state.nextAttempt) = (false, MonotonicClock().now + state.backoff.next())
            return true
        }
        guard isDue else { return }
        let maker = StreamPieceConverter(key)
        let tap: RemoteTap
        do throws(ControlError) {
            tap = try RemoteTap(content, over: try connector.connect(.media, of: process)) {
                [weak self] piece in
                guard let self else { return }
                switch piece {
                case .frame(let frame, _):
                    if let request = maker.request(for: frame) { return self.change(to: request) }
                    self.enqueue(maker.piece(of: frame))
                case .packet(let packet, _): self.enqueue(maker.piece(of: packet))
                case .audio(let slice, _): self.enqueue(maker.piece(of: slice))
                case .refused(let sentence): self.report(refusal: sentence)
                case .end: self.state.withLock { ($0.tap, $0.isDetached) = (nil, true) }
                case .metadata, .status, .event, .events: break
                }
            }
        } catch {
            // The recorder has ended or is ending. `RecorderConnection` attaches the stream again when the recorder
            // returns.
            return state.withLock { $0.isDetached = true }
        }
        let isWanted = state.withLock { state in
            if !state.isClosed, !state.isDetached { state.tap = tap }
            return !state.isClosed
        }
        if !isWanted { tap.close() }
    }

    private func report(refusal: String) {
        let isNew = state.withLock { state in
            defer { state.refusal = refusal }
            return state.refusal != refusal
        }
        if isNew { mailbox.post(.streamRefused(key, refusal)) }
    }

    /// Permanently closes the tap.
    func close() {
        let tap = state.withLock { state in
            state.isClosed = true
            return state.tap.take()
        }
        tap?.close()
    }

    /// Dequeues the waiting pieces, oldest first.
    func drain() -> [StreamPiece] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    private var content: RemoteTap.Content {
        switch key {
        case .camera(let role, _, let rate):
            .frames(role: role, FrameRequest(rate: FrameRate(String(rate))), isPreview: true)
        case .program(_, let rate):
            .frames(
                role: "program", FrameRequest(.converted(.i420), rate: FrameRate(String(rate))),
                isPreview: true)
        case .packets: .packets()
        case .audio(let role): .audio(role: role)
        }
    }

    private func change(to request: FrameRequest) { state.withLock { $0.tap }?.change(to: request) }

    private func enqueue(_ piece: StreamPiece?) {
        guard let piece else { return }
        let isFirst = state.withLock { state in
            state.backoff.reset()
            state.refusal = nil
            if key.isPicture || state.waiting.count >= Self.mostWaiting { state.waiting = [] }
            state.waiting.append(piece)
            return state.waiting.count == 1
        }
        if isFirst { mailbox.post(.streamReady(key)) }
    }
}

/// Converts a recorder's output to formats that browsers support. Used only on one tap's thread.
final class StreamPieceConverter: @unchecked Sendable {
    // This object is used only on the thread of the associated tap.
    private let key: StreamKey
    private let encoder = PreviewEncoder()
    private var stream: AVCStreamConverter?

    init(_ key: StreamKey) { self.key = key }

    /// Returns a request for frames in a usable format; `nil` if this frame's format is already usable.
    ///
    /// JPEG frames are received as captured, so that the recorder doesn't have to convert them. Other frames
    /// are received as uncompressed pixels in the displayed size.
    func request(for frame: CapturedFrame) -> FrameRequest? {
        let (wanted, rate): (Int, Int)
        switch key {
        case .camera(_, let width, let perSecond), .program(let width, let perSecond):
            (wanted, rate) = (width, perSecond)
        case .packets, .audio: return nil
        }
        if frame.pixel == .mjpeg || frame.pixel == .i420 && frame.size.width <= wanted { return nil }
        return FrameRequest(
            .converted(.i420), size: PreviewEncoder.size(frame.size, atMost: wanted),
            rate: FrameRate(String(rate)))
    }

    /// Converts a frame to JPEG, with at most the requested width. Returns `nil` if the frame is damaged.
    func piece(of frame: CapturedFrame) -> StreamPiece? {
        let width: Int
        switch key {
        case .camera(_, let wanted, _), .program(let wanted, _): width = wanted
        case .packets, .audio: return nil
        }
        do throws(EncodingError) {
            let bytes = try encoder.jpeg(of: frame, atMost: width)
            return piece(.jpeg, frame.capturedAt.nanoseconds, bytes, StreamSetup(codec: "jpeg"))
        } catch {
            // The camera's loss ledger counts the damaged frame. The next frame arrives soon.
            return nil
        }
    }

    /// Converts a video packet. Returns `nil` for audio, and for video before the stream's parameter sets.
    func piece(of packet: RemotePacket) -> StreamPiece? {
        guard packet.codec == .h264 else { return nil }
        if let setup = packet.setup { stream = AVCStreamConverter(setup: setup) }
        guard let stream, let record = stream.configurationRecord else { return nil }
        var piece = piece(
            .h264, packet.presentedAt.nanoseconds, stream.sample(of: packet.bytes), StreamSetup(h264: record),
            isKey: packet.isKey)
        piece.duration = packet.duration
        return piece
    }

    /// Converts audio to 16-bit samples.
    func piece(of slice: AudioTap.Slice) -> StreamPiece {
        let samples = slice.samples.map { Int16(clamping: Int(rounding: Double($0) * 32_767)) }
        let time = slice.firstSample.rescaled(from: 48_000, to: 1_000_000_000)
        return piece(
            .pcm, time, samples.withUnsafeBytes { SharedBytes(copying: $0) },
            StreamSetup(channels: slice.channels))
    }

    private func piece(
        _ kind: StreamPiece.Kind, _ time: Int64, _ bytes: SharedBytes, _ setup: StreamSetup?,
        isKey: Bool = true
    ) -> StreamPiece {
        StreamPiece(kind: kind, isKey: isKey, time: time, duration: .zero, bytes: bytes, setup: setup)
    }
}

/// Messages from other threads to the web loop's thread.
enum RoomMessage: Sendable {
    /// The recorder's status, a JSON object.
    case status(String)
    /// An event of the recorder, a JSON object.
    case event(String)
    /// The recording's past events, each a JSON object.
    case events([String])
    /// A recorder has become reachable.
    case recorderConnected(process: Int32)
    /// The recorder has become unreachable.
    case recorderDisconnected(process: Int32)
    /// A stream has pieces to dequeue.
    case streamReady(StreamKey)
    /// The recorder refuses a stream, with the reason as a sentence.
    case streamRefused(StreamKey, String)
    /// The recorder has sent a notification about the phone with this name.
    case phone(name: String, PhoneSource.Notification)
    /// The answer to a long-running request.
    case answered(ticket: Int, status: Int, json: String)
    /// The response to a request for a recording's media.
    case mediaResponse(ticket: Int, WebResponse)
    /// The file opened for a request, or the reason why it can't be opened.
    case fileOpened(ticket: Int, Result<any DownloadContent, RecordingRefusal>)
    /// Bytes for the response with this number; `nil` if they couldn't be read.
    case fileRead(number: Int, Data?)
}
