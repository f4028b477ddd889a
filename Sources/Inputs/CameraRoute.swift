internal import Media

/// The way of a source's events to the input that has the source: first the one that started it, after an exchange another.
final class CameraRoute: Sendable {
    private struct State {
        /// The input keeps its sources, and they keep their routes.
        weak var input: CameraInput?
        /// The source as the input knows it.
        weak var stream: CameraStream?
        /// Events that are being received.
        var running = 0
        var isHeld = false
    }

    private let state = ConditionLock(State())

    /// Leads the events to an input from now on, as those of one of its streams.
    func lead(to input: CameraInput, as stream: CameraStream) {
        state.withLock { ($0.input, $0.stream) = (input, stream) }
    }

    /// Hands an event on. On the source's thread.
    func carry(_ event: CameraEvent) {
        let (input, stream) = state.wait { state -> (CameraInput?, CameraStream?)? in
            guard !state.isHeld else { return nil }
            state.running += 1
            return (state.input, state.stream)
        }
        if let input, let stream { input.receive(event, of: stream) }
        state.broadcast { $0.running -= 1 }
    }

    /// Waits until no event is being received, and holds up those that come until `release`, which must follow at once.
    func hold() {
        state.withLock { $0.isHeld = true }
        state.wait { $0.running == 0 ? true : nil }
    }

    /// Hands events on again: to the input that has the source now, or to nobody.
    func release(to target: (input: CameraInput, stream: CameraStream)?) {
        state.broadcast { state in
            (state.input, state.stream) = (target?.input, target?.stream)
            state.isHeld = false
        }
    }
}
