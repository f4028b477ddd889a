internal import Media
internal import Plan

/// What people ask of a running recording, kept until the timeline comes by. Any thread may ask.
final class SessionControls: Sendable {
    struct Requests: Sendable {
        var stop: ClockTime?
        var isUrgent = false
        var marks: [MarkRequest] = []
        var splits: [SplitRequest] = []
        /// That were taken: the roles of their cameras, and their files.
        var stills: [(role: String, files: StillFolder.Files)] = []
        var plans: [PlanRequest] = []
        /// Whether no timeline will take marks, splits and plans: the recording is over, or the session stands by.
        var isClosed = false
        /// Whether the session stands by, so that another recording follows.
        var standsBy = false
    }

    /// An instant that is to be remembered.
    struct MarkRequest: Sendable {
        let text: String
        let at: ClockTime
        let decided: ChangeDecision?
    }

    /// New files from an instant on.
    struct SplitRequest: Sendable {
        let at: ClockTime
        let decided: ChangeDecision?
    }

    /// What the session is to be from an instant on.
    struct PlanRequest: Sendable {
        let plan: SessionPlan
        /// Each change as a person said it.
        let words: [String]
        /// What devices and files are to do for it.
        let orders: [SessionOrder]
        let at: ClockTime
        let decided: ChangeDecision?

        /// What becomes of it where the recording does not come to it: what is only arranged otherwise, a session that stands by keeps.
        func outcomeWithoutRecording(standsBy: Bool) -> ChangeOutcome {
            standsBy && orders.isEmpty ? .next : .ended
        }
    }

    private let requests = ConditionLock(Requests())
    private let timing = ConditionLock<Timing?>(nil)
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

    func mark(_ request: MarkRequest) {
        let isTaken = requests.withLock { requests in
            if !requests.isClosed { requests.marks.append(request) }
            return !requests.isClosed
        }
        if !isTaken { request.decided?(.ended) }
    }

    func noteStill(of role: String, _ files: StillFolder.Files) {
        requests.withLock { $0.stills.append((role, files)) }
    }

    func split(_ request: SplitRequest) {
        let isTaken = requests.withLock { requests in
            if !requests.isClosed { requests.splits.append(request) }
            return !requests.isClosed
        }
        if !isTaken { request.decided?(.ended) }
    }

    /// Hands a plan to the timeline.
    ///
    /// - Returns: `nil` where the timeline takes it; otherwise what becomes of it, which nobody has been told.
    func exchange(_ request: PlanRequest) -> ChangeOutcome? {
        requests.withLock { requests in
            guard requests.isClosed else {
                requests.plans.append(request)
                return nil
            }
            return request.outcomeWithoutRecording(standsBy: requests.standsBy)
        }
    }

    var standsBy: Bool { requests.withLock { $0.standsBy } }

    /// From here on the session stands by, and nothing is recorded.
    func standBy() {
        requests.withLock { $0.standsBy = true }
        tellEnd(of: close())
    }

    /// A recording begins on standby. What was arranged before is in its plan.
    func open() { requests.withLock { $0.isClosed = false } }

    /// The recording is over, and nobody takes anything any more.
    ///
    /// - Returns: What has not been taken.
    func close() -> Requests {
        requests.withLock { requests in
            requests.isClosed = true
            return Self.take(from: &requests)
        }
    }

    /// Tells those who asked for what a recording has not come to.
    func tellEnd(of requests: Requests) {
        for mark in requests.marks { mark.decided?(.ended) }
        for split in requests.splits { split.decided?(.ended) }
        for plan in requests.plans {
            plan.decided?(plan.outcomeWithoutRecording(standsBy: requests.standsBy))
        }
    }

    /// What was asked for of a recording that is over, or that could not begin, is nothing to the next one.
    func renew() {
        tellEnd(of: close())
        requests.withLock { requests in
            requests.stop = nil
            requests.isUrgent = false
        }
    }

    /// What somebody asked of a recording that is over does not end the next one.
    func forgetStop() { requests.withLock { $0.stop = nil } }

    /// What is wanted now; all but the end is handed over once.
    func take() -> Requests { requests.withLock { Self.take(from: &$0) } }

    private static func take(from requests: inout Requests) -> Requests {
        let taken = requests
        requests.marks.removeAll()
        requests.splits.removeAll()
        requests.stills.removeAll()
        requests.plans.removeAll()
        return taken
    }

    /// What the recording that runs has room for.
    struct Timing: Sendable {
        let alignmentDelay: Nanoseconds
        /// By role, the longest interval at which a camera's frames still come before their ticks are decided.
        fileprivate(set) var slowestIntervals: [String: Nanoseconds]
    }

    /// `nil` while nothing is recorded.
    var recordingTiming: Timing? {
        get { timing.withLock { $0 } }
        set { timing.withLock { $0 = newValue } }
    }

    /// Notes the longest interval of a camera that was taken in.
    func note(slowestInterval interval: Nanoseconds, of role: String) {
        timing.withLock { $0?.slowestIntervals[role] = interval }
    }

    var stopTime: ClockTime? { requests.withLock { $0.stop } }
    var isUrgent: Bool { requests.withLock { $0.isUrgent } }
}
