internal import Media
internal import SessionFolder

/// Sends the events of a session to any number of listeners. Every listener receives all events in the same order,
/// including earlier ones. May be used from any thread.
final class SessionEventFeed: Sendable {
    private struct State {
        /// The last events, which new listeners receive first.
        var history: [SessionEvent] = []
        var listeners = StreamListeners<SessionEvent>()
        var isFinished = false
    }

    private let state = ConditionLock(State())

    /// Maximum number of earlier events that a new listener receives. The limit bounds the memory of a session that is
    /// on standby for days.
    static let maxHistory = 4096

    /// A new stream of the events from the first one on. It ends with the feed.
    func makeStream() -> AsyncStream<SessionEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
        // The history is sent while the lock is held, so that no later event can precede it.
        let number = state.withLock { state -> Int? in
            for event in state.history { continuation.yield(event) }
            return state.isFinished ? nil : state.listeners.add(continuation)
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners.remove(number) } }
        return stream
    }

    /// Sends an event to all listeners. Does nothing after `finish`.
    func publish(_ event: SessionEvent) {
        state.withLock { state in
            guard !state.isFinished else { return }
            if state.history.count == Self.maxHistory { state.history.removeFirst(Self.maxHistory / 4) }
            state.history.append(event)
            state.listeners.notify(event)
        }
    }

    /// Ends all streams.
    func finish() {
        let ended = state.withLock { state in
            state.isFinished = true
            return state.listeners.removeAll()
        }
        for continuation in ended { continuation.finish() }
    }
}
