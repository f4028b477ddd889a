internal import Control
internal import Glibc
internal import Media
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
        case web(SupervisorLine, Int)
        case webEnded(Int)
        case webDue
        case recorderSaid(String)
        case recorderEnded(Int32)
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
        /// A calibration that begins when the recorder has let go of the devices.
        var calibration: SupervisorLine.Order?
        var plan: StudioPlan

        /// The recorder's process identifier.
        var process: Int32? { recorder?.process ?? attached }
    }

    private let plan: StudioPlan
    private let token = AccessToken.random()
    private let readToken = AccessToken.random()
    private let events = BoundedQueue<Event>(capacity: 10_000)
    private let tell: @Sendable (News) -> Void

    /// The first pause before a web process that has died is started again; it doubles while the process dies at once.
    private static let firstDelay = Nanoseconds.milliseconds(100)
    private static let longestDelay = Nanoseconds.seconds(2)
    /// A web process that ran for this long did not die at once.
    private static let soundLife = Nanoseconds.seconds(1)
    /// For this long a second Ctrl-C confirms the first one.
    private static let confirmation = Nanoseconds.seconds(10)

    /// Prepares a studio.
    ///
    /// - Parameters:
    ///   - plan: What to run.
    ///   - tell: Called with news, on the thread of `run`.
    public init(_ plan: StudioPlan, tell: @escaping @Sendable (News) -> Void) {
        self.plan = plan
        self.tell = tell
    }

    /// Asks the studio to end. Any thread may call.
    ///
    /// - Parameter asks: Whether a recording that runs is ended only when the request is repeated, as with Ctrl-C.
    public func stop(asks: Bool) { _ = events.offer(.stop(asks: asks)) }

    /// Runs the studio until it is stopped. Blocks.
    ///
    /// - Returns: The recorder's exit status; 0 when it was attached to one and leaves it running.
    /// - Throws: `StudioError` when a program cannot be started, or the page cannot be served.
    public func run() throws(StudioError) -> Int32 {
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
        case .web(let line, state.generation): take(line, &state)
        case .web: break
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
        case .done(_, let generation) where generation != state.generation: break
        case .done(let result, _):
            var line = SupervisorLine()
            line.result = result
            say(line, state)
        case .job(let number, let news): take(news, of: number, &state)
        case .stop(let asks): stop(asks: asks, &state)
        }
    }

    // MARK: The recorder

    private func startRecorder(_ state: inout State) throws(StudioError) {
        let child = try ChildProcess(plan.program, state.plan.recording)
        state.recorder = child
        state.door?.lead(to: state.process)
        state.lastWords = nil
        let events = events
        child.readMessages { _ = events.offer(.recorderSaid($0)) }
        child.readOutput { _ in }
        child.finish()
        _ = MediaThread(name: "recorder:end") { _ = events.offer(.recorderEnded(child.wait())) }
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
            return startAnew(&state)
        }
        let text = ending(status, state)
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
        door.lead(to: state.process)
        let child = try ChildProcess(plan.webProgram, [], door: door)
        door.open()
        state.door = door
        state.generation += 1
        state.began = MonotonicClock().now
        state.web = child
        let (events, generation) = (events, state.generation)
        child.readOutput { text in
            guard let line = SupervisorLine.read(text) else { return }
            _ = events.offer(.web(line, generation))
        }
        let tell = tell
        child.readMessages { tell(.message($0.printable(limit: 1000))) }
        _ = MediaThread(name: "web:end") {
            _ = child.wait()
            door.close()
            _ = events.offer(.webEnded(generation))
        }
        var line = SupervisorLine()
        line.settings = RoomSettings(
            address: plan.address, port: state.port, isEncrypted: plan.isEncrypted,
            certificate: plan.certificate, stateFolder: plan.stateFolder,
            recordings: plan.recordings, token: token, readToken: readToken, recorder: state.process)
        say(line, state)
        for job in state.jobs.all { say(job, state) }
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
        if line.start ?? false, state.recorder == nil, !state.isEnding, !state.jobs.isCalibrating {
            // A session that was started elsewhere and has ended is followed by one of our own.
            if let attached = state.attached, kill(attached, 0) != 0 { state.attached = nil }
            if state.attached == nil { startAnew(&state) }
        }
        if let order = line.order { run(order, &state) }
    }

    private func webEnded(_ state: inout State) {
        state.web = nil
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
            _ = events.offer(.webDue)
        }
    }

    private func say(_ line: SupervisorLine, _ state: State) { state.web?.say(line.text) }

    /// Does a task for a page, on a thread of its own; changing the profile is the supervisor's.
    private func run(_ order: SupervisorLine.Order, _ state: inout State) {
        switch order.task {
        case .use: return use(order, &state)
        case .job: return start(order, &state)
        case .cancel:
            let refusal = state.jobs.cancel(order.job ?? 0)
            return answer(order, refusal == nil, refusal ?? "it is being ended.", state)
        default: break
        }
        let (events, desk, generation) = (events, StudioDesk(plan: state.plan), state.generation)
        _ = MediaThread(name: "task") {
            let (ok, output) = desk.perform(order)
            let result = SupervisorLine.Result(ticket: order.ticket, ok: ok, output: output)
            _ = events.offer(.done(result, generation))
        }
    }

    /// Goes on with another profile: the recorder ends its standby, and another one begins.
    private func use(_ order: SupervisorLine.Order, _ state: inout State) {
        func answer(_ ok: Bool, _ text: String) { self.answer(order, ok, text, state) }
        guard StudioDesk.isName(order.name), let name = order.name else {
            return answer(false, "A profile's name has letters, digits, - and _, at most 64.")
        }
        guard state.attached == nil else {
            return answer(
                false,
                "This session was started elsewhere: end it there, and start the studio with `--profile \(name)`."
            )
        }
        guard !state.jobs.isCalibrating, state.calibration == nil else {
            return answer(false, "A calibration runs: wait for its end, or cancel it.")
        }
        guard state.recorder == nil || phase(state) == .standby else {
            return answer(false, "The recorder is not on standby: end the recording first.")
        }
        state.plan.choice = ["--profile", name] + plan.devices
        answer(true, "from now on with profile \(name).")
        guard let recorder = state.recorder else { return startAnew(&state) }
        state.isChanging = true
        recorder.signal(SIGTERM)
    }

    private func answer(_ order: SupervisorLine.Order, _ ok: Bool, _ text: String, _ state: State) {
        var line = SupervisorLine()
        line.result = SupervisorLine.Result(
            ticket: order.ticket, ok: ok,
            output: ok ? JSONText.line(["ok": JSONValue.boolean(true), "text": .string(text)]) : text)
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
        if job.isDone, job.command == .calibrate, !state.isEnding { startAnew(&state) }
    }

    private func start(_ order: SupervisorLine.Order, _ state: inout State) {
        guard let command = order.command else { return answer(order, false, "No command is named.", state) }
        if command == .calibrate { return prepareCalibration(order, &state) }
        guard StudioDesk.isFolder(order.name), let folder = order.name else {
            return answer(order, false, "No recording of that name is there.", state)
        }
        run(command, folder, order, &state)
    }

    /// Starts a job's program, and answers with the job's number.
    private func run(
        _ command: JobCommand, _ folder: String?, _ order: SupervisorLine.Order, _ state: inout State
    ) {
        if let refusal = state.jobs.refusal(of: command, folder) {
            return answer(order, false, refusal, state)
        }
        let path = folder.map { StudioDesk(plan: state.plan).path($0) } ?? ""
        guard var arguments = command.arguments(folder: path, order.options ?? [:]) else {
            return answer(
                order, false, "`\(command.rawValue)` has no such option, or not with this value.", state)
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
                ticket: order.ticket, ok: true,
                output: JSONText.line([
                    "ok": JSONValue.boolean(true), "job": .integer(Int64(job.number)),
                ]))
            say(line, state)
            say(job, state)
        } catch {
            answer(order, false, "\(error)", state)
        }
    }

    /// A calibration needs the devices: the recorder ends its standby before, and begins another one after it.
    private func prepareCalibration(_ order: SupervisorLine.Order, _ state: inout State) {
        guard state.attached == nil else {
            return answer(
                order, false,
                "This session was started elsewhere and has the devices: end it there, and run `multicam calibrate`.",
                state)
        }
        guard !state.isChanging, state.calibration == nil, !state.jobs.isCalibrating else {
            return answer(order, false, "The devices are being exchanged or calibrated: wait.", state)
        }
        guard JobCommand.calibrate.arguments(folder: "", order.options ?? [:]) != nil else {
            return answer(order, false, "`calibrate` has no such option, or not with this value.", state)
        }
        guard let recorder = state.recorder else { return calibrate(order, &state) }
        guard phase(state) == .standby else {
            return answer(
                order, false,
                "A recording has the devices: calibrate when it has ended.", state)
        }
        state.calibration = order
        recorder.signal(SIGTERM)
    }

    private func calibrate(_ order: SupervisorLine.Order, _ state: inout State) {
        var line = SupervisorLine()
        line.recorder = SupervisorLine.Recorder(
            process: nil, text: "The devices are being calibrated; the recorder stands by again afterwards.")
        say(line, state)
        run(.calibrate, nil, order, &state)
        if !state.jobs.isCalibrating { startAnew(&state) }
    }

    private func startAnew(_ state: inout State) {
        do throws(StudioError) {
            try startRecorder(&state)
            var news = SupervisorLine()
            news.recorder = SupervisorLine.Recorder(process: state.recorder?.process, text: nil)
            say(news, state)
        } catch {
            tell(.message("\(error)"))
        }
    }
}
