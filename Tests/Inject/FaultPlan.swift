import Media

/// Counts the calls of each seam of one recording, and tells the one at which its fault happens. Any thread.
final class FaultPlan: Sendable {
    private struct State {
        var calls: [String: Int] = [:]
        var firedCount = 0
    }

    let fault: Fault?
    private let state = ConditionLock(State())

    init(_ fault: Fault?) { self.fault = fault }

    /// Counts a call of a seam.
    ///
    /// - Returns: What goes wrong at it; `nil` where it goes well.
    func next(_ seam: String) -> String? {
        state.withLock { state in
            state.calls[seam, default: 0] += 1
            let call = state.calls[seam, default: 0]
            guard let fault, fault.seam == seam, fault.isLasting ? call >= fault.call : call == fault.call
            else { return nil }
            state.firedCount += 1
            return fault.kind
        }
    }

    /// How often each seam was called so far.
    var calls: [String: Int] { state.withLock { $0.calls } }
    /// How often the fault happened so far.
    var firedCount: Int { state.withLock { $0.firedCount } }
    /// Of what is random in the fault.
    var seed: UInt64 { fault?.seed ?? 1 }
}
