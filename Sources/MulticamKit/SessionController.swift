package import MulticamControl
package import MulticamMedia
package import MulticamMediaServing
internal import MulticamPlan
package import MulticamSession
package import MulticamSessionFolder
package import MulticamSetup
package import MulticamTiming

/// Controls successive sessions. This class applies requests from `multicam ctl` and from signals to the
/// current session, and provides the next step during standby. Thread-safe.
///
/// The commands are the values of `SessionCommand`.
///
/// ```swift
/// let controller = SessionController()
/// let server = try ControlServer { request throws(ControlError) in
///     try controller.prepareCommand(for: request, pausedPlan: setup.plan)
/// }
/// controller.attach(server)
/// controller.attach(session, setup)
/// let result = try await session.record()
/// controller.release()
/// ```
package final class SessionController: Sendable {
    private struct State {
        /// The current session; `nil` if no session is recording or on standby.
        var session: MulticamSession?
        /// The plan of the previous session; `nil` while a session exists, and before the first session.
        var lastPlan: SessionPlan?
        /// The setup of the current session.
        var setup: SessionSetup?
        /// Rotates the current session's cameras while this object exists.
        var rotation: SessionRotation?
        /// How the previous session selected shots, including the user's changes; `nil` if it couldn't switch by voice,
        /// and before the first session has ended.
        var lastSwitching: ProgramSettings.Switching?
        var isStopped = false
        /// Whether a recording is starting, running, or ending. The value is always `true` while a session
        /// exists, except during standby.
        var isRecording = false
        /// The verdict on the last recording.
        var verdict: String?
        /// The media server; `nil` if other processes can't access this process's sessions.
        var mediaServer: MediaServer?
        /// The publisher; `nil` if publishing isn't available.
        var publisher: LivePublisher?
        var analysis: FrameAnalysisService?
        /// The control server; `nil` if `multicam ctl` can't reach this process.
        var controlServer: ControlServer?
    }

    /// The clock of the controlled sessions. The clock follows the group's time during a group recording.
    package let clock: SteeredClock

    /// Whether devices keep running between recordings; `nil` if the current session decides.
    private let fixedStandby: Bool?
    let standby: StandbyController
    let scenes = SceneStorage()
    private let notify: @Sendable (String) -> Void
    private let state = ConditionLock(State())
    private let stopped = Cancellation()

    /// Creates an instance without a session.
    ///
    /// - Parameters:
    ///   - isStandby: Whether devices keep running between recordings, which begin and end on request. If `nil`, a
    ///     program starts and ends the recordings, and the state of the current session decides.
    ///   - notify: Receives messages for the user, on any thread.
    package init(isStandby: Bool? = false, notify: @escaping @Sendable (String) -> Void = { _ in }) {
        fixedStandby = isStandby
        self.notify = notify
        clock = SteeredClock()
        standby = StandbyController(clock: clock)
    }

    /// Whether devices keep running between recordings.
    var isStandby: Bool {
        fixedStandby ?? state.withLock(\.session)?.lifecycleState.isStandby ?? false
    }

    /// Whether the command `stop` ends the recording but not the process, which can make further recordings.
    var stopsOnlyRecording: Bool { fixedStandby ?? true }

    /// Whether a stop was requested. Once the value is `true`, it never becomes `false` again.
    package var isStopRequested: Bool { state.withLock { $0.isStopped } }

    /// Ends the current recording at its next tick, ends standby, and ends any wait for system pressure to
    /// fall. All later sessions are stopped immediately.
    package func stop() {
        let session = state.withLock { state in
            state.isStopped = true
            return state.session
        }
        end(session)
    }

    /// Ends the current recording and closes its files without waiting for the encoders. Frames in the encoders' queues
    /// are lost.
    ///
    /// - Returns: Whether a session exists. If `false`, the call only ended a possible wait for system
    ///   pressure to fall.
    package func stopUrgently() -> Bool {
        let session = state.withLock { state in
            state.isStopped = true
            return state.session
        }
        if session == nil { stopped.cancel() }
        session?.stopUrgently()
        return session != nil
    }

    /// Sets a marker in the current recording at the current time.
    ///
    /// - Parameter text: The name of the marker.
    /// - Returns: Whether a recording is starting, running, or ending. If `false`, the call had no effect.
    package func mark(_ text: String) -> Bool {
        guard isRecording else { return false }
        state.withLock(\.session)?.mark(text)
        return true
    }

    /// Continues the current recording in new files.
    ///
    /// - Returns: Whether a recording is starting, running, or ending. If `false`, the call had no effect.
    package func split() -> Bool {
        guard isRecording else { return false }
        state.withLock(\.session)?.split()
        return true
    }

    /// Ends the current recording or standby, and then the process, at a client's request.
    ///
    /// - Parameters:
    ///   - session: The current session.
    ///   - time: Time of the end on the session's clock.
    ///   - isRecording: Whether a recording is starting, running, or ending.
    /// - Returns: The reply to the client.
    func end(_ session: MulticamSession, at time: ClockTime, isRecording: Bool) -> ControlReply {
        state.withLock { $0.isStopped = true }
        end(session, at: time)
        return ControlReply(
            ok: true,
            text: isRecording
                ? "The recording is ending." : "The session is ending, and the devices are being released.")
    }

    /// Ends a wait for system pressure to fall, at a client's request, so that no recording follows.
    func endWithoutSession() -> ControlReply {
        state.withLock { $0.isStopped = true }
        end(nil)
        return ControlReply(ok: true, text: "The recording won't continue.")
    }

    /// Path of the session folder of the current recording; `nil` if none exists.
    package var folderPath: String? { state.withLock(\.session)?.folderPath }

    private func end(_ session: MulticamSession?, at time: ClockTime? = nil) {
        stopped.cancel()
        session?.stop(at: time)
        standby.end()
    }

    /// The current session, whether a stop was requested, and whether a recording is starting, running, or ending.
    var current: (session: MulticamSession?, isStopped: Bool, isRecording: Bool) {
        state.withLock { ($0.session, $0.isStopped, hasRecording($0)) }
    }

    /// Executes a command that the publisher handles.
    func withPublisher(_ body: (LivePublisher) -> ControlReply) -> ControlReply {
        state.withLock(\.publisher).map(body)
            ?? ControlReply(
                ok: false,
                text: "Live outputs are disabled because other processes can't access this session.")
    }

    /// Automatic switching of the current session; `nil` if the session can't switch by voice.
    var switcher: SessionVoiceSwitcher? { state.withLock(\.session)?.voiceSwitcher }

    /// The setup of the current session; `nil` without a session.
    var setup: SessionSetup? { state.withLock(\.setup) }

    private var isRecording: Bool { state.withLock { $0.session != nil && hasRecording($0) } }

    private func hasRecording(_ state: State) -> Bool {
        fixedStandby == nil ? state.session?.lifecycleState.isRecording ?? false : state.isRecording
    }

    /// Sets the control server, which stores the path of the session folder of the current recording.
    ///
    /// - Parameter server: The server; `nil` if `multicam ctl` can't reach this process.
    package func attach(_ server: ControlServer?) { state.withLock { $0.controlServer = server } }

    /// Sets the media server, which receives each session and its events.
    ///
    /// - Parameter server: The server; `nil` if none exists.
    package func attach(_ server: MediaServer?) {
        state.withLock { $0.mediaServer = server }
        server?.setStatusSource { [weak self] in self?.status }
    }

    /// Sets the publisher, which receives each session and its live outputs.
    ///
    /// - Parameter publisher: The publisher; `nil` if none exists.
    package func attach(_ publisher: LivePublisher?) { state.withLock { $0.publisher = publisher } }

    /// Sets the service that searches the cameras of each session for faces and codes.
    ///
    /// - Parameter analysis: The service; `nil` if none exists.
    package func attach(_ analysis: FrameAnalysisService?) { state.withLock { $0.analysis = analysis } }

    /// The status for `multicam ctl status`; `nil` before the first session.
    package var status: ControlStatus? {
        let (session, isRecording, verdict, last) = state.withLock {
            ($0.session, hasRecording($0), $0.verdict, $0.lastPlan)
        }
        guard let session else {
            return last.map { .paused($0) }
        }
        var status = ControlStatus(
            session.status, plan: session.currentPlan, folder: isRecording ? session.folderPath : nil,
            cost: session.hardwareCost)
        if !isRecording { status.verdict = verdict }
        status.commands = SessionCommand.listedNames
        status.program?.switching = session.voiceSwitcher?.mode.rawValue
        status.program?.switching_resumes_ns = session.voiceSwitcher?.timeToResume?.count
        if let start = session.status.start {
            status.t0_monotonic_ns = clock.stamp(of: start).nanoseconds
            status.t0_utc_ns = clock.utc(of: start)
        }
        return status
    }

    /// Sends an event of the current session to the subscribed processes.
    package func send(_ event: SessionEvent) { state.withLock(\.mediaServer)?.publish(event) }

    /// Ends standby, and any wait for devices, without a request for a stop.
    func endStandby() {
        stopped.cancel()
        standby.end()
    }

    /// A cancellation that takes effect when a stop is requested.
    package var stopCancellation: Cancellation { stopped }

    /// Sets the session to which signals and commands are applied. If `stop` was called before, the session
    /// is stopped immediately. The session uses the previous session's switching mode, which the user may have changed.
    ///
    /// - Parameters:
    ///   - session: The session that is about to record.
    ///   - setup: The setup used to create the session.
    ///   - rotation: Rotates the session's cameras; `nil` if no camera follows the computer's rotation.
    package func attach(_ session: MulticamSession, _ setup: SessionSetup, rotation: SessionRotation? = nil) {
        if let mode = state.withLock(\.lastSwitching) {
            do throws(SessionChangeError) {
                try session.voiceSwitcher?.setMode(mode)
            } catch {
                notify("\(error)")
            }
        }
        let isStopped = state.withLock { state in
            state.session = session
            state.setup = setup
            state.rotation = rotation
            state.isRecording = fixedStandby == false
            return state.isStopped
        }
        scenes.apply(to: session)
        state.withLock(\.mediaServer)?.serve(session)
        state.withLock(\.publisher)?.serve(session, setup.liveOutputs)
        state.withLock(\.analysis)?.serve(session)
        if isStopped { session.stop() }
    }

    /// Sets the object that selects the leading role's camera. `release` removes the object.
    ///
    /// - Parameter following: Tracks the leading role's camera.
    package func attach(_ following: LeadingCameraTracker) { standby.attach(following) }

    /// Waits for the next step while the process is on standby. Call this method from only one task.
    ///
    /// - Returns: The next step; `nil` after standby has ended.
    package func nextStep() async -> StandbyStep? { await standby.nextStep() }

    /// Records that a recording is about to begin or has ended while the process is on standby.
    ///
    /// - Parameter isRecording: `true` as soon as a recording begins, `false` after it has ended.
    package func setRecording(_ isRecording: Bool) {
        if !isRecording { clock.end() }
        state.withLock { $0.isRecording = isRecording }
    }

    /// Stops a recording that is about to begin if a stop was requested before.
    package func attach(_ recording: Recording) {
        if isStopRequested { recording.stop() }
    }

    /// Records that a recording has begun or failed to begin, and sends the reply to the pending `start`
    /// command. After a failure, the clock no longer follows a group's time.
    ///
    /// - Parameter folder: Path of the recording's session folder; `nil` if the recording failed to begin.
    package func notifyRecordingStarted(folder: String?) {
        standby.notifyRecordingStarted(folder: folder)
        registerRecording(in: folder)
    }

    /// Records that a recording has ended, successfully or not, so that no session folder is in use.
    package func notifyRecordingEnded() { registerRecording(in: nil) }

    private func registerRecording(in folder: String?) {
        do throws(ControlError) {
            try state.withLock(\.controlServer)?.setRecordingFolder(folder)
        } catch {
            notify(error.description)
        }
    }

    /// Stores the verdict on the last recording, which the command `status` reports during standby.
    ///
    /// - Parameter verdict: The verdict as text.
    package func setVerdict(_ verdict: String) { state.withLock { $0.verdict = verdict } }

    /// Requests another camera for the leading role during standby. The request is delivered as the step
    /// `attach`.
    ///
    /// - Parameter camera: The new camera of the role.
    package func requestCamera(_ camera: CaptureDevice) { standby.requestCamera(camera) }

    /// Releases the session and its resources. Signals and commands don't affect any session until `attach` is
    /// called again.
    package func release() {
        // The rotation object is returned from the lock's closure so that it is released outside the lock.
        state.withLock(\.mediaServer)?.serve(nil)
        state.withLock(\.publisher)?.serve(nil)
        state.withLock(\.analysis)?.serve(nil)
        let switching = switcher?.mode
        _ = state.withLock { state in
            let rotation = state.rotation
            state.rotation = nil
            state.lastSwitching = switching ?? state.lastSwitching
            state.lastPlan = state.session?.currentPlan ?? state.lastPlan
            state.session = nil
            state.setup = nil
            state.isRecording = false
            return rotation
        }
        standby.attach(nil)
    }

    /// Waits until system pressure has fallen, and prints the reason for waiting about once per minute.
    ///
    /// - Parameter folder: Path of a folder on the disk to check for free space.
    /// - Returns: `true` if system pressure has fallen, `false` if a stop was requested.
    package func waitForRecovery(folder: String) async -> Bool {
        let hasRecovered = await MediaThread.perform(named: "rest") { [stopped, notify] in
            PressureRecovery(folder: folder).waitForRecovery(unless: stopped) { notify($0) }
        }
        return hasRecovered && !isStopRequested
    }
}

extension ControlStatus {
    /// Returns the status between two recordings, while no devices are open.
    static func paused(_ plan: SessionPlan) -> ControlStatus {
        var status = ControlStatus(SessionStatus(), plan: plan, folder: nil, state: .paused)
        status.commands = SessionCommand.listedNames
        return status
    }
}
