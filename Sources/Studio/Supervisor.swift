internal import Control
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Processes
internal import SessionFolder

/// Starts the recorder on standby and the web process, and starts the web process again when it dies. It has no network, and the
/// recorder does not depend on it.
///
/// One thread, the one of `run`, decides; children and signals only tell it.
public final class Supervisor: Sendable {
    /// What the supervisor tells its user.
    public enum News: Sendable {
        /// The page's address, with the token that lets in.
        case address(String)
        /// A sentence for people.
        case message(String)
        /// A line that the recorder wrote for people.
        case recorder(String)
    }

    private enum Event: Sendable {
        /// A line of the web process of that generation; the lock counts its lines that wait.
        case web(SupervisorLine, Int, waiting: ConditionLock<Int>)
        case webEnded(Int)
        case webDue
        case recorderSaid(String)
        case recorderEnded(Int32)
        /// The recorder of that process identifier has begun its standby.
        case standsBy(Int32)
        /// A profile that a page wants to go on with is there.
        case use(SupervisorLine.Order, Int)
        /// A task is done, for the web process of that generation: a later one has other requests under the same numbers.
        case done(SupervisorLine.Result, Int)
        case job(Int, JobBoard.News)
        case stop(asks: Bool)
    }

    /// What the thread of `run` knows.
    private struct State {
        var web: ChildProcess?
        /// The web process's way to the recorder.
        var door: RecorderDoor?
        var generation = 0
        var began = MonotonicClock().now
        var delay = Supervisor.firstDelay
        var port: Int
        var isListening = false
        var recorder: ChildProcess?
        var attached: Int32?
        /// The recorder that has ended last.
        var ended: Int32?
        var lastWords: String?
        var isEnding = false
        var asked: ClockTime?
        var status: Int32 = 0
        var failure: StudioError?
        var isOver = false
        var isChanging = false
        var jobs = JobBoard()
        /// Tasks that run, and that wait for one of those.
        var taskCount = 0
        var tasks: [SupervisorLine.Order] = []
        /// What was recorded before another profile was chosen, until a recorder stands by with that.
        var former: [String]?
        /// A calibration that begins when the recorder has let go of the devices.
        var calibration: SupervisorLine.Order?
        var plan: StudioPlan

        /// The recorder's process identifier.
        var process: Int32? { recorder?.process ?? attached }

        /// What the web process may connect to: the recorder, or the calibration that has the devices meanwhile.
        var reachable: Int32? { process ?? jobs.calibration }
    }

    private let plan: StudioPlan
    private let token = AccessToken.random()
    private let readToken = AccessToken.random()
    private let phoneToken: AccessToken
    private let events = BoundedQueue<Event>(capacity: 10_000)
    private let tell: @Sendable (News) -> Void

    /// The first pause before a web process that has died is started again; it doubles while the process dies at once.
    private static let firstDelay = Nanoseconds.milliseconds(100)
    private static let longestDelay = Nanoseconds.seconds(2)
    /// A web process that ran for this long did not die at once.
    private static let soundLife = Nanoseconds.seconds(1)
    /// Seconds for which a web process may say nothing, and before it has said anything.
    private static let patience = (usual: 10, first: 30)
    /// Most lines of the web process that wait, so that however much it says the others are heard.
    private static let mostLines = 16
    /// Most tasks that run at once, and that wait.
    private static let mostTasks = (running: 4, waiting: 16)
    /// How often is looked whether a recorder stands by.
    private static let glance = Nanoseconds.milliseconds(200)
    /// For this long a second Ctrl-C confirms the first one.
    private static let confirmation = Nanoseconds.seconds(10)

    /// Prepares a studio.
    ///
    /// - Parameters:
    ///   - plan: What to run.
    ///   - tell: Called with news, on several threads.
    public init(_ plan: StudioPlan, tell: @escaping @Sendable (News) -> Void) {
        self.plan = plan
        self.tell = tell
        phoneToken = AccessToken.kept(at: "\(plan.stateFolder)/phone-token")
    }

    /// Asks the studio to end. Any thread may call.
    ///
    /// - Parameter asks: Whether a recording that runs is ended only when the request is repeated, as with Ctrl-C.
    public func stop(asks: Bool) { events.put(.stop(asks: asks)) }

    /// Runs the studio until it is stopped. Blocks.
    ///
    /// - Returns: The recorder's exit status; 0 when it was attached to one and leaves it running.
    /// - Throws: `StudioError` when a program cannot be started, or the page cannot be served.
    public func run() throws(StudioError) -> Int32 {
        defer { events.finish() }
        var state = State(port: plan.port, plan: plan)
        state.attached = plan.recorder
        if plan.recorder == nil { try startRecorder(&state) }
        do throws(StudioError) {
            try startWeb(&state)
        } catch {
            end(&state)
            state.failure = error
        }
        while !state.isOver, let event = events.next() { take(event, &state) }
        state.jobs.end()
        state.web?.finish()
        state.web?.signal(SIGTERM)
        if let failure = state.failure { throw failure }
        return state.status
    }

    private func take(_ event: Event, _ state: inout State) {
        switch event {
        case .web(let line, let generation, let waiting):
            waiting.broadcast { $0 -= 1 }
            if generation == state.generation { take(line, &state) }
        case .webEnded(state.generation): webEnded(&state)
        case .webEnded: break
        case .webDue:
            guard !state.isEnding || state.recorder != nil else { return }
            do throws(StudioError) {
                try startWeb(&state)
            } catch {
                tell(.message("\(error)"))
                scheduleWeb(&state)
            }
        case .recorderSaid(let text):
            // The status line says the same again and again, and never why the recorder ends.
            if !text.contains("│") { state.lastWords = StudioDesk.sentence(text) }
            tell(.recorder(text))
        case .recorderEnded(let status): recorderEnded(status, &state)
        case .standsBy(let process): if process == state.recorder?.process { state.former = nil }
        case .use(let order, let generation):
            endTask(&state)
            if generation == state.generation { use(order, &state) }
        case .done(let result, let generation):
            endTask(&state)
            guard generation == state.generation else { return }
            var line = SupervisorLine()
            line.result = result
            say(line, state)
        case .job(let number, let news): take(news, of: number, &state)
        case .stop(let asks): stop(asks: asks, &state)
        }
    }

    // MARK: The recorder

    private func startRecorder(_ state: inout State) throws(StudioError) {
        let child = try ChildProcess.started(plan.program, state.plan.recording)
        state.recorder = child
        state.door?.lead(to: state.process)
        state.lastWords = nil
        let (events, ended) = (events, Cancellation())
        child.readMessages { _ = events.offer(.recorderSaid($0)) }
        child.readOutput { _ in }
        child.finish()
        _ = MediaThread(name: "recorder:end") {
            let status = child.wait()
            ended.cancel()
            events.put(.recorderEnded(status))
        }
        guard state.former != nil else { return }
        _ = MediaThread(name: "recorder:begin") { [process = child.process] in
            let clock = MonotonicClock()
            repeat {
                let phase = ControlClient().status(of: process)?.state
                if let phase, phase != .starting { return events.put(.standsBy(process)) }
            } while clock.sleep(until: clock.now + Self.glance, unless: ended)
        }
    }

    private func recorderEnded(_ status: Int32, _ state: inout State) {
        state.ended = state.recorder?.process
        state.recorder = nil
        state.door?.lead(to: state.process)
        state.status = status
        guard !state.isEnding else {
            state.isOver = true
            return
        }
        if let calibration = state.calibration.take() { return calibrate(calibration, &state) }
        if state.isChanging {
            state.isChanging = false
            _ = startAnew(&state)
            return
        }
        let text = ending(status, state)
        if let former = state.former.take() {
            // The page has a recorder again, with which its user can mend the profile.
            state.plan.choice = former
            let news = "The chosen profile does not run, so the one before is used again. \(text)"
            tell(.message(news))
            _ = startAnew(&state, because: news)
            return
        }
        tell(.message("\(text) The page can start it again; Ctrl-C ends the studio."))
        var line = SupervisorLine()
        line.recorder = SupervisorLine.Recorder(process: nil, text: text)
        say(line, state)
    }

    /// Why the recorder has ended, and what is left of its recording.
    private func ending(_ status: Int32, _ state: State) -> String {
        guard status > 128 else {
            return "The recorder has ended with exit status \(status). \(state.lastWords ?? "")"
        }
        let text = "The recorder was ended by signal \(status - 128)."
        guard let process = state.ended, let folder = ControlClient().unfinishedRecording(of: process) else {
            return text
        }
        return
            "\(text) At most about the last second of \(folder) is lost: `multicam recover \(folder.shellQuoted())` makes it whole."
    }

    /// What the recorder does; `nil` when it does not answer.
    private func phase(_ state: State) -> ControlStatus.State? {
        guard let process = state.process else { return nil }
        return ControlClient().status(of: process)?.state
    }

    private func stop(asks: Bool, _ state: inout State) {
        if state.attached != nil {
            tell(
                .message("the control room is closed; the session of process \(state.attached ?? 0) goes on.")
            )
            state.isOver = true
            return
        }
        guard state.recorder != nil else {
            state.isOver = true
            return
        }
        if state.isEnding {
            tell(.message("closing the files without waiting for the encoders."))
            state.recorder?.signal(SIGTERM)
            return
        }
        let now = MonotonicClock().now
        let isConfirmed = state.asked.map { now - $0 < Self.confirmation } ?? false
        // A recorder that is too busy to answer may be recording.
        let phase = phase(state)
        if asks, !isConfirmed, phase == nil || phase == .recording {
            state.asked = now
            tell(
                .message(
                    "\(phase == nil ? "the recorder does not answer; a recording may run," : "a recording runs,") and goes on. Press Ctrl-C again within \(Self.confirmation.count / 1_000_000_000) s to end it and the studio."
                ))
            return
        }
        end(&state)
    }

    private func end(_ state: inout State) {
        state.isEnding = true
        state.recorder?.signal(SIGTERM)
        if state.recorder == nil { state.isOver = true }
    }

    // MARK: The web process

    private func startWeb(_ state: inout State) throws(StudioError) {
        let door = try RecorderDoor()
        door.lead(to: state.reachable)
        let child = try ChildProcess.started(
            plan.webProgram, [], withholding: { !WebEnvironment.has($0) }, door: door)
        door.open()
        state.door = door
        state.generation += 1
        state.began = MonotonicClock().now
        state.web = child
        let (events, generation, tell) = (events, state.generation, tell)
        let (waiting, ended) = (ConditionLock(0), Cancellation())
        let pulse = Pulse(limit: Self.patience.usual, first: Self.patience.first)
        child.readOutput { text in
            pulse.beat()
            guard let line = SupervisorLine.read(text), line.alive == nil else { return }
            waiting.wait { count -> Void? in
                guard count < Self.mostLines else { return nil }
                count += 1
                return ()
            }
            events.put(.web(line, generation, waiting: waiting))
        }
        child.readMessages { tell(.message($0.printable(limit: 1000))) }
        pulse.watch(unless: ended) {
            tell(.message("the control room's web process does not answer, and is started again."))
            child.signal(SIGKILL)
        }
        _ = MediaThread(name: "web:end") {
            _ = child.wait()
            ended.cancel()
            door.close()
            events.put(.webEnded(generation))
        }
        var line = SupervisorLine()
        line.settings = RoomSettings(
            address: plan.address, port: state.port, isEncrypted: plan.isEncrypted,
            certificate: plan.certificate, stateFolder: plan.stateFolder,
            recordings: plan.recordings, token: token, readToken: readToken, phoneToken: phoneToken,
            recorder: state.process)
        say(line, state)
        for job in state.jobs.all { say(job, state) }
        tellCalibration(state)
    }

    private func take(_ line: SupervisorLine, _ state: inout State) {
        if let port = line.listening {
            state.port = port
            if !state.isListening {
                if let address = line.address { tell(.address(address)) }
                for note in line.notes ?? [] { tell(.recorder(note)) }
            }
            state.isListening = true
        }
        if let sentence = line.failed {
            if state.isListening {
                tell(.message("the page cannot be served at the moment: \(sentence)"))
            } else {
                state.failure = StudioError(sentence)
                end(&state)
            }
        }
        if let order = line.order { run(order, &state) }
    }

    private func webEnded(_ state: inout State) {
        state.web = nil
        state.tasks = []
        guard state.failure == nil else { return }
        scheduleWeb(&state)
    }

    private func scheduleWeb(_ state: inout State) {
        let now = MonotonicClock().now
        state.delay =
            now - state.began > Self.soundLife
            ? Self.firstDelay : min(state.delay + state.delay, Self.longestDelay)
        let (events, due) = (events, now + state.delay)
        _ = MediaThread(name: "web:again") {
            MonotonicClock().sleep(until: due, unless: Cancellation())
            events.put(.webDue)
        }
    }

    private func say(_ line: SupervisorLine, _ state: State) { state.web?.say(line.text) }

    /// Does what a page orders: at once what is the supervisor's, the rest in turn.
    private func run(_ order: SupervisorLine.Order, _ state: inout State) {
        switch order.task {
        case .job: start(order, &state)
        case .start: startRecorder(order, &state)
        case .cancel:
            let refusal = state.jobs.cancel(order.job ?? 0)
            answer(order, refusal?.status ?? 200, refusal?.text ?? "it is being ended.", state)
        case .plan, .devices, .doctor, .group, .calibration, .recordings, .profiles, .profile, .check, .keep,
            .store, .use:
            guard state.tasks.count < Self.mostTasks.waiting else {
                return answer(order, 503, "Too many requests are under way: ask again.", state)
            }
            state.tasks.append(order)
            runTasks(&state)
        }
    }

    /// Starts the tasks that wait, as long as not too many run, each on a thread of its own.
    private func runTasks(_ state: inout State) {
        let (events, desk, generation) = (events, StudioDesk(plan: state.plan), state.generation)
        while state.taskCount < Self.mostTasks.running, !state.tasks.isEmpty {
            let order = state.tasks.removeFirst()
            state.taskCount += 1
            _ = MediaThread(name: "task") {
                // A recorder on standby is not ended for a profile that is not there.
                let outcome = order.task == .use ? desk.profile(order.name) : desk.perform(order)
                if order.task == .use, outcome.status == 200 { return events.put(.use(order, generation)) }
                let result = SupervisorLine.Result(
                    ticket: order.ticket, status: outcome.status, output: outcome.output)
                events.put(.done(result, generation))
            }
        }
    }

    private func endTask(_ state: inout State) {
        state.taskCount -= 1
        runTasks(&state)
    }

    /// Starts a recorder again, after one has ended.
    private func startRecorder(_ order: SupervisorLine.Order, _ state: inout State) {
        // A session that was started elsewhere and has ended is followed by one of our own.
        if let attached = state.attached, kill(attached, 0) != 0 { state.attached = nil }
        let refusal: String? =
            if state.isEnding {
                "The studio ends."
            } else if state.jobs.isCalibrating || state.calibration != nil {
                "A calibration has the devices: the recorder comes back by itself when it has ended."
            } else if state.process != nil {
                "A recorder runs already."
            } else {
                startAnew(&state)
            }
        answer(order, refusal == nil ? 200 : 409, refusal ?? "a recorder starts.", state)
    }

    /// Goes on with another profile, which is there: the recorder ends its standby, and another one begins.
    private func use(_ order: SupervisorLine.Order, _ state: inout State) {
        func answer(_ status: Int, _ text: String) { self.answer(order, status, text, state) }
        guard let name = order.name else { return answer(StudioDesk.noName.status, StudioDesk.noName.output) }
        guard state.attached == nil else {
            return answer(
                409,
                "This session was started elsewhere: end it there, and start the studio with `--profile \(name)`."
            )
        }
        guard !state.jobs.isCalibrating, state.calibration == nil else {
            return answer(409, "A calibration runs: wait for its end, or cancel it.")
        }
        guard !state.isChanging else { return answer(409, "The recorder is being exchanged: wait.") }
        guard state.recorder == nil || phase(state) == .standby else {
            return answer(409, "The recorder is not on standby: end the recording first.")
        }
        state.former = state.former ?? state.plan.choice
        state.plan.choice = ["--profile", name] + plan.devices
        answer(200, "from now on with profile \(name).")
        guard let recorder = state.recorder else {
            _ = startAnew(&state)
            return
        }
        state.isChanging = true
        recorder.signal(SIGTERM)
    }

    private func answer(_ order: SupervisorLine.Order, _ status: Int, _ text: String, _ state: State) {
        var line = SupervisorLine()
        let isDone = status == 200
        line.result = SupervisorLine.Result(
            ticket: order.ticket, status: status,
            output: isDone ? JSONText.line(["ok": JSONValue.boolean(true), "text": .string(text)]) : text)
        say(line, state)
    }

    // MARK: Jobs

    private func say(_ job: SupervisorLine.Job, _ state: State) {
        var line = SupervisorLine()
        line.job = job
        say(line, state)
    }

    private func take(_ news: JobBoard.News, of number: Int, _ state: inout State) {
        guard let job = state.jobs.take(news, of: number) else { return }
        say(job, state)
        // The devices are free again.
        if job.isDone, job.command == .calibrate, !state.isEnding { _ = startAnew(&state) }
    }

    private func start(_ order: SupervisorLine.Order, _ state: inout State) {
        guard let command = order.command else { return answer(order, 400, "No command is named.", state) }
        if command == .calibrate { return prepareCalibration(order, &state) }
        guard StudioDesk.isFolder(order.name), let folder = order.name,
            FileManager.default.fileExists(atPath: StudioDesk(plan: state.plan).path(folder))
        else {
            return answer(order, StudioDesk.noFolder.status, StudioDesk.noFolder.output, state)
        }
        run(command, folder, order, &state)
    }

    /// Starts a job's program, and answers with the job's number.
    private func run(
        _ command: JobCommand, _ folder: String?, _ order: SupervisorLine.Order, _ state: inout State
    ) {
        if let refusal = state.jobs.refusal(of: command, folder) {
            return answer(order, 409, refusal, state)
        }
        let path = folder.map { StudioDesk(plan: state.plan).path($0) } ?? ""
        guard var arguments = command.arguments(folder: path, order.options ?? [:]) else {
            return answer(
                order, 400, "`\(command.rawValue)` has no such option, or not with this value.", state)
        }
        if command == .calibrate { arguments += state.plan.choice }
        let events = events
        do throws(StudioError) {
            let job = try state.jobs.start(command, folder, plan.program, arguments) { number, news in
                // A program that says more than can be taken waits: its end must not be lost.
                events.put(.job(number, news))
            }
            var line = SupervisorLine()
            line.result = SupervisorLine.Result(
                ticket: order.ticket, status: 200,
                output: JSONText.line([
                    "ok": JSONValue.boolean(true), "job": .integer(Int64(job.number)),
                ]))
            say(line, state)
            say(job, state)
        } catch {
            answer(order, 409, "\(error)", state)
        }
    }

    /// A calibration needs the devices: the recorder ends its standby before, and begins another one after it.
    private func prepareCalibration(_ order: SupervisorLine.Order, _ state: inout State) {
        guard state.attached == nil else {
            return answer(
                order, 409,
                "This session was started elsewhere and has the devices: end it there, and run `multicam calibrate`.",
                state)
        }
        guard !state.isChanging, state.calibration == nil, !state.jobs.isCalibrating else {
            return answer(order, 409, "The devices are being exchanged or calibrated: wait.", state)
        }
        guard JobCommand.calibrate.arguments(folder: "", order.options ?? [:]) != nil else {
            return answer(order, 400, "`calibrate` has no such option, or not with this value.", state)
        }
        guard let recorder = state.recorder else { return calibrate(order, &state) }
        guard phase(state) == .standby else {
            return answer(
                order, 409,
                "A recording has the devices: calibrate when it has ended.", state)
        }
        state.calibration = order
        recorder.signal(SIGTERM)
    }

    private func calibrate(_ order: SupervisorLine.Order, _ state: inout State) {
        run(.calibrate, nil, order, &state)
        guard state.jobs.isCalibrating else {
            _ = startAnew(&state)
            return
        }
        state.door?.lead(to: state.reachable)
        tellCalibration(state)
    }

    /// Tells the web process of a calibration that has the devices, so that phones send to it.
    private func tellCalibration(_ state: State) {
        guard let calibration = state.jobs.calibration else { return }
        var line = SupervisorLine()
        line.recorder = SupervisorLine.Recorder(
            process: nil, text: "The devices are being calibrated; the recorder stands by again afterwards.",
            calibration: calibration)
        say(line, state)
    }

    /// Starts a recorder, and tells the web process of it.
    ///
    /// - Parameters:
    ///   - state: What the thread knows.
    ///   - text: A sentence for pages about why it is another one than was asked for.
    /// - Returns: A sentence when it cannot be started.
    private func startAnew(_ state: inout State, because text: String? = nil) -> String? {
        do throws(StudioError) {
            try startRecorder(&state)
            var news = SupervisorLine()
            news.recorder = SupervisorLine.Recorder(process: state.recorder?.process, text: text)
            say(news, state)
            return nil
        } catch {
            tell(.message("\(error)"))
            return "\(error)"
        }
    }
}
