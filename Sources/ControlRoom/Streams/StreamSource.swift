internal import Control
internal import Encoding
internal import Foundation
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
        var isClosed = false
        var waiting: [StreamPiece] = []
    }

    let key: StreamKey
    private let mailbox: WebMailbox<RoomMessage>
    private let state = ConditionLock(State())

    /// Most packets or slices of audio that wait for the web loop.
    private static let mostWaiting = 300

    /// Creates a source that is not attached yet.
    init(_ key: StreamKey, _ mailbox: WebMailbox<RoomMessage>) { (self.key, self.mailbox) = (key, mailbox) }

    /// Whether pieces come.
    var isAttached: Bool { state.withLock { $0.tap != nil } }

    /// Connects to a recorder. Blocks while that is too busy to answer, so not on the web loop.
    ///
    /// - Parameters:
    ///   - process: The recorder's process identifier.
    ///   - connector: Connects to it.
    func attach(to process: Int32, by connector: RecorderConnector) {
        guard state.withLock({ $0.tap == nil && !$0.isClosed }) else { return }
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
                case .refused(let sentence): self.mailbox.post(.refused(self.key, sentence))
                case .end: self.state.withLock { $0.tap = nil }
                case .status, .event, .events: break
                }
            }
        } catch {
            // The recorder is gone or going: the room attaches again when it is back.
            return
        }
        let isWanted = state.withLock { state in
            if !state.isClosed { state.tap = tap }
            return !state.isClosed
        }
        if !isWanted { tap.close() }
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
            if key.isPicture || state.waiting.count >= Self.mostWaiting { state.waiting = [] }
            state.waiting.append(piece)
            return state.waiting.count == 1
        }
        if isFirst { mailbox.post(.fresh(key)) }
    }
}
