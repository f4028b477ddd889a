internal import Media
internal import Plan
internal import SessionFolder
internal import Stills

/// The requests that people make of a running recording, kept until the timeline takes them. Any thread may ask.
final class SessionControls: Sendable {
    /// The requests that no timeline has taken yet.
    struct Requests: Sendable {
        var stop: ClockTime?
        var isUrgent = false
        var marks: [MarkRequest] = []
        var splits: [SplitRequest] = []
        /// Stills that were taken: the roles of their cameras, and their files.
        var stills: [(role: String, files: StillFolder.Files)] = []
        var plans: [PlanRequest] = []
        /// Events from outside of the recording.
        var events: [EventRequest] = []
        /// Whether no timeline takes marks, splits and plans: the recording is over, or the session is on standby.
        var isClosed = false
        /// Whether the session is on standby, so that another recording may follow.
        var standsBy = false
    }

    /// A request to note an instant under a name.
    struct MarkRequest: Sendable {
        let text: String
        let at: ClockTime
        let decided: ChangeDecision?
    }

    /// A request to continue in new files from an instant on.
    struct SplitRequest: Sendable {
        let at: ClockTime
        let decided: ChangeDecision?
    }

    /// A request to note an event from outside of the recording.
    struct EventRequest: Sendable {
        let at: ClockTime
        /// Makes the event of its time since T0.
        let make: @Sendable (MediaTime) -> SessionEvent
    }

    /// A request to run another plan from an instant on.
    struct PlanRequest: Sendable {
        let plan: SessionPlan
        /// The changes as a person said them.
        let words: [String]
        /// What devices and files have to do for the plan.
        let orders: [SessionOrder]
        /// Hardware cost of the plan, or `nil` when it is not priced.
        let cost: Double?
        /// What was reduced so that the plan stays within its budget.
        let reductions: [String]
        let at: ClockTime
        let decided: ChangeDecision?

        /// The outcome when the recording does not come to the plan: a session on standby keeps a mere arrangement
        /// for its next recording; everything else is dropped.
        func outcomeWithoutRecording(standsBy: Bool) -> ChangeOutcome {
            standsBy && orders.isEmpty ? .next : .ended
        }
    }

    private let requests = ConditionLock(Requests())
    private let timing = ConditionLock<Timing?>(nil)
    /// Wakes the timeline from its sleep before the recording has begun.
    let cancellation = Cancellation()

    /// Asks for the end of the recording at a time; the first request counts.
    func stop(at time: ClockTime) {
        requests.withLock { if $0.stop == nil { $0.stop = time } }
    }

    /// Asks for the end of the recording at a time, without the frames that still wait for an encoder.
    func stopUrgently(at time: ClockTime) {
        requests.withLock { requests in
            if requests.stop == nil { requests.stop = time }
            requests.isUrgent = true
        }
    }

    /// Asks for a mark, or tells its caller that the recording is over.
    func mark(_ request: MarkRequest) {
        let isTaken = requests.withLock { requests in
            if !requests.isClosed { requests.marks.append(request) }
            return !requests.isClosed
        }
        if !isTaken { request.decided?(.ended) }
    }

    /// Asks to note a still.
    func noteStill(of role: String, _ files: StillFolder.Files) {
        requests.withLock { $0.stills.append((role, files)) }
    }

    /// Asks to note an event.
    ///
    /// - Returns: Whether a timeline will take it.
    func note(_ request: EventRequest) -> Bool {
        requests.withLock { requests in
            if !requests.isClosed { requests.events.append(request) }
            return !requests.isClosed
        }
    }

    /// Asks for a split, or tells its caller that the recording is over.
    func split(_ request: SplitRequest) {
        let isTaken = requests.withLock { requests in
            if !requests.isClosed { requests.splits.append(request) }
            return !requests.isClosed
        }
        if !isTaken { request.decided?(.ended) }
    }

    /// Asks for another plan.
    ///
    /// - Returns: `nil` when the timeline will take it; otherwise the outcome, which the caller must tell.
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

    /// Closes the requests: the session is on standby from here on, and nothing is recorded.
    func standBy() {
        requests.withLock { $0.standsBy = true }
        tellEnd(of: close())
    }

    /// Opens the requests for a recording that begins on standby; its plan has everything that was arranged before.
    func open() { requests.withLock { $0.isClosed = false } }

    /// Closes the requests: the recording is over.
    ///
    /// - Returns: The requests that no timeline has taken.
    func close() -> Requests {
        requests.withLock { requests in
            requests.isClosed = true
            return Self.take(from: &requests)
        }
    }

    /// Tells the callers of requests that the recording has not come to.
    func tellEnd(of requests: Requests) {
        for mark in requests.marks { mark.decided?(.ended) }
        for split in requests.splits { split.decided?(.ended) }
        for plan in requests.plans {
            plan.decided?(plan.outcomeWithoutRecording(standsBy: requests.standsBy))
        }
    }

    /// Drops the requests to a recording that is over or could not begin, so that the next one starts without them.
    func renew() {
        tellEnd(of: close())
        requests.withLock { requests in
            requests.stop = nil
            requests.isUrgent = false
        }
    }

    /// Drops a request to stop, so that it does not end the next recording.
    func forgetStop() { requests.withLock { $0.stop = nil } }

    /// Hands over the requests since the last call, and the request to stop each time.
    func take() -> Requests { requests.withLock { Self.take(from: &$0) } }

    private static func take(from requests: inout Requests) -> Requests {
        let taken = requests
        requests.marks.removeAll()
        requests.splits.removeAll()
        requests.stills.removeAll()
        requests.plans.removeAll()
        requests.events.removeAll()
        return taken
    }

    /// The limits of the recording that runs.
    struct Timing: Sendable {
        /// How long after an instant the session decides what its tick shows, in nanoseconds.
        let alignmentDelay: Nanoseconds
        /// The longest frame interval of each camera, by role, at which its frames still come before their ticks are
        /// decided.
        fileprivate(set) var slowestIntervals: [String: Nanoseconds]
    }

    /// The limits of the recording that runs, or `nil` while nothing is recorded.
    var recordingTiming: Timing? {
        get { timing.withLock { $0 } }
        set { timing.withLock { $0 = newValue } }
    }

    /// Notes the longest frame interval of a camera that was taken in.
    func note(slowestInterval interval: Nanoseconds, of role: String) {
        timing.withLock { $0?.slowestIntervals[role] = interval }
    }

    var stopTime: ClockTime? { requests.withLock { $0.stop } }
    var isUrgent: Bool { requests.withLock { $0.isUrgent } }
}
