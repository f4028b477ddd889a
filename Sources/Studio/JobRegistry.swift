internal import Glibc
internal import MulticamMedia
internal import MulticamProfiles
internal import MulticamSystem

/// The running jobs, and the most recently ended jobs. Used only on the supervisor's thread. The jobs'
/// programs run as separate processes at the lowest priority.
///
/// The supervisor owns the jobs instead of the web process. If the web process crashes, a render continues, and the
/// next web process reports it.
struct JobRegistry {
    /// A notification from a job's program.
    enum Notification: Sendable {
        /// A line of standard output.
        case result(String)
        /// A line of standard error.
        case message(String)
        /// The exit status. This is always the last notification.
        case ended(Int32)
    }

    private struct Job {
        var state: SupervisorMessage.Job
        let child: ChildProcess
        var lines: [String] = []
        /// The last JSON line that a calibration printed. After the calibration has ended, this line contains
        /// the result.
        var lastEvent: String?
        var isCancelled = false
    }

    private var running: [Int: Job] = [:]
    private var endedJobs: [SupervisorMessage.Job] = []
    private var lastNumber = 0

    private static let maxJobs = 4
    private static let maxEndedJobs = 20
    /// Maximum number of output lines kept for a job's text.
    private static let mostLines = 200
    private static let longestText = 20_000
    static let lowestPriority: Int32 = 19

    /// The most recently ended jobs, followed by the running jobs in order of their numbers.
    var all: [SupervisorMessage.Job] {
        endedJobs + running.values.map(\.state).sorted { $0.number < $1.number }
    }

    /// Process ID of the running calibration, or `nil`.
    var calibration: Int32? {
        running.values.first { $0.state.command == .calibrate }?.child.processID
    }

    /// Whether a calibration is running.
    var isCalibrating: Bool { calibration != nil }

    /// Checks whether a job can be started now.
    ///
    /// - Parameters:
    ///   - command: The job's command.
    ///   - folder: Name of the session folder.
    /// - Returns: The reason why the job can't be started, or `nil` if it can be started.
    func refusal(of command: JobCommand, _ folder: String?) -> String? {
        if running.count >= Self.maxJobs {
            return "\(Self.maxJobs) jobs are already running. Wait until one has finished."
        }
        return folder == nil && isCalibrating
            ? "A calibration is already running." : refusal(ofChanging: folder)
    }

    /// Checks whether a recording can be changed now.
    ///
    /// - Parameter folder: Name of the session folder.
    /// - Returns: The reason why the recording can't be changed, or `nil` if no job uses it.
    func refusal(ofChanging folder: String?) -> String? {
        guard let folder, let other = running.values.first(where: { $0.state.folder == folder }) else {
            return nil
        }
        return
            "`\(other.state.command.rawValue)` is running on this recording. Wait until it has finished, or cancel it."
    }

    /// Starts a job's program. The program's standard input is a pipe from this process, so the program ends
    /// when this process ends.
    ///
    /// - Parameters:
    ///   - command: The job's command.
    ///   - folder: Name of the session folder; `nil` for a calibration.
    ///   - program: Path of the program.
    ///   - arguments: Arguments of the program.
    ///   - notify: Called with the job's number and a notification, on other threads.
    /// - Returns: The job's initial state.
    /// - Throws: `StudioError` if the program can't be started.
    mutating func start(
        _ command: JobCommand, _ folder: String?, _ program: String, _ arguments: [String],
        notify: @escaping @Sendable (Int, Notification) -> Void
    ) throws(StudioError) -> SupervisorMessage.Job {
        let child = try ChildProcess.start(
            program, arguments, variables: ["MULTICAM_PROGRESS=1", "MULTICAM_JOB=1"])
        // A calibration keeps the normal priority because it timestamps events as they arrive. Other jobs aren't
        // time-critical.
        if command != .calibrate { Self.lowerPriority(of: child.processID) }
        lastNumber += 1
        let number = lastNumber
        // Report the exit status only after both pipes have been read to the end.
        let open = ConditionLock(2)
        let isOver: @Sendable () -> Void = { open.broadcast { $0 -= 1 } }
        child.readOutput({ notify(number, .result($0)) }, whenOver: isOver)
        child.readMessages({ notify(number, .message($0)) }, whenOver: isOver)
        MediaThread.startWhenPossible(name: "job") {
            let status = child.wait()
            open.wait { $0 == 0 ? () : nil }
            notify(number, .ended(status))
        }
        let state = SupervisorMessage.Job(number: number, command: command, folder: folder)
        running[number] = Job(state: state, child: child)
        return state
    }

    /// Sets a program's nice value (setpriority(2)), by default to the lowest priority.
    static func lowerPriority(of process: Int32, to nice: Int32 = lowestPriority) {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(process), nice)
    }

    /// Handles a notification from a job.
    ///
    /// - Returns: The job's new state if it must be reported to the pages.
    mutating func handle(_ news: Notification, of number: Int) -> SupervisorMessage.Job? {
        guard var job = running[number] else { return nil }
        switch news {
        case .result(let line) where job.state.command == .calibrate:
            // Each line that a calibration prints is an event that the page displays.
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
            let sentence = StudioRequestHandler.sentence(line)
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
            // The lines contain only printable characters.
            let reported = String(job.lines.joined(separator: "\n").suffix(Self.longestText))
            job.state.text =
                job.isCancelled && status != 0
                ? "Canceled."
                : reported.isEmpty && status != 0 ? Self.exitMessage(of: job.state.command, status) : reported
            endedJobs.append(job.state)
            if endedJobs.count > Self.maxEndedJobs { endedJobs.removeFirst() }
            return job.state
        }
    }

    /// Returns a message for a program that failed without printing a message.
    private static func exitMessage(of command: JobCommand, _ status: Int32) -> String {
        command == .calibrate && status == 1
            ? "At least one device could not be measured accurately enough. See the result for details."
            : "The program exited with status \(status)."
    }

    /// Cancels a job. A canceled calibration finishes with the measurements already made.
    ///
    /// - Parameter number: The job's number.
    /// - Returns: If the job can't be canceled, an HTTP status and the reason; otherwise `nil`.
    mutating func cancel(_ number: Int) -> (status: Int, text: String)? {
        guard let job = running[number] else { return (404, "No running job has this number.") }
        guard job.state.command.isCancellable else {
            return (409, "A recovery can't be canceled.")
        }
        running[number]?.isCancelled = true
        // A second cancel request ends the program immediately.
        job.child.signal(job.isCancelled ? SIGKILL : SIGINT)
        return nil
    }

    /// Ends all jobs when the studio ends. A recovery can be interrupted at any time and repeated.
    func end() {
        for job in running.values { job.child.signal(SIGTERM) }
    }
}

/// A long-running `multicam` command that a page may start: a command that works on a recording, or `calibrate`. The
/// program itself reports unknown commands.
package enum JobCommand: String, Sendable, Codable, CaseIterable {
    case verify, recover, export, render, calibrate
    case syncCheck = "sync-check"

    /// Whether the job can be canceled. A recovery can't be canceled, because it writes files that can't be created in
    /// any other way.
    var isCancellable: Bool { self != .recover }

    /// Whether the command works on a recording.
    package var needsFolder: Bool { self != .calibrate }

    /// Options that a page may set, with the values that each option accepts.
    private var options: [String: Allowed] {
        switch self {
        case .verify, .recover, .syncCheck: [:]
        case .export:
            [
                "to": .words(["fcpxml", "otio", "mlt", "edl", "podcast", "all"]),
                "cut": .words(["live", "voice", "none"]),
            ]
        case .render:
            [
                "layout": .words(Set(ProgramLayout.names)),
                "cut": .words(["live", "voice", "none"]), "size": .letters, "from": .letters, "to": .letters,
                "loudness": .letters, "proxies": .flag,
            ]
        case .calibrate: ["events": .letters, "duration": .letters, "reference": .text, "dry-run": .flag]
        }
    }

    /// The values that an option accepts.
    private enum Allowed {
        case words(Set<String>)
        /// Digits, lowercase letters, periods, and plus or minus signs. The text is a number, a time, or a size, which the program
        /// checks.
        case letters
        /// A role. Any printable text is safe, because it follows `=`.
        case text
        case flag

        func accepts(_ value: String) -> Bool {
            switch self {
            case .words(let words): words.contains(value)
            case .flag: value == "true" || value == "false"
            case .text: (1...100).contains(value.utf8.count) && value.printable() == value
            case .letters:
                (1...40).contains(value.utf8.count)
                    && value.utf8.allSatisfy { byte in
                        (48...57).contains(byte) || (97...122).contains(byte) || [43, 45, 46].contains(byte)
                    }
            }
        }
    }

    /// Returns the program's arguments.
    ///
    /// - Parameters:
    ///   - folder: Path of the session folder, if the command needs one.
    ///   - values: The page's options by name. A flag is `true` or `false`.
    /// - Returns: The arguments; `nil` if an option is unknown or has an invalid value.
    func arguments(folder: String, _ values: [String: String]) -> [String]? {
        var arguments = [rawValue] + (needsFolder ? [folder] : ["--json"])
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let allowed = options[name], allowed.accepts(value) else { return nil }
            if case .flag = allowed {
                if value == "true" { arguments.append("--\(name)") }
            } else {
                arguments.append("--\(name)=\(value)")
            }
        }
        if self == .export, values["to"] == nil { arguments.append("--to=all") }
        return arguments
    }

    /// Returns the progress in a line of output, 0…1, from the last percentage in it; `nil` if the line doesn't contain
    /// a percentage.
    static func progress(in line: String) -> Double? {
        guard let mark = line.lastIndex(of: "%") else { return nil }
        let before = line[..<mark].reversed().drop { $0 == " " || $0 == "\u{A0}" }
        let digits = String(before.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }.reversed())
        guard let percent = Double(digits), (0...100).contains(percent) else { return nil }
        return percent / 100
    }
}
