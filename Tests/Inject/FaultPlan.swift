import MulticamMedia

/// Counts the calls of each seam in a recording, and injects the fault at the specified call. Thread-safe.
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
    /// - Returns: The fault to inject at this call, if any.
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

    /// Number of calls of each seam up to now.
    var calls: [String: Int] { state.withLock { $0.calls } }
    /// Number of times the fault has occurred up to now.
    var firedCount: Int { state.withLock { $0.firedCount } }
    /// Seed for random parts of the fault.
    var seed: UInt64 { fault?.seed ?? 1 }
}
