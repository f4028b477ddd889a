internal import Glibc
internal import Media
internal import Processes

/// The jobs that run, and the last that have ended. Belongs to the supervisor's thread; programs run beside it, after everything else
/// that wants the processor.
///
/// The supervisor has them, and not the web process: when that dies, a render goes on, and the next one tells of it.
struct JobBoard {
    /// What a job's program has to tell.
    enum News: Sendable {
        /// A line of standard output.
        case result(String)
        /// A line of standard error.
        case message(String)
        /// Its exit status; nothing follows.
        case ended(Int32)
    }

    private struct Job {
        var state: SupervisorLine.Job
        let child: ChildProcess
        var lines: [String] = []
        /// The last line of JSON of a calibration: its result, at the end.
        var lastEvent: String?
        var isCancelled = false
    }

    private var running: [Int: Job] = [:]
    private var last: [SupervisorLine.Job] = []
    private var lastNumber = 0

    private static let most = 4
    private static let mostEnded = 20
    /// Most lines of a job's output that are kept for its text.
    private static let mostLines = 200
    private static let longestText = 20_000
    static let lowestPriority: Int32 = 19

    /// The jobs that run, in the order of their numbers, after the last that have ended.
    var all: [SupervisorLine.Job] { last + running.values.map(\.state).sorted { $0.number < $1.number } }

    /// The process identifier of the calibration that runs; `nil` for none.
    var calibration: Int32? {
        running.values.first { $0.state.command == .calibrate }?.child.process
    }

    /// Whether a calibration runs.
    var isCalibrating: Bool { calibration != nil }

    /// Whether a job can be started now.
    ///
    /// - Parameters:
    ///   - command: What is to be run.
    ///   - folder: The session folder's name.
    /// - Returns: Why not; `nil` when it can.
    func refusal(of command: JobCommand, _ folder: String?) -> String? {
        if running.count >= Self.most { return "\(Self.most) jobs run already: wait for one of them." }
        guard let other = running.values.first(where: { $0.state.folder == folder }) else { return nil }
        return folder == nil
            ? "A calibration runs already."
            : "`\(other.state.command.rawValue)` works on this recording: wait for it, or cancel it."
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: What it does.
    ///   - folder: The session folder's name; `nil` for a calibration.
    ///   - program: Path of the program.
    ///   - arguments: Its arguments.
    ///   - tell: Called with the job's number and news, on other threads.
    /// - Returns: The job as it begins.
    /// - Throws: `StudioError` when the program cannot be started.
    mutating func start(
        _ command: JobCommand, _ folder: String?, _ program: String, _ arguments: [String],
        tell: @escaping @Sendable (Int, News) -> Void
    ) throws(StudioError) -> SupervisorLine.Job {
        let child = try ChildProcess.started(program, arguments, variables: ["MULTICAM_PROGRESS=1"])
        child.finish()
        // A calibration dates events as they come; the others have time.
        if command != .calibrate { Self.stepBack(child.process) }
        lastNumber += 1
        let number = lastNumber
        // The exit status is told when both pipes are read to their ends.
        let open = ConditionLock(2)
        let isOver: @Sendable () -> Void = { open.broadcast { $0 -= 1 } }
        child.readOutput({ tell(number, .result($0)) }, whenOver: isOver)
        child.readMessages({ tell(number, .message($0)) }, whenOver: isOver)
        _ = MediaThread(name: "job") {
            let status = child.wait()
            open.wait { $0 == 0 ? () : nil }
            tell(number, .ended(status))
        }
        let state = SupervisorLine.Job(number: number, command: command, folder: folder)
        running[number] = Job(state: state, child: child)
        return state
    }

    /// Gives a program a nice value (setpriority(2)): by default that of what runs after everything else that wants the processor.
    static func stepBack(_ process: Int32, to nice: Int32 = lowestPriority) {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(process), nice)
    }

    /// Takes news of a job.
    ///
    /// - Returns: The job as it is now, where pages are to be told.
    mutating func take(_ news: News, of number: Int) -> SupervisorLine.Job? {
        guard var job = running[number] else { return nil }
        switch news {
        case .result(let line) where job.state.command == .calibrate:
            // Each line is an event, which the page draws.
            job.state.event = line
            job.lastEvent = line
            job.state.text = ""
            running[number] = job
            return job.state
        case .result(let line):
            job.lines.append(line.printable(limit: 1000))
            if job.lines.count > Self.mostLines { job.lines.removeFirst() }
            running[number] = job
            return nil
        case .message(let line):
            let sentence = StudioDesk.sentence(line)
            job.state.event = nil
            job.state.text = sentence
            if let share = JobCommand.progress(in: sentence) {
                job.state.progress = share
            } else {
                job.lines.append(sentence)
                if job.lines.count > Self.mostLines { job.lines.removeFirst() }
            }
            running[number] = job
            return job.state
        case .ended(let status):
            running[number] = nil
            job.state.event = job.lastEvent
            job.state.isDone = true
            job.state.isOK = status == 0
            job.state.exit = status
            if status == 0 { job.state.progress = 1 }
            // Each line is printable already.
            let told = String(job.lines.joined(separator: "\n").suffix(Self.longestText))
            job.state.text =
                job.isCancelled && status != 0
                ? "It was cancelled."
                : told.isEmpty && status != 0 ? Self.ending(of: job.state.command, status) : told
            last.append(job.state)
            if last.count > Self.mostEnded { last.removeFirst() }
            return job.state
        }
    }

    /// What a failure means of which a program said nothing.
    private static func ending(of command: JobCommand, _ status: Int32) -> String {
        command == .calibrate && status == 1
            ? "Not every device could be measured well enough: the result tells which."
            : "The program ended with exit status \(status)."
    }

    /// Ends a job before it is done. A calibration ends with what it has measured so far.
    ///
    /// - Parameter number: The job's number.
    /// - Returns: Why not, with HTTP's status; `nil` when it is being ended.
    mutating func cancel(_ number: Int) -> (status: Int, text: String)? {
        guard let job = running[number] else { return (404, "No such job runs.") }
        guard job.state.command.isCancellable else {
            return (409, "A recovery is not interrupted: what it has begun it brings to an end.")
        }
        running[number]?.isCancelled = true
        // Asked again, it ends at once.
        job.child.signal(job.isCancelled ? SIGKILL : SIGINT)
        return nil
    }

    /// Ends all jobs but recoveries, since the studio ends.
    func end() {
        for job in running.values where job.state.command.isCancellable { job.child.signal(SIGTERM) }
    }
}
