internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamSessionFolder
internal import MulticamStills

/// Callers' requests to a running recording, stored until the timeline dequeues them. Any thread may add requests.
final class SessionControls: Sendable {
    /// Requests that the timeline hasn't dequeued yet.
    struct Requests: Sendable {
        var stop: ClockTime?
        var isUrgent = false
        var markers: [MarkerRequest] = []
        var splits: [SplitRequest] = []
        /// Newly taken stills, each with its camera's role and its files.
        var stills: [(role: String, files: StillFiles)] = []
        var plans: [PlanRequest] = []
        /// Events that originate outside the recording.
        var events: [EventRequest] = []
        /// `true` if markers, splits, and plans are rejected because the recording has ended or the session is on
        /// standby.
        var isClosed = false
        /// Whether the session is on standby, so another recording may follow.
        var isOnStandby = false
    }

    /// A request to add a marker at an instant.
    struct MarkerRequest: Sendable {
        let text: String
        let at: ClockTime
        let decided: ChangeCompletion?
    }

    /// A request to continue in new files from an instant.
    struct SplitRequest: Sendable {
        let at: ClockTime
        let decided: ChangeCompletion?
    }

    /// A request to record an event that originates outside the recording.
    struct EventRequest: Sendable {
        let at: ClockTime
        /// Creates the event from the time of the event since T0.
        let make: @Sendable (MediaTime) -> SessionEvent
    }

    /// A request to switch to another plan at an instant.
    struct PlanRequest: Sendable {
        let plan: SessionPlan
        /// The texts of the changes as the user entered them.
        let words: [String]
        /// Device commands and file operations that implement the plan.
        let orders: [SessionOrder]
        /// Hardware cost of the plan, or `nil` when it wasn't computed.
        let cost: Double?
        /// Reductions that keep the plan within its budget.
        let reductions: [String]
        let at: ClockTime
        let decided: ChangeCompletion?
        /// Role of the camera whose motion automatic framing has changed; `nil` for a change by the user.
        var framedRole: String?

        /// Returns the outcome of a change if the recording ended before the change took effect. On standby,
        /// a change that affects only the arrangement is kept for the next recording. All other changes are
        /// dropped.
        func outcomeWithoutRecording(isOnStandby: Bool) -> ChangeOutcome {
            isOnStandby && orders.isEmpty ? .nextRecording : .recordingEnded
        }
    }

    private let requests = ConditionLock(Requests())
    private let timing = ConditionLock<Timing?>(nil)
    /// Wakes the timeline while it waits for the recording to begin.
    let cancellation = Cancellation()

    /// Requests that the recording end at the given time. Only the first stop request takes effect.
    func stop(at time: ClockTime) {
        requests.withLock { if $0.stop == nil { $0.stop = time } }
    }

    /// Requests that the recording end at the given time without encoding the frames that are still queued.
    func stopUrgently(at time: ClockTime) {
        requests.withLock { requests in
            if requests.stop == nil { requests.stop = time }
            requests.isUrgent = true
        }
    }

    /// Requests a marker, or notifies the caller that the recording has ended.
    func mark(_ request: MarkerRequest) {
        let isTaken = requests.withLock { requests in
            if !requests.isClosed { requests.markers.append(request) }
            return !requests.isClosed
        }
        if !isTaken { request.decided?(.recordingEnded) }
    }

    /// Requests that a still be added to the manifest. Does nothing if the recording has ended.
    func registerStill(of role: String, _ files: StillFiles) {
        requests.withLock { if !$0.isClosed { $0.stills.append((role, files)) } }
    }

    /// Requests that an event be recorded.
    ///
    /// - Returns: Whether a timeline will process the request.
    func enqueue(_ request: EventRequest) -> Bool {
        requests.withLock { requests in
            if !requests.isClosed { requests.events.append(request) }
            return !requests.isClosed
        }
    }

    /// Requests a split, or notifies the caller that the recording has ended.
    func split(_ request: SplitRequest) {
        let isTaken = requests.withLock { requests in
            if !requests.isClosed { requests.splits.append(request) }
            return !requests.isClosed
        }
        if !isTaken { request.decided?(.recordingEnded) }
    }

    /// Requests a switch to another plan.
    ///
    /// - Returns: `nil` if the timeline will process the request; otherwise the outcome, which the caller must report.
    func replacePlan(_ request: PlanRequest) -> ChangeOutcome? {
        requests.withLock { requests in
            guard requests.isClosed else {
                requests.plans.append(request)
                return nil
            }
            return request.outcomeWithoutRecording(isOnStandby: requests.isOnStandby)
        }
    }

    var isOnStandby: Bool { requests.withLock { $0.isOnStandby } }

    /// Whether a recording accepts requests.
    var acceptsRequests: Bool { requests.withLock { !$0.isClosed } }

    /// Stops accepting requests because the session is now on standby and nothing is recorded.
    func standBy() {
        requests.withLock { $0.isOnStandby = true }
        notifyEnd(of: close())
    }

    /// Stops accepting requests because the session has ended.
    func end() {
        requests.withLock { $0.isOnStandby = false }
        notifyEnd(of: close())
    }

    /// Starts accepting requests for a recording that begins while the session is on standby. The recording's
    /// plan already includes the arrangements that were requested earlier.
    func open() { requests.withLock { $0.isClosed = false } }

    /// Stops accepting requests because the recording has ended.
    ///
    /// - Returns: The requests that the timeline hasn't dequeued.
    func close() -> Requests {
        requests.withLock { requests in
            requests.isClosed = true
            return Self.dequeueRequests(from: &requests)
        }
    }

    /// Notifies callers that the recording ended before their requests were processed.
    func notifyEnd(of requests: Requests) {
        for marker in requests.markers { marker.decided?(.recordingEnded) }
        for split in requests.splits { split.decided?(.recordingEnded) }
        for plan in requests.plans {
            plan.decided?(plan.outcomeWithoutRecording(isOnStandby: requests.isOnStandby))
        }
    }

    /// Drops requests to a recording that has ended or couldn't begin, so that these requests don't affect
    /// the next recording.
    ///
    /// - Returns: The requests that the timeline hasn't dequeued. Pass them to `notifyEnd(of:)`.
    func reset() -> Requests {
        requests.withLock { requests in
            requests.isClosed = true
            (requests.stop, requests.isUrgent) = (nil, false)
            return Self.dequeueRequests(from: &requests)
        }
    }

    /// Returns the requests that were added since the last call. A stop request is returned by every call.
    func dequeueRequests() -> Requests { requests.withLock { Self.dequeueRequests(from: &$0) } }

    private static func dequeueRequests(from requests: inout Requests) -> Requests {
        let taken = requests
        requests.markers.removeAll()
        requests.splits.removeAll()
        requests.stills.removeAll()
        requests.plans.removeAll()
        requests.events.removeAll()
        return taken
    }

    /// The timing limits of the running recording, and the object that creates files for added devices.
    struct Timing: Sendable {
        /// Time from an instant until the session processes the tick at that instant, in nanoseconds.
        let alignmentDelay: Nanoseconds
        /// The longest frame interval of each camera, by role, at which frames still arrive before their
        /// ticks are processed.
        fileprivate(set) var slowestIntervals: [String: Nanoseconds]
        /// Creates the files for added devices.
        let opener: TrackOpener
    }

    /// Timing limits of the current recording, or `nil` while nothing is being recorded.
    var recordingTiming: Timing? {
        get { timing.withLock { $0 } }
        set { timing.withLock { $0 = newValue } }
    }

    /// Sets the longest frame interval of an added camera.
    func setSlowestInterval(_ interval: Nanoseconds, of role: String) {
        timing.withLock { $0?.slowestIntervals[role] = interval }
    }

    var stopTime: ClockTime? { requests.withLock { $0.stop } }
    var isUrgent: Bool { requests.withLock { $0.isUrgent } }
}

/// A device command or file operation that results from a change to a running session.
enum SessionOrder: Sendable {
    /// A change of devices that are already part of the plan.
    case change(DeviceOperation)
    /// Add a camera that already delivers frames, and the camera's track, if any. The recipient of this order
    /// owns the track's files.
    case admit(CameraInput, PlannedCamera, OpenedTrack?)
    /// The input of a role continues with the source of another input that already delivers frames.
    case replaceCamera(role: String, CameraInput)
    /// Add a microphone that already delivers audio, and the microphone's track, if any. The recipient of
    /// this order owns the track's files.
    case admitAudio(OpenedAudio)

    /// Passes the order's device to `inputs`, which stop the device later. Call this method if the recording
    /// ended before the device was added.
    func discard(returningDevicesTo inputs: SessionInputs) {
        switch self {
        case .admit(let camera, _, let opened):
            opened?.abandon()
            inputs.add(camera)
        case .replaceCamera(_, let camera):
            MediaThread.startWhenPossible(name: "stop") { camera.source.stop() }
        case .admitAudio(let opened):
            opened.abandon()
            inputs.add(opened.input)
        case .change: break
        }
    }
}
