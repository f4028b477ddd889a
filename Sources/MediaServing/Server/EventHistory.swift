internal import Media
internal import SessionFolder

/// The last events of the recording that runs, for processes that begin to look in the middle of it. Safe to use from any thread.
final class EventHistory: Sendable {
    private struct State {
        var lines: [String] = []
        /// How many events there were, of all recordings.
        var count = 0
    }

    private let state = ConditionLock(State())

    /// Most events that are kept.
    private static let most = 500

    /// Notes an event; those of an earlier recording are forgotten when another one starts.
    ///
    /// - Returns: The event's line, and its number, which grows.
    func note(_ event: SessionEvent) -> (line: String, number: Int) {
        let line = event.line()
        return state.withLock { state in
            switch event.name {
            case .started: state.lines = [line]
            case .finished, .standby: state.lines = []
            default: state.lines.append(line)
            }
            if state.lines.count > Self.most { state.lines.removeFirst(state.lines.count - Self.most) }
            state.count += 1
            return (line, state.count)
        }
    }

    /// The events so far, the oldest first, and the number of the last of them; 0 where there is none.
    func soFar() -> (lines: [String], number: Int) {
        state.withLock { ($0.lines, $0.lines.isEmpty ? 0 : $0.count) }
    }
}
