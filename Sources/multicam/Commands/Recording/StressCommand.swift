import Arguments
import Glibc
import Media
import SessionFolder
import Setup
import StressTest

/// `multicam stress`: finds out which cameras a computer can record together, and for how long.
struct StressCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "stress",
        summary: "Find out which cameras run together, what gives first, and whether they hold.",
        notes: [
            "sets: every combination of the cameras in a few formats, each for some seconds. climb: from the lowest formats upwards, one "
                + "thing at a time, until something gives twice. soak: the profile as it stands, for --duration. Without --run: "
                + "sets and climb, and a soak where --duration is given.",
            "A run has held when it started and no track lost more than the profile's limits (1 % of the frames or 0.1 % of the samples where it "
                + "says nothing), no device was away or silent for too long; of a soak also when system pressure was never above serious and every "
                + "clock could be relied on. Plans run as asked, whatever they are expected to cost.",
            "DEVICE is as for `multicam record`. Ctrl-C, SIGTERM and SIGHUP end the run that is under way and still give the certificate; "
                + "a third aborts.",
            "The folder with certificate.json and report.html is the only line of standard output; with --json events are, one a line. "
                + "Exit status: 0 the profile as it stands held wherever it was tried; 6 it did not; 130 stopped before it was "
                + "tried. What gives in a climb above the profile's own formats is a finding, no failure.",
        ],
        options: ProfileOptions.specs + [
            OptionSpec(
                "run", "WHAT", kind: .words(["sets", "climb", "soak", "all"]),
                help: "sets, climb, soak or all. Default: sets and climb."),
            OptionSpec("each", "T", help: "How long each set and each step records, 1s to 1h. Default: 5s."),
            OptionSpec("duration", "T", help: "How long the soak records: 10s, 5m, 2h. Default: 1h."),
            OptionSpec("sets", "N", help: "Try so many sets at most, 1 to 1000. Default: 40."),
            OptionSpec(
                "output", "DIR", help: "Where the test's folder is made. Default: stress in this folder."),
            OptionSpec("keep", help: "Keep what the runs recorded."),
            OptionSpec("json", help: "Print events as NDJSON, each line at once."),
        ])

    private let request: SetupRequest
    private let options: StressOptions
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        request = try ProfileOptions.request(arguments)
        let duration = try arguments.duration()
        let kinds = try Self.kinds(arguments, hasDuration: duration != nil)
        if duration != nil, !kinds.contains(.soak) {
            throw arguments.spec.error(
                "`--duration` is the soak's, which `--run \(arguments.optional("run") ?? "")` leaves out; the others take `--each`."
            )
        }
        options = StressOptions(
            kinds: kinds, each: try Self.each(arguments), soak: duration ?? StressOptions.usualSoak,
            output: arguments.optional("output") ?? "stress", keepsMedia: arguments.flag("keep"),
            setLimit: try Self.setLimit(arguments), version: MulticamVersion.current)
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
            throw arguments.spec.error("`--run \(text.printable())`: expected sets, climb, soak or all.")
        }
        return [kind]
    }

    private static func each(_ arguments: ParsedArguments) throws(UsageError) -> Nanoseconds {
        guard let text = arguments.optional("each") else { return StressOptions.usualEach }
        guard let each = Nanoseconds(text), each >= .seconds(1), each <= .seconds(3600) else {
            throw arguments.spec.error("`--each \(text.printable())`: expected a time from 1s to 1h.")
        }
        return each
    }

    private static func setLimit(_ arguments: ParsedArguments) throws(UsageError) -> Int {
        guard let text = arguments.optional("sets") else { return StressSets.usualLimit }
        guard let limit = Int(text), (1...1000).contains(limit) else {
            throw arguments.spec.error("`--sets \(text.printable())`: expected a number from 1 to 1000.")
        }
        return limit
    }

    func run() async throws -> ExitStatus {
        SignalInbox.open()
        let test = try StressTest(request, options)
        for note in test.notes { Output.message(note.printable(limit: 1000)) }
        SignalInbox.listen { request in
            switch request {
            case .stop(1, _): test.stop()
            case .stop(2, _): test.stopUrgently()
            case .stop: _exit(ExitStatus.aborted.rawValue)
            case .mark, .split: break
            }
        }
        let printer = Task { await printEvents(of: test) }
        let status = Task { await showStatus(of: test, printer) }
        defer { status.cancel() }
        let result: StressResult
        do {
            result = try await test.run()
        } catch {
            await printer.value
            throw error
        }
        await printer.value
        status.cancel()
        await status.value
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

    /// Shows the present run's status until cancelled: in one line of the terminal that is overwritten, or in a new line every 30
    /// s elsewhere.
    private func showStatus(of test: StressTest, _ printer: Task<Void, Never>) async {
        let hasTerminal = Output.hasTerminal
        let interval: Duration = hasTerminal ? .milliseconds(250) : .seconds(30)
        while !Task.isCancelled {
            do {
                try await Task.sleep(for: interval)
            } catch {
                break
            }
            guard let state = test.status else { continue }
            if hasTerminal {
                Output.status(StatusLine.text(state, columns: Output.columns - 1))
            } else {
                Output.message(StatusLine.text(state))
            }
        }
        Output.endStatus()
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
