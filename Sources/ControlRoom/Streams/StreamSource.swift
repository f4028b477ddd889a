internal import Control
internal import Encoding
internal import Glibc
internal import Inputs
internal import Media
internal import MediaLink
internal import Studio

/// One stream of the recorder: takes it by a tap, makes of it what browsers show, and keeps what the web loop has not fetched yet.
///
/// Safe to use from any thread. Frames become JPEGs on the tap's own thread; of pictures only the newest waits.
final class StreamSource: Sendable {
    private struct State {
        var tap: RemoteTap?
        /// Whether the tap that was made last has ended.
        var isOver = true
        var isClosed = false
        var waiting: [StreamPiece] = []
        /// When the recorder is asked next, and how long is waited after that: longer and longer while it refuses.
        var due = ClockTime(nanoseconds: 0)
        var pause = StreamSource.pauses.first
        /// What the recorder said when it refused last; pages are told that once.
        var refusal: String?
    }

    let key: StreamKey
    private let mailbox: WebMailbox<RoomMessage>
    private let state = ConditionLock(State())

    /// Most packets or slices of audio that wait for the web loop.
    private static let mostWaiting = 300
    private static let pauses = (first: Nanoseconds.milliseconds(100), last: Nanoseconds.seconds(5))

    /// Creates a source that is not attached yet.
    init(_ key: StreamKey, _ mailbox: WebMailbox<RoomMessage>) { (self.key, self.mailbox) = (key, mailbox) }

    /// Connects to a recorder, unless it is connected, or has refused a short while ago. Blocks while the recorder is too busy to answer, so not on the web
    /// loop. One thread calls it.
    ///
    /// - Parameters:
    ///   - process: The recorder's process identifier.
    ///   - connector: Connects to it.
    func attach(to process: Int32, by connector: RecorderConnector) {
        let isDue = state.withLock { state in
            guard state.isOver, !state.isClosed, state.due <= MonotonicClock().now else { return false }
            // Before the tap is made, since its thread may tell its end at once.
            (state.isOver, state.due) = (false, MonotonicClock().now + state.pause)
            state.pause = min(state.pause + state.pause, Self.pauses.last)
            return true
        }
        guard isDue else { return }
        let maker = PieceMaker(key)
        let tap: RemoteTap
        do throws(ControlError) {
            tap = try RemoteTap(content, over: try connector.connect(.media, of: process)) {
                [weak self] piece in
                guard let self else { return }
                switch piece {
                case .frame(let frame, _):
                    if let request = maker.request(for: frame) { return self.change(to: request) }
                    self.offer(maker.piece(of: frame))
                case .packet(let packet, _): self.offer(maker.piece(of: packet))
                case .audio(let slice, _): self.offer(maker.piece(of: slice))
                case .refused(let sentence): self.note(refusal: sentence)
                case .end: self.state.withLock { ($0.tap, $0.isOver) = (nil, true) }
                case .status, .event, .events: break
                }
            }
        } catch {
            // The recorder is gone or going: the room attaches again when it is back.
            return state.withLock { $0.isOver = true }
        }
        let isWanted = state.withLock { state in
            if !state.isClosed, !state.isOver { state.tap = tap }
            return !state.isClosed
        }
        if !isWanted { tap.close() }
    }

    private func note(refusal: String) {
        let isNew = state.withLock { state in
            defer { state.refusal = refusal }
            return state.refusal != refusal
        }
        if isNew { mailbox.post(.refused(key, refusal)) }
    }

    /// Ends the tap for good.
    func close() {
        let tap = state.withLock { state in
            state.isClosed = true
            return state.tap.take()
        }
        tap?.close()
    }

    /// Fetches what waits, the oldest first.
    func take() -> [StreamPiece] {
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

    private func offer(_ piece: StreamPiece?) {
        guard let piece else { return }
        let isFirst = state.withLock { state in
            (state.pause, state.refusal) = (Self.pauses.first, nil)
            if key.isPicture || state.waiting.count >= Self.mostWaiting { state.waiting = [] }
            state.waiting.append(piece)
            return state.waiting.count == 1
        }
        if isFirst { mailbox.post(.fresh(key)) }
    }
}
