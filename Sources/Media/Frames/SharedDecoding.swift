/// The decoding of one frame that several outputs need: the first of them decodes, and the others take its result.
///
/// It lives as long as the frame that it belongs to, and so does the decoded frame.
public final class SharedDecoding: Sendable {
    /// The result of decoding the frame.
    public enum Outcome: Sendable {
        /// The decoded frame: raw, in the size and sampling of the encoded one.
        case whole(CapturedFrame)
        /// The frame could not be decoded.
        case damaged
    }

    private enum State {
        case untouched
        case underWay
        case done(Outcome)
    }

    private let state = ConditionLock(State.untouched)

    /// Makes a decoding that nobody has begun.
    public init() {}

    /// Returns the decoded frame; the first caller decodes it. Works on any thread; may block while another one decodes.
    ///
    /// - Parameter decode: Decodes the frame. Only the first caller's runs, on its thread; callers that come meanwhile
    ///   wait.
    /// - Returns: The result of that one call, the same for all callers.
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
