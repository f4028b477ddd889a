internal import FoundationEssentials
internal import Glibc
internal import MulticamControl
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// Starts the recorder in standby and the web process, and restarts the web process if it crashes. The
/// supervisor doesn't access the network, and the recorder doesn't depend on the supervisor.
///
/// All decisions are made on the thread of `run`. Child processes and signals only send events to that thread.
package final class Supervisor: Sendable {
    /// A notification for the supervisor's user.
    package enum Notification: Sendable {
        /// The page's address, including the access token.
        case address(String)
        /// A message for the user.
        case message(String)
        /// A line that the recorder printed for the user.
        case recorder(String)
    }

    private enum Event: Sendable {
        /// A line from the web process with the given generation number. `waiting` counts the queued lines.
        case web(SupervisorMessage, Int, waiting: ConditionLock<Int>)
        /// A web process has started. Its generation number is the number of web processes so far.
        case webStarted(ChildProcess, RecorderConnectionBroker, Int)
        /// A web process couldn't be started; whether it was the first one.
        case webFailed(StudioError, isFirst: Bool)
        case webEnded(Int)
        case recorderMessage(String)
        case recorderEnded(Int32)
        /// The recorder with this process ID has entered standby.
        case recorderInStandby(Int32)
        /// The profile that a page wants to use exists.
        case profileFound(SupervisorMessage.Request, Int)
        /// A task for the web process with the given generation number has finished. A later web process uses
        /// the same ticket numbers for other requests.
        case taskFinished(SupervisorMessage.Result, changed: String?, Int)
        case job(Int, JobRegistry.Notification)
        case stop(requiresConfirmation: Bool)
    }

    /// State that only the thread of `run` uses.
    private struct State {
        var webSupervision: SupervisedChild?
        var web: ChildProcess?
        /// The web process's access to the recorder.
        var broker: RecorderConnectionBroker?
        var generation = 0
        var port: Int
        var isListening = false
        var recorder: ChildProcess?
        var attached: Int32?
        /// Process ID of the last recorder that ended.
        var ended: Int32?
        var lastRecorderMessage: String?
        var isEnding = false
        var stopRequestedAt: ClockTime?
        var status: Int32 = 0
        var failure: StudioError?
        var isFinished = false
        var isReplacingRecorder = false
        var jobs = JobRegistry()
        /// Names of the session folders that are being renamed or deleted. Jobs can't start on them.
        var changing: Set<String> = []
        /// Number of running tasks; `tasks` holds those that are waiting.
        var taskCount = 0
        var tasks: [SupervisorMessage.Request] = []
        /// The previous options while another profile is being started. The value is cleared when a recorder is in
        /// standby with the new profile.
        var previousChoice: [String]?
        /// A calibration that starts when the recorder has released the devices.
        var calibration: SupervisorMessage.Request?
        var plan: StudioPlan

        /// The recorder's process ID.
        var process: Int32? { recorder?.processID ?? attached }

        /// Process ID that the web process may connect to: the recorder, or the calibration that temporarily uses its
        /// devices.
        var reachable: Int32? { process ?? jobs.calibration }
    }

    private let plan: StudioPlan
    private let token = AccessToken.random()
    private let readToken = AccessToken.random()
    private let phoneToken: AccessToken
    private let events = BoundedQueue<Event>(capacity: 10_000)
    private let notify: @Sendable (Notification) -> Void

    /// Run time after which a crash of the web process doesn't count as immediate.
    private static let minStableDuration = Nanoseconds.seconds(1)
    /// Maximum silence of a web process in seconds, between two messages and before the first message.
    private static let heartbeatTimeout = (usual: 10, first: 30)
    /// Maximum number of waiting lines from the web process, so that a flood of them can't delay other events.
    private static let mostLines = 16
    /// Maximum number of running tasks, and of waiting tasks.
    private static let mostTasks = (running: 4, waiting: 16)
    /// Interval between checks of whether a recorder is in standby.
    private static let standbyPollInterval = Nanoseconds.milliseconds(200)
    /// Time within which a second Ctrl-C confirms the first one.
    private static let confirmationTimeout = Nanoseconds.seconds(10)

    /// Creates a studio that isn't running yet.
    ///
    /// - Parameters:
    ///   - plan: The configuration of the studio.
    ///   - notify: Receives notifications, on several threads.
    package init(_ plan: StudioPlan, notify: @escaping @Sendable (Notification) -> Void) {
        self.plan = plan
        self.notify = notify
        phoneToken = AccessToken.loadOrCreate(at: "\(plan.stateFolder)/phone-token")
    }

    /// Requests the end of the studio. Safe to call from any thread.
    ///
    /// - Parameter requiresConfirmation: Whether ending a running recording requires a second request, as with Ctrl-C.
    package func stop(requiresConfirmation: Bool) {
        events.enqueue(.stop(requiresConfirmation: requiresConfirmation))
    }

    /// Runs the studio until it is stopped. Blocks the calling thread.
    ///
    /// - Returns: The recorder's exit status. The value is 0 if the studio was attached to a recorder and
    ///   leaves this recorder running.
    /// - Throws: `StudioError` if a program can't be started or the page can't be served.
    package func run() throws(StudioError) -> Int32 {
        defer { events.finish() }
        var state = State(port: plan.port, plan: plan)
        state.attached = plan.recorder
        if plan.recorder == nil { try startRecorder(&state) }
        let web = superviseWeb()
        state.webSupervision = web
        while !state.isFinished, let event = events.dequeue() { handle(event, &state) }
        state.jobs.end()
        state.web?.closeInput()
        web.requestEnd()
        if let failure = state.failure { throw failure }
        return state.status
    }

    private func handle(_ event: Event, _ state: inout State) {
        switch event {
        case .web(let line, let generation, let waiting):
            waiting.broadcast { $0 -= 1 }
            if generation == state.generation { handle(line, &state) }
        case .webEnded(state.generation): webEnded(&state)
        case .webEnded: break
        case .webStarted(let child, let broker, let generation):
            webStarted(child, broker, generation, &state)
        case .webFailed(let error, let isFirst):
            guard isFirst else { return notify(.message("\(error)")) }
            state.failure = error
            end(&state)
        case .recorderMessage(let text):
            // The status line is skipped, because it only repeats known information and never contains the reason why
            // the recorder ended.
            if !text.contains("│") { state.lastRecorderMessage = StudioRequestHandler.sentence(text) }
            notify(.recorder(text))
        case .recorderEnded(let status): recorderEnded(status, &state)
        case .recorderInStandby(let process):
            if process == state.recorder?.processID { state.previousChoice = nil }
        case .profileFound(let order, let generation):
            endTask(&state)
            if generation == state.generation { switchProfile(order, &state) }
        case .taskFinished(let result, let changed, let generation):
            if let changed { state.changing.remove(changed) }
            endTask(&state)
            guard generation == state.generation else { return }
            var line = SupervisorMessage()
            line.result = result
            send(line, state)
        case .job(let number, let news): handle(news, of: number, &state)
        case .stop(let asks): stop(requiresConfirmation: asks, &state)
        }
    }

    // MARK: Recorder

    private func startRecorder(_ state: inout State) throws(StudioError) {
        let child = try ChildProcess.start(plan.program, state.plan.recorderArguments)
        state.recorder = child
        state.broker?.setRecorder(state.process)
        state.lastRecorderMessage = nil
        let (events, ended) = (events, Cancellation())
        child.readMessages { _ = events.tryEnqueue(.recorderMessage($0)) }
        child.readOutput { _ in }
        child.closeInput()
        MediaThread.startWhenPossible(name: "recorder:end") {
            let status = child.wait()
            ended.cancel()
            events.enqueue(.recorderEnded(status))
        }
        guard state.previousChoice != nil else { return }
        MediaThread.startWhenPossible(name: "recorder:begin") { [process = child.processID] in
            let clock = MonotonicClock()
            repeat {
                let phase = ControlClient().status(of: process)?.state
                if let phase, phase != .starting { return events.enqueue(.recorderInStandby(process)) }
            } while clock.sleep(until: clock.now + Self.standbyPollInterval, unless: ended)
        }
    }

    private func recorderEnded(_ status: Int32, _ state: inout State) {
        state.ended = state.recorder?.processID
        state.recorder = nil
        state.broker?.setRecorder(state.process)
        state.status = status
        guard !state.isEnding else {
            state.isFinished = true
            return
        }
        if let calibration = state.calibration.take() { return calibrate(calibration, &state) }
        if state.isReplacingRecorder {
            state.isReplacingRecorder = false
            _ = restartRecorder(&state)
            return
        }
        let text = exitMessage(status, state)
        if let former = state.previousChoice.take() {
            // With the previous profile, a recorder is available to the page again, and the user can fix the
            // new profile.
            state.plan.choice = former
            let news =
                "The selected profile can't be used, so the studio returned to the previous profile. \(text)"
            notify(.message(news))
            _ = restartRecorder(&state, because: news)
            return
        }
        notify(.message("\(text) Restart the recorder on the page, or press Ctrl-C to end the studio."))
        var line = SupervisorMessage()
        line.recorder = SupervisorMessage.Recorder(process: nil, text: text)
        send(line, state)
    }

    /// Returns a message that explains why the recorder ended and how to recover its recording.
    private func exitMessage(_ status: Int32, _ state: State) -> String {
        guard status > 128 else {
            return
                "The recorder exited with status \(status).\(state.lastRecorderMessage.map { " \($0)" } ?? "")"
        }
        let text = "The recorder was terminated by signal \(status - 128)."
        guard let process = state.ended, let folder = ControlClient().unfinishedRecording(of: process) else {
            return text
        }
        return
            "\(text) At most about one second at the end of \(folder) was lost. To recover the recording, run `multicam recover \(folder.shellQuoted())`."
    }

    /// Returns the recorder's state; `nil` if it doesn't answer.
    private func phase(_ state: State) -> ControlStatus.State? {
        guard let process = state.process else { return nil }
        return ControlClient().status(of: process)?.state
    }

    private func stop(requiresConfirmation: Bool, _ state: inout State) {
        if state.attached != nil {
            notify(
                .message(
                    "The control room has been closed. The session of process \(state.attached ?? 0) continues."
                )
            )
            state.isFinished = true
            return
        }
        guard state.recorder != nil else {
            state.isFinished = true
            return
        }
        if state.isEnding {
            notify(.message("Closing the files without waiting for the encoders."))
            state.recorder?.signal(SIGTERM)
            return
        }
        let now = MonotonicClock().now
        let isConfirmed = state.stopRequestedAt.map { now - $0 < Self.confirmationTimeout } ?? false
        // A recorder that is too busy to answer may be recording.
        let phase = phase(state)
        if requiresConfirmation, !isConfirmed, phase == nil || phase == .recording {
            state.stopRequestedAt = now
            notify(
                .message(
                    "\(phase == nil ? "The recorder is not responding. A recording may still be running." : "The recording continues.") To end both the recording and the studio, press Ctrl-C again within \(Self.confirmationTimeout.count / 1_000_000_000) s."
                ))
            return
        }
        end(&state)
    }

    private func end(_ state: inout State) {
        state.isEnding = true
        state.recorder?.signal(SIGTERM)
        if state.recorder == nil { state.isFinished = true }
    }

    // MARK: Web process

    /// Starts the web process, and restarts it when it exits or stops responding.
    private func superviseWeb() -> SupervisedChild {
        let (events, notify, program) = (events, notify, plan.webProgram)
        var policy = SupervisedChild.Policy(
            backoff: Backoff(from: .milliseconds(100), to: .seconds(2)),
            minStableDuration: Self.minStableDuration)
        policy.heartbeat = Self.heartbeatTimeout
        let web = ConditionLock<
            (supervision: SupervisedChild?, broker: RecorderConnectionBroker?, generation: Int)
        >(
            (nil, nil, 0))
        let supervision = SupervisedChild(
            thread: "web", policy,
            SupervisedChild.Handler(
                start: {
                    let generation = web.withLock { web in
                        web.generation += 1
                        return web.generation
                    }
                    do throws(StudioError) {
                        let broker = try RecorderConnectionBroker()
                        let child = try ChildProcess.start(
                            program, [], withholding: { !WebEnvironment.passes($0) }, broker: broker)
                        broker.start()
                        web.withLock { $0.broker = broker }
                        events.enqueue(.webStarted(child, broker, generation))
                        Self.readWeb(child, generation, into: events, notify) {
                            web.withLock(\.supervision)?.recordHeartbeat(of: child)
                        }
                        return .started(child)
                    } catch {
                        events.enqueue(.webFailed(error, isFirst: generation == 1))
                        return generation == 1 ? .end : .retry
                    }
                },
                exited: { exit in
                    if exit.wasHung {
                        notify(
                            .message(
                                "The control room's web process is not responding and is being restarted."))
                    }
                    let (broker, generation) = web.withLock { ($0.broker, $0.generation) }
                    broker?.close()
                    events.enqueue(.webEnded(generation))
                    return true
                }))
        web.withLock { $0.supervision = supervision }
        return supervision
    }

    /// Reads the output of a web process until it exits.
    private static func readWeb(
        _ child: ChildProcess, _ generation: Int, into events: BoundedQueue<Event>,
        _ notify: @escaping @Sendable (Notification) -> Void, heartbeat: @escaping @Sendable () -> Void
    ) {
        let waiting = ConditionLock(0)
        child.readOutput { text in
            heartbeat()
            guard let line = SupervisorMessage.read(text), line.alive == nil else { return }
            waiting.wait { count -> Void? in
                guard count < Self.mostLines else { return nil }
                count += 1
                return ()
            }
            events.enqueue(.web(line, generation, waiting: waiting))
        }
        child.readMessages { notify(.message($0.printable(limit: 1000))) }
    }

    private func webStarted(
        _ child: ChildProcess, _ broker: RecorderConnectionBroker, _ generation: Int, _ state: inout State
    ) {
        (state.web, state.broker, state.generation) = (child, broker, generation)
        broker.setRecorder(state.reachable)
        var line = SupervisorMessage()
        line.settings = RoomSettings(
            address: plan.address, port: state.port, isEncrypted: plan.isEncrypted,
            certificate: plan.certificate, stateFolder: plan.stateFolder,
            recordings: plan.recordings, token: token, readToken: readToken, phoneToken: phoneToken,
            recorder: state.process)
        send(line, state)
        for job in state.jobs.all { send(job, state) }
        reportCalibration(state)
    }

    private func handle(_ line: SupervisorMessage, _ state: inout State) {
        if let port = line.listening {
            state.port = port
            if !state.isListening {
                if let address = line.address { notify(.address(address)) }
                for note in line.notes ?? [] { notify(.recorder(note)) }
            }
            state.isListening = true
        }
        if let sentence = line.failed {
            if state.isListening {
                notify(.message("The page is temporarily unavailable: \(sentence)"))
            } else if state.failure == nil {
                state.webSupervision?.requestEnd()
                state.failure = StudioError(sentence)
                end(&state)
            }
        }
        if let order = line.order { run(order, &state) }
    }

    private func webEnded(_ state: inout State) {
        state.web = nil
        state.tasks = []
    }

    private func send(_ line: SupervisorMessage, _ state: State) { state.web?.send(line.text) }

    /// Executes a page's request: immediately if the supervisor can execute the request itself, otherwise as
    /// a queued task.
    private func run(_ order: SupervisorMessage.Request, _ state: inout State) {
        switch order.task {
        case .job: start(order, &state)
        case .start: startRecorder(order, &state)
        case .cancel:
            let refusal = state.jobs.cancel(order.job ?? 0)
            answer(order, refusal?.status ?? 200, refusal?.text ?? "The job is being canceled.", state)
        case .plan, .devices, .doctor, .group, .calibration, .recordings, .profiles, .profile, .check, .keep,
            .store, .claim, .use, .rename, .delete, .open:
            guard state.tasks.count < Self.mostTasks.waiting else {
                return answer(order, 503, "Too many requests are in progress. Try again.", state)
            }
            state.tasks.append(order)
            runTasks(&state)
        }
    }

    /// Starts waiting tasks up to the limit. Each task runs on a separate thread.
    private func runTasks(_ state: inout State) {
        let (events, desk, generation) = (events, StudioRequestHandler(plan: state.plan), state.generation)
        while state.taskCount < Self.mostTasks.running, !state.tasks.isEmpty {
            let order = state.tasks.removeFirst()
            let changed = [.rename, .delete].contains(order.task) ? order.name : nil
            if let refusal = state.jobs.refusal(ofChanging: changed) {
                answer(order, 409, refusal, state)
                continue
            }
            if let changed { state.changing.insert(changed) }
            state.taskCount += 1
            MediaThread.startWhenPossible(name: "task") {
                // Before the standby of a recorder is ended for a profile, the existence of the profile is
                // checked.
                let outcome = order.task == .use ? desk.profile(order.name) : desk.perform(order)
                if order.task == .use, outcome.status == 200 {
                    return events.enqueue(.profileFound(order, generation))
                }
                let result = SupervisorMessage.Result(
                    ticket: order.ticket, status: outcome.status, output: outcome.output)
                events.enqueue(.taskFinished(result, changed: changed, generation))
            }
        }
    }

    private func endTask(_ state: inout State) {
        state.taskCount -= 1
        runTasks(&state)
    }

    /// Starts a recorder after the previous one has ended.
    private func startRecorder(_ order: SupervisorMessage.Request, _ state: inout State) {
        // If the studio was attached to a session that has ended, the studio starts a new session.
        if let attached = state.attached, kill(attached, 0) != 0 { state.attached = nil }
        let refusal: String? =
            if state.isEnding {
                "The studio is ending."
            } else if state.jobs.isCalibrating || state.calibration != nil {
                "A calibration is using the devices. The recorder restarts when the calibration has finished."
            } else if state.process != nil {
                "A recorder is already running."
            } else {
                restartRecorder(&state)
            }
        answer(order, refusal == nil ? 200 : 409, refusal ?? "The recorder is starting.", state)
    }

    /// Switches to another existing profile: ends the recorder's standby, and starts another recorder.
    private func switchProfile(_ order: SupervisorMessage.Request, _ state: inout State) {
        func answer(_ status: Int, _ text: String) { self.answer(order, status, text, state) }
        guard let name = order.name else {
            return answer(StudioRequestHandler.noName.status, StudioRequestHandler.noName.output)
        }
        guard state.attached == nil else {
            return answer(
                409,
                "This session was not started by the studio. End it in its terminal, then start the studio with `--profile \(name)`."
            )
        }
        guard !state.jobs.isCalibrating, state.calibration == nil else {
            return answer(409, "A calibration is running. Wait until it has finished, or cancel it.")
        }
        guard !state.isReplacingRecorder else {
            return answer(409, "The recorder is being replaced. Try again in a moment.")
        }
        guard state.recorder == nil || phase(state) == .standby else {
            return answer(409, "The recorder is not on standby. End the recording first.")
        }
        state.previousChoice = state.previousChoice ?? state.plan.choice
        state.plan.choice = ["--profile", plan.profileArgument(name) ?? name] + plan.deviceOptions
        answer(200, "Switching to profile \(name).")
        guard let recorder = state.recorder else {
            _ = restartRecorder(&state)
            return
        }
        state.isReplacingRecorder = true
        recorder.signal(SIGTERM)
    }

    private func answer(_ order: SupervisorMessage.Request, _ status: Int, _ text: String, _ state: State) {
        var line = SupervisorMessage()
        let isDone = status == 200
        line.result = SupervisorMessage.Result(
            ticket: order.ticket, status: status,
            output: isDone ? JSONText.line(["ok": JSONValue.boolean(true), "text": .string(text)]) : text)
        send(line, state)
    }

    // MARK: Jobs

    private func send(_ job: SupervisorMessage.Job, _ state: State) {
        var line = SupervisorMessage()
        line.job = job
        send(line, state)
    }

    private func handle(_ news: JobRegistry.Notification, of number: Int, _ state: inout State) {
        guard let job = state.jobs.handle(news, of: number) else { return }
        send(job, state)
        // After a calibration, the devices are available to the recorder again.
        if job.isDone, job.command == .calibrate, !state.isEnding { _ = restartRecorder(&state) }
    }

    private func start(_ order: SupervisorMessage.Request, _ state: inout State) {
        guard let command = order.command else { return answer(order, 400, "The command is missing.", state) }
        if command == .calibrate { return prepareCalibration(order, &state) }
        guard StudioRequestHandler.isFolderName(order.name), let folder = order.name,
            FileManager.default.fileExists(atPath: StudioRequestHandler(plan: state.plan).path(folder))
        else {
            return answer(
                order, StudioRequestHandler.noFolder.status, StudioRequestHandler.noFolder.output, state)
        }
        run(command, folder, order, &state)
    }

    /// Starts a job's program, and sends the job's number as the answer.
    private func run(
        _ command: JobCommand, _ folder: String?, _ order: SupervisorMessage.Request, _ state: inout State
    ) {
        if let refusal = state.jobs.refusal(of: command, folder) {
            return answer(order, 409, refusal, state)
        }
        if let folder, state.changing.contains(folder) {
            return answer(order, 409, "The recording is being renamed or deleted.", state)
        }
        let path = folder.map { StudioRequestHandler(plan: state.plan).path($0) } ?? ""
        guard var arguments = command.arguments(folder: path, order.options ?? [:]) else {
            return answer(
                order, 400, "`\(command.rawValue)`: invalid option or value.", state)
        }
        if command == .calibrate { arguments += state.plan.calibrationOptions }
        let events = events
        do throws(StudioError) {
            let job = try state.jobs.start(command, folder, plan.program, arguments) { number, news in
                // `enqueue` blocks a program that prints too fast, because its exit status must not be lost.
                events.enqueue(.job(number, news))
            }
            var line = SupervisorMessage()
            line.result = SupervisorMessage.Result(
                ticket: order.ticket, status: 200,
                output: JSONText.line([
                    "ok": JSONValue.boolean(true), "job": .integer(Int64(job.number)),
                ]))
            send(line, state)
            send(job, state)
        } catch {
            answer(order, 409, "\(error)", state)
        }
    }

    /// Prepares a calibration, which needs the devices. The recorder first ends its standby, and another recorder
    /// starts afterward.
    private func prepareCalibration(_ order: SupervisorMessage.Request, _ state: inout State) {
        guard state.attached == nil else {
            return answer(
                order, 409,
                "This session was not started by the studio and is using the devices. End it in its terminal, then run `multicam calibrate`.",
                state)
        }
        guard !state.isReplacingRecorder, state.calibration == nil, !state.jobs.isCalibrating else {
            return answer(
                order, 409,
                "The recorder is being replaced, or the devices are being calibrated. Try again in a moment.",
                state)
        }
        guard JobCommand.calibrate.arguments(folder: "", order.options ?? [:]) != nil else {
            return answer(order, 400, "`calibrate`: invalid option or value.", state)
        }
        guard let recorder = state.recorder else { return calibrate(order, &state) }
        guard phase(state) == .standby else {
            return answer(
                order, 409,
                "A recording is using the devices. Start the calibration after the recording has ended.",
                state)
        }
        state.calibration = order
        recorder.signal(SIGTERM)
    }

    private func calibrate(_ order: SupervisorMessage.Request, _ state: inout State) {
        run(.calibrate, nil, order, &state)
        guard state.jobs.isCalibrating else {
            _ = restartRecorder(&state)
            return
        }
        state.broker?.setRecorder(state.reachable)
        reportCalibration(state)
    }

    /// Notifies the web process that a calibration is using the devices, so that phones send their data to
    /// the calibration.
    private func reportCalibration(_ state: State) {
        guard let calibration = state.jobs.calibration else { return }
        var line = SupervisorMessage()
        line.recorder = SupervisorMessage.Recorder(
            process: nil,
            text: "The devices are being calibrated. Afterward, the recorder returns to standby.",
            calibration: calibration)
        send(line, state)
    }

    /// Starts a recorder, and notifies the web process.
    ///
    /// - Parameters:
    ///   - state: State of the thread.
    ///   - text: Message for the pages that explains why the recorder isn't the requested one.
    /// - Returns: An error message if the recorder can't be started.
    private func restartRecorder(_ state: inout State, because text: String? = nil) -> String? {
        do throws(StudioError) {
            try startRecorder(&state)
            var news = SupervisorMessage()
            news.recorder = SupervisorMessage.Recorder(process: state.recorder?.processID, text: text)
            send(news, state)
            return nil
        } catch {
            notify(.message("\(error)"))
            return "\(error)"
        }
    }
}
