internal import Media
internal import SessionFolder
internal import Studio

/// The jobs that the supervisor does for pages: those that run, and the last that have ended. Belongs to the thread of the web loop.
final class JobList {
    private var jobs: [Int: SupervisorLine.Job] = [:]

    private static let most = 32

    /// Takes what has become of a job.
    ///
    /// - Returns: What pages are told of it.
    func take(_ job: SupervisorLine.Job) -> [String: JSONValue] {
        jobs[job.number] = job
        let ended = jobs.values.filter(\.isDone)
        if jobs.count > Self.most, let oldest = ended.map(\.number).min() { jobs[oldest] = nil }
        return Self.message(job)
    }

    /// All jobs as an object of JSON, the oldest first.
    var all: String { WebJSON.text(["jobs": sorted.map(Self.fields)]) }

    /// The jobs that run, as messages for a page that opens.
    var running: [[String: JSONValue]] { sorted.filter { !$0.isDone }.map(Self.message) }

    private var sorted: [SupervisorLine.Job] { jobs.values.sorted { $0.number < $1.number } }

    private static func message(_ job: SupervisorLine.Job) -> [String: JSONValue] {
        fields(of: job).merging(["type": "job"]) { $1 }
    }

    private static func fields(of job: SupervisorLine.Job) -> [String: JSONValue] {
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
