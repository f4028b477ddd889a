import MulticamMedia

/// A tracker controlled by a test.
final class SyntheticTracker: OrientationTracker {
    private struct State {
        var turn: MachineOrientation
        var observers: [Int: @Sendable (MachineOrientation) -> Void] = [:]
        var last = 0
    }

    private let state: ConditionLock<State>

    init(_ turn: MachineOrientation) { state = ConditionLock(State(turn: turn)) }

    var orientation: MachineOrientation { state.withLock { $0.turn } }
    var observerCount: Int { state.withLock { $0.observers.count } }

    func observe(_ observer: @escaping @Sendable (MachineOrientation) -> Void) -> OrientationObservation {
        let number = state.withLock { state in
            observer(state.turn)
            state.last += 1
            state.observers[state.last] = observer
            return state.last
        }
        return OrientationObservation { [state] in state.withLock { $0.observers[number] = nil } }
    }

    func report(_ turn: MachineOrientation) {
        state.withLock { state in
            if case .unknown = turn {} else { state.turn = turn }
            for observer in state.observers.values { observer(turn) }
        }
    }
}
