import Glibc
import MulticamArguments
import MulticamMedia
import MulticamSessionFolder
import MulticamSetup
import MulticamStressTest

/// `multicam stress`: determines which cameras a computer can record together, and for how long.
struct StressCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "stress",
        summary: "Test which cameras run together, what fails first, and how reliably they run.",
        notes: [
            "`sets` tests every combination of the cameras in a few formats, each for a few seconds. "
                + "`climb` starts at the lowest formats and raises one setting at a time until a step fails twice. "
                + "`soak` runs the unchanged profile for the time set by --duration. "
                + "Without --run, `sets` and `climb` are run, followed by `soak` if --duration is specified.",
            "A run passes if it started, no track lost more than the profile's limits (by default 1 % of the frames or 0.1 % of the samples), "
                + "and no device was disconnected or silent for too long. "
                + "A soak also requires that system pressure never exceeded serious and that every clock was reliable. "
                + "Plans run unchanged, regardless of their estimated cost.",
            "DEVICE has the same form as for `multicam record`. "
                + "Ctrl-C, SIGTERM, and SIGHUP end the current run and still write the certificate; a third signal aborts.",
            "The path of the folder with certificate.json and report.html is the only line on standard output. "
                + "With --json, events are printed instead, one per line.",
            "Exit status: 0 if the unchanged profile passed in every run; 6 if it failed; 130 if the test was stopped before the profile was tested. "
                + "A failure of `climb` above the profile's formats is a result and doesn't change the exit status.",
        ],
        options: ProfileOptions.specs + [
            OptionSpec(
                "run", "WHAT", kind: .keywords(["sets", "climb", "soak", "all"]),
                help: "Tests to run: `sets`, `climb`, `soak`, or `all`. Default: `sets` and `climb`."),
            OptionSpec("each", "T", help: "Duration of each set and each step, 1s to 1h. Default: 5s."),
            OptionSpec("duration", "T", help: "Duration of the soak, such as 10s, 5m, or 2h. Default: 1h."),
            OptionSpec("sets", "N", help: "Maximum number of sets, 1 to 1000. Default: 40."),
            OptionSpec(
                "output", "DIR", help: "Output folder. Default: `./stress`."),
            OptionSpec("keep", help: "Keep the recordings of the runs."),
            OptionSpec("json", help: "Print events as NDJSON, one per line, as they occur."),
        ])

    private let request: SessionConfiguration
    private let options: StressOptions
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        request = try ProfileOptions.request(arguments)
        let duration = try arguments.duration()
        let kinds = try Self.kinds(arguments, hasDuration: duration != nil)
        if duration != nil, !kinds.contains(.soak) {
            throw arguments.spec.error(
                "`--duration` sets the length of the soak, but `--run \(arguments.optional("run") ?? "")` doesn't include a soak. For the other runs, use `--each`."
            )
        }
        options = StressOptions(
            kinds: kinds, runDuration: try Self.stepDuration(arguments),
            soakDuration: duration ?? StressOptions.defaultSoakDuration,
            output: arguments.optional("output") ?? "stress", keepsMedia: arguments.flag("keep"),
            setLimit: try Self.maxSetCount(arguments), version: MulticamVersion.current)
        wantsJSON = arguments.flag("json")
    }

    private static func kinds(_ arguments: ParsedArguments, hasDuration: Bool) throws(UsageError) -> Set<
        StressKind
    > {
        guard let text = arguments.optional("run") else {
            return hasDuration ? [.sets, .climb, .soak] : [.sets, .climb]
        }
        if text == "all" { return Set(StressKind.allCases) }
        guard let kind = StressKind(rawValue: text) else {
            throw arguments.spec.error(
                "`--run \(text.printable())`: expected `sets`, `climb`, `soak`, or `all`.")
        }
        return [kind]
    }

    private static func stepDuration(_ arguments: ParsedArguments) throws(UsageError) -> Nanoseconds {
        guard let text = arguments.optional("each") else { return StressOptions.defaultRunDuration }
        guard let each = Nanoseconds(text), each >= .seconds(1), each <= .seconds(3600) else {
            throw arguments.spec.error("`--each \(text.printable())`: expected a time from 1s to 1h.")
        }
        return each
    }

    private static func maxSetCount(_ arguments: ParsedArguments) throws(UsageError) -> Int {
        guard let text = arguments.optional("sets") else { return StressSets.defaultLimit }
        guard let limit = Int(text), (1...1000).contains(limit) else {
            throw arguments.spec.error("`--sets \(text.printable())`: expected a number from 1 to 1000.")
        }
        return limit
    }

    func run() async throws -> ExitStatus {
        try SignalHandler.install()
        let test = try StressTest(request, options)
        for note in test.notes { Output.message(note.printable(limit: 1000)) }
        SignalHandler.start { request in
            switch request {
            case .stop(1, _): test.stop()
            case .stop(2, _): test.stopUrgently()
            case .stop: _exit(ExitStatus.aborted.rawValue)
            case .mark, .split: break
            }
        }
        let printer = Task(executorPreference: TaskThreads.shared) { await printEvents(of: test) }
        let status = StatusDisplay(every: .seconds(30)) { columns in
            test.status.map { StatusLine.text($0, columns: columns) }
        }
        defer { status.end() }
        let result: StressResult
        do {
            result = try await test.run()
        } catch {
            await printer.value
            throw error
        }
        await printer.value
        status.end()
        return conclude(result)
    }

    private func printEvents(of test: StressTest) async {
        for await event in test.events {
            if wantsJSON {
                Output.data(StressText.json(event))
            } else {
                if case .started(let folder) = event { Output.data(folder) }
                if let sentence = StressText.sentence(on: event) { Output.message(sentence) }
            }
        }
    }

    private func conclude(_ result: StressResult) -> ExitStatus {
        let certificate = result.certificate
        let exit: ExitStatus =
            switch certificate.verdict {
            case .held: .done
            case .failed, .notRun: .lossesBeyondLimit
            case nil: certificate.outcome == .stopped ? .aborted : .failed
            }
        for sentence in certificate.summary { Output.message(sentence) }
        if wantsJSON { Output.data(StressText.json(result, exit: exit)) }
        return exit
    }
}

/// Formats the events of a stress test as text and as JSON.
enum StressText {
    /// Returns a sentence that describes an event; `nil` if the event isn't shown to users.
    static func sentence(on event: StressEvent) -> String? {
        switch event {
        case .started: return nil
        case .runStarted(let run):
            let cameras = run.cameras.map(\.description).joined(separator: ", ")
            let title = run.title == cameras ? "" : " (\(run.title))"
            return "\(run.name)\(title): \(cameras)"
        case .runEnded(let run):
            let word: String =
                switch run.verdict {
                case .held: "passed"
                case .failed: "failed"
                case .notRun: "did not start"
                }
            let cause = run.cause.map { ", limited by \($0.words)" } ?? ""
            return (["\(run.name): \(word)\(cause)."] + run.reasons).joined(separator: " ")
        case .warning(let text): return text.printable(limit: 1000)
        }
    }

    static func json(_ event: StressEvent) -> String {
        switch event {
        case .started(let folder): return line("started", ["folder": .string(folder)])
        case .runStarted(let run): return line("run", fields(run))
        case .runEnded(let run):
            var fields = fields(run)
            fields["verdict"] = .string(run.verdict.rawValue)
            fields["cause"] = run.cause.map { .string($0.rawValue) } ?? .null
            fields["reasons"] = .array(run.reasons.map { .string($0) })
            fields["duration_ns"] = .integer(run.duration_ns)
            return line("verdict", fields)
        case .warning(let text): return line("warning", ["text": .string(text.printable(limit: 1000))])
        }
    }

    /// Returns the last line of the JSON output, which contains the result of the stress test.
    static func json(_ result: StressResult, exit: ExitStatus) -> String {
        let certificate = result.certificate
        return line(
            "finished",
            [
                "folder": .string(result.folder), "outcome": .string(certificate.outcome.rawValue),
                "verdict": certificate.verdict.map { .string($0.rawValue) } ?? .null,
                "summary": .array(certificate.summary.map { .string($0) }),
                "at_ns": .integer(certificate.duration_ns), "exit": .integer(Int64(exit.rawValue)),
            ])
    }

    private static func fields(_ run: StressCertificate.Run) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "name": .string(run.name), "kind": .string(run.kind.rawValue), "title": .string(run.title),
            "at_ns": .integer(run.started_ns), "is_profile": .boolean(run.is_profile),
            "cameras": .array(
                run.cameras.map { camera in
                    .object([
                        "role": .string(camera.role), "pixel": .string(camera.pixel),
                        "width": .integer(Int64(camera.width)), "height": .integer(Int64(camera.height)),
                        "rate": .number(camera.rate),
                    ])
                }),
        ]
        if let predicted = run.predicted { fields["hardware"] = .number(predicted.hardware) }
        return fields
    }

    private static func line(_ name: String, _ fields: [String: JSONValue]) -> String {
        var object = fields
        object["event"] = .string(name)
        object["at_ns"] = object["at_ns"] ?? .integer(0)
        return JSONText.line(JSONValue.object(object))
    }
}
