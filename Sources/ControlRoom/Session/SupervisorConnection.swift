internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamStudio

/// The web process's end of the pipe to its supervisor, on standard input and output. Used only on the web loop's
/// thread.
final class SupervisorConnection {
    private var pending = Data()
    /// Time when this process last reported that it is alive.
    private var lastHeartbeat: ClockTime?

    /// Descriptor that becomes readable when the supervisor has sent data.
    let descriptor: Int32 = STDIN_FILENO
    /// Maximum length of a line in bytes, enough for a plan with many cameras.
    private static let longestLine = 8 << 20

    /// Reads the available input. Blocks until input arrives.
    ///
    /// - Returns: The lines that are now complete; `nil` if the supervisor has disconnected.
    func read() -> [SupervisorMessage]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { return [] }
        guard count > 0, pending.count < Self.longestLine else { return nil }
        pending.append(contentsOf: buffer[..<count])
        var lines: [SupervisorMessage] = []
        while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            let line = pending[pending.startIndex..<end]
            pending = Data(pending[pending.index(after: end)...])
            guard let message = SupervisorMessage.read(String(decoding: line, as: UTF8.self)) else {
                return nil
            }
            lines.append(message)
        }
        return lines
    }

    /// Sends a line to the supervisor.
    func send(_ line: SupervisorMessage) {
        let bytes = Array((line.text + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Reports that this process is alive, at most about once per second.
    func sendHeartbeat(at now: ClockTime) {
        guard lastHeartbeat.map({ now - $0 >= .milliseconds(900) }) ?? true else { return }
        lastHeartbeat = now
        var life = SupervisorMessage()
        life.alive = true
        send(life)
    }
}

/// The jobs that the supervisor runs for pages: the running jobs and the most recently ended jobs. Used only
/// on the web loop's thread.
final class JobList {
    private var jobs: [Int: SupervisorMessage.Job] = [:]

    private static let maxJobs = 32

    /// Applies a job's new state.
    ///
    /// - Returns: The message for pages.
    func update(_ job: SupervisorMessage.Job) -> [String: JSONValue] {
        jobs[job.number] = job
        let ended = jobs.values.filter(\.isDone)
        if jobs.count > Self.maxJobs, let oldest = ended.map(\.number).min() { jobs[oldest] = nil }
        return Self.message(job)
    }

    /// All jobs as a JSON object, oldest first.
    var all: String { WebJSON.text(["jobs": sorted.map(Self.fields)]) }

    /// The running jobs, as messages for a page that opens.
    var running: [[String: JSONValue]] { sorted.filter { !$0.isDone }.map(Self.message) }

    private var sorted: [SupervisorMessage.Job] { jobs.values.sorted { $0.number < $1.number } }

    private static func message(_ job: SupervisorMessage.Job) -> [String: JSONValue] {
        fields(of: job).merging(["type": "job"]) { $1 }
    }

    private static func fields(of job: SupervisorMessage.Job) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "job": .integer(Int64(job.number)), "command": .string(job.command.rawValue),
            "done": .boolean(job.isDone), "ok": .boolean(job.isOK), "text": .string(job.text),
        ]
        fields["folder"] = job.folder.map { .string($0.printable()) }
        fields["progress"] = job.progress.map { .number($0) }
        fields["exit"] = job.exit.map { .integer(Int64($0)) }
        fields["event"] = job.event.flatMap { WebJSON.object($0) }.map { .object($0) }
        return fields
    }
}
