public import Control
public import Media
public import MediaServing
public import Plan
public import Session
public import SessionFolder
public import Setup
public import Stills
public import Timing

/// Steers sessions, one after the other: it carries out the requests of `multicam ctl` and of signals on the present session, and
/// on standby it says what comes next. Safe to call from any thread.
///
///     let steering = SessionSteering()
///     let server = try ControlServer { command, arrival, answer in
///         steering.perform(command, at: arrival, paused: setup.plan, answer: answer)
///     }
///     steering.note(at: server)
///     steering.steer(session, setup, stills: stills)
///     let result = try await session.record()
///     steering.release()
public final class SessionSteering: Sendable {
    private struct State {
        /// The present session; `nil` when nothing is recorded and nothing is on standby.
        var session: MulticamSession?
        /// The plan of the session that ended last; `nil` while there is one, and before the first.
        var lastPlan: SessionPlan?
        /// The setup of the present session.
        var setup: SessionSetup?
        var stills: SessionStills?
        /// The stills of the planned cameras, without those added during a recording.
        var plannedStills: SessionStills?
        /// Rotates the cameras of the present session while it exists.
        var rotation: SessionRotation?
        /// Follows the leading role's camera while the session is on standby.
        var following: CameraFollowing?
        var isStopped = false
        /// Whether a recording runs, begins or ends; always true with a session, except on standby.
        var isRecording = false
        /// How many times a recording has begun or failed to begin.
        var beginnings = 0
        /// The folder of the last recording that has begun; `nil` when it failed to begin.
        var begun: String?
        /// The verdict on the recording that ended last.
        var verdict: String?
        /// On standby: whether a requested recording has neither begun nor failed yet.
        var isStarting = false
        /// The media server; `nil` when other processes cannot see this one's sessions.
        var media: MediaServer?
        /// The publisher; `nil` when nothing can be published.
        var publisher: LivePublisher?
        /// The control server; `nil` when `multicam ctl` cannot reach this process.
        var server: ControlServer?
    }

    /// The clock of the sessions that are steered: it follows a group's time while a recording does.
    public let clock = SteeredClock()

    private let isStandby: Bool
    private let say: @Sendable (String) -> Void
    private let state = ConditionLock(State())
    private let scenes = SceneKeeping()
    private let stopped = Cancellation()
    private let steps: AsyncStream<StandbyStep>
    private let next: AsyncStream<StandbyStep>.Continuation

    /// The longest wait for the T0 of a requested recording.
    private static let patience = Nanoseconds.seconds(20)

    /// Creates a steering without a session.
    ///
    /// - Parameters:
    ///   - isStandby: Whether devices keep running between recordings, which begin and end on request.
    ///   - say: Receives sentences for the user, on any thread.
    public init(isStandby: Bool = false, saying say: @escaping @Sendable (String) -> Void = { _ in }) {
        self.isStandby = isStandby
        self.say = say
        (steps, next) = AsyncStream.makeStream()
    }

    /// Whether a stop was requested. It never becomes `false` again.
    public var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Ends the present recording at its next tick, ends standby and any wait for recovery, and stops all later sessions at once.
    public func stop() {
        let session = state.withLock { state in
            state.isStopped = true
            return state.session
        }
        end(session)
    }

    /// Ends the present recording and closes its files without waiting for the encoders; frames in their queues are lost.
    ///
    /// - Returns: Whether there is a session; without one, only a wait for recovery is ended.
    public func stopUrgently() -> Bool {
        let session = state.withLock { state in
            state.isStopped = true
            return state.session
        }
        if session == nil { stopped.cancel() }
        session?.stopUrgently()
        return session != nil
    }

    /// Sets a mark in the present recording at this instant.
    ///
    /// - Parameter text: The name of the mark.
    /// - Returns: Whether a recording runs, begins or ends; otherwise nothing is done.
    public func mark(_ text: String) -> Bool {
        guard isRecording else { return false }
        state.withLock(\.session)?.mark(text)
        return true
    }

    /// Continues the present recording in new files from this instant on.
    ///
    /// - Returns: Whether a recording runs, begins or ends; otherwise nothing is done.
    public func split() -> Bool {
        guard isRecording else { return false }
        state.withLock(\.session)?.split()
        return true
    }

    /// Path of the session folder of the present recording, or `nil` when there is none.
    public var folderPath: String? { state.withLock(\.session)?.folderPath }

    private func end(_ session: MulticamSession?, at time: ClockTime? = nil) {
        stopped.cancel()
        session?.stop(at: time)
        // Wakes the thread that waits for a recording to begin.
        state.broadcast { _ in }
        next.yield(.end)
        next.finish()
    }

    private var isRecording: Bool { state.withLock { $0.session != nil && $0.isRecording } }

    /// Sets the control server, which stores the path of the session folder that is being recorded into.
    ///
    /// - Parameter server: The server, or `nil` when `multicam ctl` cannot reach this process.
    public func note(at server: ControlServer?) { state.withLock { $0.server = server } }

    /// Sets the media server, which gets each session that is steered, and the events that are told.
    ///
    /// - Parameter server: The server, or `nil` when there is none.
    public func note(at server: MediaServer?) {
        state.withLock { $0.media = server }
        server?.tellStatus { [weak self] in self?.status }
    }

    /// Sets the publisher, which gets each session that is steered, and its live outputs.
    ///
    /// - Parameter publisher: The publisher, or `nil` when there is none.
    public func note(at publisher: LivePublisher?) { state.withLock { $0.publisher = publisher } }

    /// How it goes, as `multicam ctl status` tells it; `nil` before the first session.
    public var status: ControlStatus? {
        let (session, isRecording, verdict, last) = state.withLock {
            ($0.session, $0.isRecording, $0.verdict, $0.lastPlan)
        }
        guard let session else {
            return last.map { ControlStatus(SessionStatus(), plan: $0, folder: nil, state: .paused) }
        }
        var status = ControlStatus(
            session.status, plan: session.currentPlan, folder: isRecording ? session.folderPath : nil,
            cost: session.hardwareCost)
        if !isRecording { status.verdict = verdict }
        if let start = session.status.start {
            status.t0_monotonic_ns = clock.stamp(of: start).nanoseconds
            status.t0_utc_ns = clock.utc(of: start)
        }
        return status
    }

    /// Tells an event of the present session to the processes that want events.
    public func tell(_ event: SessionEvent) { state.withLock(\.media)?.tell(event) }

    /// Is cancelled when a stop is requested.
    public var stopping: Cancellation { stopped }

    /// Carries out a command of the control socket.
    ///
    /// Commands that add devices, set controls, take stills, start a recording or switch cameras block the calling thread; a
    /// start blocks it for up to 20 s.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - arrival: When the command arrived, on `CLOCK_MONOTONIC`.
    ///   - paused: The plan that the command `status` reports while there is no session.
    ///   - answer: Called once, when the outcome is known: before this returns, or later on another thread.
    public func perform(
        _ command: ControlCommand, at arrival: ClockTime, paused: SessionPlan,
        answer: @escaping ControlServer.Answer
    ) {
        if case .clock(let measurement) = command { return answer(take(measurement)) }
        let arrival = clock.time(stamped: arrival)
        let (session, isStopped, isRecording) = state.withLock { ($0.session, $0.isStopped, $0.isRecording) }
        guard let session else { return answer(performWithoutSession(command, isStopped, paused)) }
        if isStopped, command != .status {
            return answer(ControlReply(ok: false, text: "the recording is being ended."))
        }
        if !isRecording, command.needsRecording {
            return answer(
                ControlReply(
                    ok: false, text: "nothing is being recorded: `multicam ctl start` begins a recording."))
        }
        switch command {
        case .mark(let text, let time):
            guard let instant = Self.instant(time, in: session, askedAt: arrival) else {
                return answer(Self.notYet)
            }
            session.mark(text, at: instant) { answer(ControlReply($0, did: "marked: \(text)")) }
        case .split:
            session.split(at: arrival) {
                answer(ControlReply($0, did: "the recording goes on in new files."))
            }
        case .change(let change):
            do throws(SessionChangeError) {
                try session.commit([change], at: arrival) { [state] outcome in
                    if case .removed(let role) = change, outcome != .ended {
                        state.withLock { $0.stills?.remove(role) }
                    }
                    answer(ControlReply(outcome, did: "changed: \(change)"))
                }
            } catch {
                answer(ControlReply(error))
            }
        case .stop(let time) where isStandby:
            guard let instant = Self.instant(time, in: session, askedAt: arrival) else {
                return answer(Self.notYet)
            }
            session.stop(at: instant)
            answer(ControlReply(ok: true, text: "the recording is being ended; the devices stand by."))
        case .stop, .quit:
            var instant = arrival
            if case .stop(let time) = command {
                guard let named = Self.instant(time, in: session, askedAt: arrival) else {
                    return answer(Self.notYet)
                }
                instant = named
            }
            state.withLock { $0.isStopped = true }
            end(session, at: instant)
            answer(
                ControlReply(
                    ok: true,
                    text: isRecording
                        ? "the recording is being ended."
                        : "the devices are let go, and `multicam record` ends.")
            )
        case .status, .start, .snapshot, .set, .controls, .preset, .match, .switchCamera, .add,
            .addMicrophone, .exchange, .keepScene, .forgetScene, .publish, .unpublish, .clock:
            answer(perform(command, session, isRecording: isRecording))
        }
    }

    private func performWithoutSession(
        _ command: ControlCommand, _ isStopped: Bool, _ paused: SessionPlan
    ) -> ControlReply {
        switch command {
        case .status:
            let status = ControlStatus(SessionStatus(), plan: paused, folder: nil, state: .paused)
            return ControlReply(ok: true, text: "nothing is being recorded at the moment.", status: status)
        case .start(let time, let utc, let duration) where isStandby && !isStopped:
            return start(time, utc, duration)
        case .stop where !isStandby, .quit:
            state.withLock { $0.isStopped = true }
            end(nil)
            return ControlReply(ok: true, text: "it does not go on.")
        case .mark, .split, .change, .add, .addMicrophone, .exchange, .set, .controls, .preset, .match,
            .snapshot, .start, .stop, .switchCamera, .keepScene, .forgetScene, .publish, .unpublish, .clock:
            return ControlReply(ok: false, text: "nothing is being recorded at the moment.")
        }
    }

    private static let notYet = ControlReply(
        ok: false,
        text: "the recording has not come to that instant yet: `at` is nanoseconds since its start.",
        usage: true)

    /// The instant of a command on the session's clock: when it was asked for, or so long after T0; `nil` where that is still to come.
    private static func instant(
        _ time: MediaTime?, in session: MulticamSession, askedAt arrival: ClockTime
    ) -> ClockTime? {
        guard let time, let start = session.status.start else { return arrival }
        let (instant, overflows) = start.nanoseconds.addingReportingOverflow(time.nanoseconds)
        return overflows || instant > arrival.nanoseconds ? nil : ClockTime(nanoseconds: instant)
    }

    /// Carries out a command whose outcome is known when it returns.
    private func perform(
        _ command: ControlCommand, _ session: MulticamSession, isRecording: Bool
    ) -> ControlReply {
        switch command {
        case .status:
            guard let status else { return ControlReply(ok: false, text: "the session is over.") }
            return ControlReply(ok: true, text: status.state.rawValue, status: status)
        case .snapshot(let roles): return takeStills(roles, of: session)
        case .add(let role, let selector):
            return add(session, saying: "camera \(role) is in; `unhide \(role)` shows it in the program.") {
                (setup) throws(SetupError) in
                guard var stills = state.withLock(\.stills) else {
                    throw .usage("nothing is being recorded at the moment.")
                }
                try setup.addCamera(selector, as: role, to: session, stills: &stills)
                // Another camera may have been removed meanwhile.
                let added = stills.cameras.last { $0.role == role }
                state.withLock { state in
                    if let added { state.stills?.add(added) }
                }
            }
        case .addMicrophone(let role, let selector):
            return add(
                session, saying: "microphone \(role) is in; `unmute \(role)` lets it be heard in the program."
            ) { (setup) throws(SetupError) in try setup.addMicrophone(selector, as: role, to: session) }
        case .exchange(let role, let selector):
            return add(session, saying: "camera \(role) is \(SourceAddress.printable(of: selector)) now.") {
                (setup) throws(SetupError) in
                guard let stills = state.withLock(\.stills) else {
                    throw .usage("nothing is being recorded at the moment.")
                }
                try setup.exchangeCamera(of: role, for: selector, in: session, stills: stills)
            }
        case .set, .controls, .preset, .match: return ControlSteering(session).perform(command)
        case .start where isRecording:
            return ControlReply(
                ok: false,
                text: session.status.phase == .finishing
                    ? "the files of the last recording are still being finished."
                    : "a recording runs already.")
        case .start(let time, let utc, let duration): return start(time, utc, duration)
        case .switchCamera(let selector): return switchCamera(to: selector)
        case .publish(let place): return publishing { $0.perform(place) }
        case .unpublish(let name): return publishing { $0.end(name) }
        case .keepScene(let name): return scenes.keep(name, of: session, state.withLock(\.setup))
        case .forgetScene(let name): return scenes.forget(name, of: session, state.withLock(\.setup))
        case .mark, .split, .change, .stop, .quit, .clock:
            preconditionFailure("`\(command)` is answered when it is decided")
        }
    }

    /// Adds or exchanges a device of the recording; waits until it delivers.
    private func add(
        _ session: MulticamSession, saying success: String, adding: (SessionSetup) throws(SetupError) -> Void
    ) -> ControlReply {
        guard let setup = state.withLock(\.setup), session.status.phase == .recording else {
            return ControlReply(ok: false, text: "nothing is being recorded at the moment.")
        }
        do throws(SetupError) {
            try adding(setup)
            return ControlReply(ok: true, text: success)
        } catch .refused(let error) {
            return ControlReply(error)
        } catch {
            return ControlReply(ok: false, text: error.description, usage: true)
        }
    }

    private func publishing(_ body: (LivePublisher) -> ControlReply) -> ControlReply {
        state.withLock(\.publisher).map(body)
            ?? ControlReply(
                ok: false, text: "nothing can be published: other processes cannot see this session.")
    }

    /// Requests a recording, and waits for its T0.
    private func start(_ stamp: ClockTime?, _ utc: Int64?, _ duration: Nanoseconds?) -> ControlReply {
        // Requests during a pending start wait for the same recording.
        let (before, isFirst) = state.withLock { state in
            defer { state.isStarting = true }
            return (state.beginnings, !state.isStarting)
        }
        if isFirst {
            let start = stamp.map { stamp in
                utc.map { clock.begin(at: stamp, utc: $0) } ?? clock.time(stamped: stamp)
            }
            next.yield(.start(at: start, for: duration))
        }
        let now = MonotonicClock().now
        let begun = state.wait(until: max(now, stamp ?? now) + Self.patience) {
            state -> String?? in
            state.beginnings != before ? .some(state.begun) : state.isStopped ? .some(nil) : nil
        }
        switch begun {
        case .some(.some(let folder)): return ControlReply(ok: true, text: "recording: \(folder.printable())")
        case .some(.none):
            return ControlReply(
                ok: false, text: "the recording did not begin; the terminal that stands by tells why.")
        case .none:
            return ControlReply(
                ok: false,
                text:
                    "the recording has not begun within \(Int(Self.patience.inSeconds)) s; `status` tells how it goes."
            )
        }
    }

    /// Takes what was measured of the group's time.
    private func take(_ measurement: ClockMeasurement) -> ControlReply {
        do throws(ClockRefusal) {
            try clock.take(measurement)
            return ControlReply(ok: true, text: "taken.")
        } catch {
            return ControlReply(ok: false, text: "the measurement is not followed: \(error).")
        }
    }

    /// Switches the leading role's camera; waits for the disk.
    private func switchCamera(to selector: String?) -> ControlReply {
        let (following, session) = state.withLock { ($0.following, $0.session) }
        guard let following else {
            return ControlReply(
                ok: false,
                text: isStandby
                    ? nothingToSwitch
                    : "a camera is never switched in the middle of a recording: name the role and the camera with `exchange`, record with "
                        + "--standby, where it is between two, or choose the next recording's with `multicam prefer`."
            )
        }
        do {
            let outcome = try selector.map { try following.choose($0) } ?? following.switchCamera()
            switch outcome {
            case .unchanged(let camera):
                return ControlReply(ok: true, text: "\(following.role) has \(camera.name.printable()).")
            case .later(let camera):
                return ControlReply(
                    ok: true,
                    text: "\(following.role) gets \(camera.name.printable()) when this recording has ended.")
            case .now(let camera):
                // A recording that began meanwhile keeps its camera; the switch follows when it ends.
                if session != nil { next.yield(.follow(camera)) }
                return ControlReply(ok: true, text: "\(following.role) gets \(camera.name.printable()).")
            }
        } catch {
            return ControlReply(ok: false, text: "\(error)".printable(limit: 1000))
        }
    }

    private var nothingToSwitch: String {
        let setup = state.withLock(\.setup)
        if setup?.request?.usesVirtualDevices ?? false {
            return
                "there is no camera to switch: with --virtual all are synthetic, and switching is among real ones."
        }
        return
            "there is no camera to switch: every role names its own. Write `device: any` for one in the profile, and no --camera for it."
    }

    /// Takes stills; waits for the frames and the disk.
    private func takeStills(_ roles: [String], of session: MulticamSession) -> ControlReply {
        let (stills, isRecording) = state.withLock { ($0.stills, $0.isRecording) }
        let place: StillFolder
        switch session.status.phase {
        // The folder that `multicam snapshot` uses too.
        case .standby where !isRecording: place = StillFolder(path: ".", version: MulticamVersion.current)
        case .recording:
            guard let folder = session.folderPath else { fallthrough }
            place = StillFolder(ofSession: folder, version: MulticamVersion.current)
        case .starting, .standby, .finishing:
            return ControlReply(ok: false, text: "nothing is being recorded at the moment.")
        }
        guard let stills else { return ControlReply(ok: false, text: "there are no cameras at the moment.") }
        do throws(StillError) {
            let taken = try stills.take(roles, into: place)
            if isRecording {
                for case (let role, .success(let files)) in taken { session.noteStill(of: role, files) }
            }
            return ControlReply(taken)
        } catch {
            return ControlReply(ok: false, text: error.description, usage: true)
        }
    }

    /// Directs signals and commands to a session from now on. A session that comes after `stop` is stopped at once.
    ///
    /// - Parameters:
    ///   - session: The session that is about to record.
    ///   - setup: The setup that made the session.
    ///   - stills: The stills whose taps the session has.
    ///   - rotation: Rotates the session's cameras; `nil` when none follows the computer.
    public func steer(
        _ session: MulticamSession, _ setup: SessionSetup, stills: SessionStills,
        rotation: SessionRotation? = nil
    ) {
        let isStopped = state.withLock { state in
            state.session = session
            state.setup = setup
            state.stills = stills
            state.plannedStills = stills
            state.rotation = rotation
            state.isRecording = !isStandby
            return state.isStopped
        }
        scenes.update(session)
        state.withLock(\.media)?.serve(session)
        state.withLock(\.publisher)?.serve(session, setup.publications)
        if isStopped { session.stop() }
    }

    /// Sets the object that decides which camera the leading role has. `release` removes it.
    ///
    /// - Parameter following: Follows the leading role's camera.
    public func follow(_ following: CameraFollowing) { state.withLock { $0.following = following } }

    /// Waits for the next step of a run on standby. To be called from one task only.
    ///
    /// - Returns: The step, or `nil` after the end.
    public func nextStep() async -> StandbyStep? {
        for await step in steps { return step }
        return nil
    }

    /// Notes that a recording is about to begin or is over, during a run on standby.
    ///
    /// Stills of cameras that were added during a recording are removed, and a stop that came too late for the last recording is
    /// cancelled.
    ///
    /// - Parameter isRecording: `true` before a recording begins, `false` when it is over.
    public func record(_ isRecording: Bool) {
        if isRecording { state.withLock(\.session)?.forgetStop() } else { clock.end() }
        let isStopped = state.withLock { state in
            state.isRecording = isRecording
            state.stills = state.plannedStills
            return state.isStopped ? state.session : nil
        }
        if isRecording { isStopped?.stop() }
    }

    /// Notes that a recording has begun or failed to begin, which answers the command `start` that waits for it. After one that failed the
    /// clock follows no group's time.
    ///
    /// - Parameter folder: Path of the recording's session folder, or `nil` when the recording failed to begin.
    public func tellBeginning(folder: String?) {
        // The start may have begun to steer the clock, and no recording follows that would end it.
        if folder == nil { clock.end() }
        state.broadcast { state in
            state.beginnings += 1
            state.begun = folder
            state.isStarting = false
        }
        note(recordingIn: folder)
    }

    /// Notes that a recording is over, whether it succeeded or failed, so that no session folder is being written.
    public func tellEnd() { note(recordingIn: nil) }

    private func note(recordingIn folder: String?) {
        do throws(ControlError) {
            try state.withLock(\.server)?.note(recordingIn: folder)
        } catch {
            say(error.description)
        }
    }

    /// Stores the verdict on the recording that has just ended, which the command `status` reports on standby.
    ///
    /// - Parameter verdict: The verdict as text.
    public func tellVerdict(_ verdict: String) { state.withLock { $0.verdict = verdict } }

    /// Requests another camera for the leading role on standby, as the step `follow`.
    ///
    /// - Parameter camera: The camera that the role changes to.
    public func take(_ camera: CaptureDevice) { next.yield(.follow(camera)) }

    /// Releases the session and all that belongs to it: signals and commands have no session until the next `steer`.
    public func release() {
        // The rotation is returned so that it is released outside the lock.
        state.withLock(\.media)?.serve(nil)
        state.withLock(\.publisher)?.serve(nil)
        _ = state.withLock { state in
            let rotation = state.rotation
            state.rotation = nil
            state.lastPlan = state.session?.currentPlan ?? state.lastPlan
            state.session = nil
            state.setup = nil
            state.stills = nil
            state.plannedStills = nil
            state.following = nil
            state.isRecording = false
            return rotation
        }
    }

    /// Waits until system pressure has recovered, and says about every minute what it waits for.
    ///
    /// - Parameter folder: Path of the folder whose disk's free room counts.
    /// - Returns: `true` after recovery, `false` when a stop was requested.
    public func waitForRecovery(folder: String) async -> Bool {
        let hasRecovered = await withCheckedContinuation { continuation in
            _ = MediaThread(name: "rest") { [stopped, say] in
                continuation.resume(
                    returning: PressureRest(folder: folder).waitForRecovery(unless: stopped) {
                        say($0)
                    })
            }
        }
        return hasRecovered && !isStopped
    }
}
