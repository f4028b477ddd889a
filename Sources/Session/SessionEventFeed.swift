internal import MulticamMedia
internal import MulticamSessionFolder

/// Sends the events of a session to any number of listeners. Every listener receives the events in the same order,
/// including up to 4,096 earlier ones. May be used from any thread.
final class SessionEventFeed: Sendable {
    private struct State {
        /// The last events, which new listeners receive first.
        var history: [SessionEvent] = []
        var listeners: [AsyncStream<SessionEvent>.Continuation] = []
        var isFinished = false
    }

    private let state = ConditionLock(State())

    /// Maximum number of earlier events that a new listener receives. The limit bounds the memory of a session that is
    /// on standby for days.
    static let maxHistory = 4096

    /// Returns a new stream of the events, beginning with earlier ones. It ends with the feed.
    func makeStream() -> AsyncStream<SessionEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
        // The history is sent while the lock is held, so that no later event can precede it.
        let isFinished = state.withLock { state in
            for event in state.history { continuation.yield(event) }
            if !state.isFinished { state.listeners.append(continuation) }
            return state.isFinished
        }
        if isFinished { continuation.finish() }
        return stream
    }

    /// Sends an event to all listeners. Does nothing after `finish`.
    func publish(_ event: SessionEvent) {
        state.withLock { state in
            guard !state.isFinished else { return }
            if state.history.count == Self.maxHistory { state.history.removeFirst(Self.maxHistory / 4) }
            state.history.append(event)
            // A termination handler would take this lock while the canceled task's own lock is held, and `yield` takes
            // them in the other order. Listeners that have ended are found here instead.
            state.listeners.removeAll {
                if case .terminated = $0.yield(event) { true } else { false }
            }
        }
    }

    /// Ends all streams.
    func finish() {
        let ended = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [] }
            return state.listeners
        }
        for continuation in ended { continuation.finish() }
    }
}
