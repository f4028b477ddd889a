import Media

/// The controls that a camera is to have for as long as it is used, and the node at which it can be asked for others.
/// Any thread may read or change them.
final class HeldControls: Sendable {
    private struct State {
        var requests: [ControlRequest]
        var node: String?
        /// Outcomes of controls that were set while it streamed, until the camera's thread reports them.
        var untold: [ControlOutcome] = []
    }

    private let state: ConditionLock<State>

    init(_ requests: [ControlRequest], at node: String) {
        state = ConditionLock(State(requests: requests, node: node))
    }

    /// The controls, in the order in which they came.
    var requests: [ControlRequest] { state.withLock { $0.requests } }

    /// The camera's present node; `nil` while the camera is away, when the node may be another camera's.
    var node: String? {
        get { state.withLock { $0.node } }
        set { state.withLock { $0.node = newValue } }
    }

    /// Keeps outcomes for the camera's thread to report.
    func tell(_ outcomes: [ControlOutcome]) {
        state.withLock { $0.untold += outcomes }
    }

    /// Takes the outcomes that are to be reported. The camera's thread calls this now and then.
    func takeUntold() -> [ControlOutcome] {
        state.withLock { state in
            defer { state.untold = [] }
            return state.untold
        }
    }

    /// Holds the controls that a camera took, in place of their earlier values. Controls that a newly switched-on
    /// automatic control governs are no longer held.
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
