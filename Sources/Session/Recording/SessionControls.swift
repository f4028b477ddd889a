internal import Media

/// What people ask of a running recording, kept until the timeline comes by. Any thread may ask.
final class SessionControls: Sendable {
    struct Requests: Sendable {
        var stop: ClockTime?
        var isUrgent = false
        var marks: [(text: String, at: ClockTime)] = []
        var splits: [ClockTime] = []
        /// That were taken: the roles of their cameras, and their files.
        var stills: [(role: String, files: StillFolder.Files)] = []
        var plans: [PlanRequest] = []
    }

    /// What the session is to be from an instant on.
    struct PlanRequest: Sendable {
        let plan: SessionPlan
        /// Each change as a person said it.
        let words: [String]
        /// What devices and files are to do for it.
        let orders: [SessionOrder]
        let at: ClockTime
    }

    private let requests = Monitor(Requests())
    private let timing = Monitor<Timing?>(nil)
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
    func noteStill(of role: String, _ files: StillFolder.Files) {
        requests.withLock { $0.stills.append((role, files)) }
    }
    func split(at time: ClockTime) { requests.withLock { $0.splits.append(time) } }

    func exchange(_ request: PlanRequest) { requests.withLock { $0.plans.append(request) } }

    /// What was arranged before a recording is in its plan.
    func forgetPlans() { requests.withLock { $0.plans.removeAll() } }

    /// What was asked for of a recording that is over is nothing to the next one.
    func renew() { requests.withLock { $0 = Requests() } }

    /// What is wanted now; all but the end is handed over once.
    func take() -> Requests {
        requests.withLock { requests in
            let taken = requests
            requests.marks.removeAll()
            requests.splits.removeAll()
            requests.stills.removeAll()
            requests.plans.removeAll()
            return taken
        }
    }

    /// What the recording that runs has room for.
    struct Timing: Sendable {
        let alignmentDelay: Nanoseconds
        /// By role, the longest interval at which a camera's pictures still come before their ticks are decided.
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
