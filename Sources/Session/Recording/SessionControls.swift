internal import Media

/// What people ask of a running recording, kept until the timeline comes by. Any thread may ask.
final class SessionControls: Sendable {
    struct Requests: Sendable {
        var stop: ClockTime?
        var isUrgent = false
        var marks: [(text: String, at: ClockTime)] = []
        var splits: [ClockTime] = []
        /// What the session is to be from then on, with what was asked for.
        var plans: [(plan: SessionPlan, changes: [SessionChange], at: ClockTime)] = []
    }

    private let requests = Monitor(Requests())
    /// Wakes the timeline from its sleep before the recording has begun.
    let cancellation = Cancellation()

    func stop(at time: ClockTime) {
        requests.withLock { if $0.stop == nil { $0.stop = time } }
    }

    func stopUrgently(at time: ClockTime) {
        requests.withLock { requests in
            if requests.stop == nil { requests.stop = time }
            requests.isUrgent = true
        }
    }

    func mark(_ text: String, at time: ClockTime) { requests.withLock { $0.marks.append((text, time)) } }
    func split(at time: ClockTime) { requests.withLock { $0.splits.append(time) } }

    func exchange(_ plan: SessionPlan, for changes: [SessionChange], at time: ClockTime) {
        requests.withLock { $0.plans.append((plan, changes, time)) }
    }

    /// What was arranged before a recording is in its plan.
    func forgetPlans() { requests.withLock { $0.plans.removeAll() } }

    /// What was asked for of a recording that is over is nothing to the next one.
    func renew() { requests.withLock { $0 = Requests() } }

    /// What is wanted now; marks, splits and plans are handed over once.
    func take() -> Requests {
        requests.withLock { requests in
            let taken = requests
            requests.marks.removeAll()
            requests.splits.removeAll()
            requests.plans.removeAll()
            return taken
        }
    }

    var stopTime: ClockTime? { requests.withLock { $0.stop } }
    var isUrgent: Bool { requests.withLock { $0.isUrgent } }
}
