/// What several outputs decode of one frame: the first of them does, the others take what it got.
///
/// It lives as long as the frame that it belongs to, and so does what was decoded.
public final class SharedDecoding: Sendable {
    public enum Outcome: Sendable {
        /// Raw, of the frame's own size and sampling.
        case whole(CapturedFrame)
        case damaged
    }

    private enum State {
        case untouched
        case underWay
        case done(Outcome)
    }

    private let state = ConditionLock(State.untouched)

    public init() {}

    /// - Parameter decode: Called by whoever comes first, on that thread. Whoever comes meanwhile waits.
    /// - Returns: What it returned, to all alike.
    public func outcome(_ decode: () -> Outcome) -> Outcome {
        let known: Outcome?? = state.wait { state in
            switch state {
            case .untouched:
                state = .underWay
                return .some(nil)
            case .underWay: return nil
            case .done(let outcome): return .some(outcome)
            }
        }
        if let outcome = known ?? nil { return outcome }
        let outcome = decode()
        state.broadcast { $0 = .done(outcome) }
        return outcome
    }
}
