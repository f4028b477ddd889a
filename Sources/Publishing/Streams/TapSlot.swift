internal import Control
internal import Inputs
internal import Media
internal import MediaLink

/// One thing that is taken from the session, connected again when the session's process ends the connection or refuses. Safe to use from
/// any thread.
final class TapSlot: Sendable {
    private struct State {
        var content: RemoteTap.Content
        var tap: RemoteTap?
        var isClosed = false
        /// How many `tend` calls a refusal is left alone.
        var rest = 0
    }

    private let path: String
    private let state: ConditionLock<State>
    private let handler: @Sendable (RemoteTap.Piece) -> Void

    /// Calls of `tend` between two tries.
    private static let restAfterRefusal = 2

    /// Makes a slot that takes nothing before `tend`.
    ///
    /// - Parameters:
    ///   - content: What is taken.
    ///   - path: Path of the media socket.
    ///   - handler: Called for each piece but the end, one at a time.
    init(
        _ content: RemoteTap.Content, path: String, handler: @escaping @Sendable (RemoteTap.Piece) -> Void
    ) {
        (self.path, self.handler) = (path, handler)
        state = ConditionLock(State(content: content))
    }

    /// Connects, unless it is connected. To be called once a second, by one thread.
    func tend() {
        let content = state.withLock { state -> RemoteTap.Content? in
            guard !state.isClosed, state.tap == nil else { return nil }
            state.rest -= 1
            return state.rest < 0 ? state.content : nil
        }
        guard let content else { return }
        do throws(ControlError) {
            let tap = try RemoteTap(content, path: path) { [weak self] piece in self?.take(piece) }
            let isWanted = state.withLock { state in
                if !state.isClosed { state.tap = tap }
                return !state.isClosed
            }
            if !isWanted { tap.close() }
        } catch {
            handler(.refused(error.description))
        }
    }

    private func take(_ piece: RemoteTap.Piece) {
        switch piece {
        case .end: state.withLock { $0.tap = nil }
        case .refused:
            handler(piece)
            let tap = state.withLock { state in
                state.rest = Self.restAfterRefusal
                return state.tap
            }
            tap?.close()
        default: handler(piece)
        }
    }

    /// Asks for other frames of the same source.
    func change(to request: FrameRequest) {
        let tap = state.withLock { state -> RemoteTap? in
            if case .frames(let role, _, let isPreview) = state.content {
                state.content = .frames(role: role, request, isPreview: isPreview)
            }
            return state.tap
        }
        tap?.change(to: request)
    }

    /// Ends it for good.
    func close() {
        let tap = state.withLock { state in
            state.isClosed = true
            defer { state.tap = nil }
            return state.tap
        }
        tap?.close()
    }
}
