package import Media
package import SessionFolder

extension CameraInput {
    /// What the timeline takes from a camera, in the order of capture.
    package enum Delivery: Sendable {
        case frame(DatedFrame)
        case lost(count: Int, cause: LossCause, capturedAt: ClockTime)
        /// The camera is away; `ledger` is the cause of the frames that are missing meanwhile.
        case away(at: ClockTime, cause: String, ledger: LossCause)
        /// The camera is back; `ledger` is the cause of the frames that were missing meanwhile.
        case returned(at: ClockTime, remark: String?, ledger: LossCause)
        /// The camera goes on in another format.
        case formatChanged(VideoFormat)
        /// A sentence that a person should read; it changes nothing.
        case warning(at: ClockTime, text: String)
        case ended(at: ClockTime, cause: String)

        /// The frame, or `nil` for any other delivery.
        package var frame: CapturedFrame? {
            if case .frame(let dated) = self { dated.frame } else { nil }
        }

        /// The event that tells of the delivery, or `nil` when it is a frame, lies before `start`, or is told
        /// elsewhere.
        package func event(of role: String, since start: ClockTime) -> SessionEvent? {
            let event: SessionEvent
            switch self {
            // One warning tells of a slow camera, not an event for each frame that it skips.
            // Reductions and changes are told where they are made.
            case .frame, .lost(_, .exposure, _), .lost(_, .governor, _), .lost(_, .change, _),
                .formatChanged, .away(_, _, .governor), .away(_, _, .change):
                return nil
            case .lost(let count, let cause, let time):
                event = SessionEvent(
                    .drop, at: MediaTime(time, since: start),
                    [
                        "track": .string(role), "count": .integer(Int64(count)),
                        "cause": .string(cause.rawValue),
                    ])
            case .away(let time, let cause, _), .ended(let time, let cause):
                event = SessionEvent(
                    .unplug, at: MediaTime(time, since: start),
                    [
                        "track": .string(role), "cause": .string(cause.printable()),
                        "text": .string(
                            "camera \(role) is away: \(cause.printable(limit: 400).trimmingFullStop)."),
                    ])
            case .returned(_, nil, .governor), .returned(_, nil, .change): return nil
            case .returned(let time, let remark, _):
                let more = remark.map { ": \($0.printable(limit: 400))" } ?? ""
                event = SessionEvent(
                    .replug, at: MediaTime(time, since: start),
                    ["track": .string(role), "text": .string("camera \(role) is back\(more).")])
            case .warning(let time, let text):
                event = SessionEvent(
                    .warning, at: MediaTime(time, since: start),
                    ["track": .string(role), "text": .string(text.printable(limit: 400))])
            }
            return event.at >= .zero ? event : nil
        }
    }
}
