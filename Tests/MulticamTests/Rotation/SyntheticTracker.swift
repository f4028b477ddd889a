import Media

/// A tracker that says what a test wants.
final class SyntheticTracker: OrientationTracker {
    private struct State {
        var turn: MachineTurn
        var observers: [Int: @Sendable (MachineTurn) -> Void] = [:]
        var last = 0
    }

    private let state: ConditionLock<State>

    init(_ turn: MachineTurn) { state = ConditionLock(State(turn: turn)) }

    var turn: MachineTurn { state.withLock { $0.turn } }
    var observerCount: Int { state.withLock { $0.observers.count } }

    func observe(_ observer: @escaping @Sendable (MachineTurn) -> Void) -> TurnObservation {
        let number = state.withLock { state in
            observer(state.turn)
            state.last += 1
            state.observers[state.last] = observer
            return state.last
        }
        return TurnObservation { [state] in state.withLock { $0.observers[number] = nil } }
    }

    func say(_ turn: MachineTurn) {
        state.withLock { state in
            if case .unknown = turn {} else { state.turn = turn }
            for observer in state.observers.values { observer(turn) }
        }
    }
}
