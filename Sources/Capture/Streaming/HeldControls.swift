import Media

/// The controls that a camera is to have for as long as it is used, and the node at which it can be asked for others. Any
/// thread may look or change.
final class HeldControls: Sendable {
    private struct State {
        var requests: [ControlRequest]
        var node: String?
        /// What came of those that were set while it streamed, until its thread tells.
        var untold: [ControlOutcome] = []
    }

    private let state: ConditionLock<State>

    init(_ requests: [ControlRequest], at node: String) {
        state = ConditionLock(State(requests: requests, node: node))
    }

    /// In the order in which they came.
    var requests: [ControlRequest] { state.withLock { $0.requests } }

    /// Where the camera is now; `nil` while it is away: the node may be another camera's by then.
    var node: String? {
        get { state.withLock { $0.node } }
        set { state.withLock { $0.node = newValue } }
    }

    /// Keeps what came of controls for the camera's thread to tell.
    func tell(_ outcomes: [ControlOutcome]) {
        state.withLock { $0.untold += outcomes }
    }

    /// To be called by the camera's thread now and then.
    func takeUntold() -> [ControlOutcome] {
        state.withLock { state in
            defer { state.untold = [] }
            return state.untold
        }
    }

    /// Holds what a camera took, in place of what it was to have before. What an automatic control that was switched on governs
    /// from now on is held no more.
    func hold(_ taken: [ControlRequest]) {
        state.withLock { state in
            let names = Set(taken.map(\.name))
            let governed = taken.flatMap { request -> [String] in
                guard let governor = ControlGovernor.named(request.name),
                    !governor.isManual(at: request.value)
                else { return [] }
                return governor.governed
            }
            state.requests.removeAll { names.contains($0.name) || governed.contains($0.name) }
            state.requests += taken
        }
    }
}
