import FoundationEssentials
import Glibc
import MulticamArguments
import MulticamControl
import MulticamKit
import MulticamMedia
import MulticamProfiles
import MulticamSessionFolder

/// `multicam ctl`: sends a command to a running recording.
struct CtlCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "ctl",
        summary:
            "Control a running recording: switch, mark, split, stop, or show the status.",
        sections: SessionCommand.groups.map { group in
            HelpSection(
                group.title, group.commands.filter(\.isListed).map { (term: $0.usage, help: $0.help) })
        } + [
            HelpSection(
                "Examples",
                [
                    ("multicam ctl status", "show the status of the recording"),
                    ("multicam ctl mark \"question 2\"", "set a marker"),
                    ("multicam ctl swap", "swap the main and inset cameras"),
                    ("multicam ctl gain host -6", "lower a microphone by 6 dB in the program"),
                    ("multicam ctl publish - < ~/.keys/show", "also stream the program live"),
                    ("multicam ctl --process 4312 stop", "stop one of several recordings"),
                ])
        ],
        notes: [
            "Changes take effect immediately, cause no gaps in any track, and are listed in the manifest. "
                + "The command returns when the change has been applied. "
                + "Only the user who started the recording can control it.",
            "Exit status 1: no recording is running, the recording ended first, or it rejected the command; 2: invalid command.",
        ],
        positionals: [
            PositionalSpec(
                "WORD", isRepeatable: true, kind: .control,
                help: "Command and its arguments, such as `swap` or `layout grid`.")
        ],
        options: [
            OptionSpec("process", "NUMBER", help: "Process ID of the session, if several are running."),
            OptionSpec("group", "NAME", help: "Send the command to all nodes of this group's recording."),
            OptionSpec(
                "node", "NAME", isRepeatable: true, help: "With --group: send the command only to this node."),
            OptionSpec("json", help: "Print the reply as a line of JSON."),
        ])

    private let request: CommandRequest
    private let command: ParsedCommand
    private let process: Int32?
    private let wantsJSON: Bool
    private let group: String?
    private let nodes: [String]

    init(_ arguments: ParsedArguments) throws(UsageError) {
        wantsJSON = arguments.flag("json")
        group = arguments.optional("group")
        nodes = arguments.all("node")
        process = try arguments.optional("process").map { text throws(UsageError) in
            guard let number = Int32(text), number > 0 else {
                throw arguments.spec.error(
                    "`--process \(text.printable())`: expected a process ID. If several sessions are running, `multicam ctl status` lists them."
                )
            }
            return number
        }
        request = CommandRequest(arguments: arguments.positionals)
        do throws(ControlError) {
            command = try SessionCommand.parse(request)
        } catch {
            throw arguments.spec.error(error.description)
        }
        if let device = command.input as? SessionCommand.DeviceOfRole,
            SourceAddress.hasSecret(device.selector)
        {
            throw arguments.spec.error(
                "The address contains a password or key, and all users of this computer can see command-line arguments. Add the camera to "
                    + "the profile with `url_from` instead.")
        }
    }

    /// Reads the address from standard input if the command is `publish -`.
    private static func complete(
        _ request: CommandRequest, of command: ParsedCommand
    ) throws(ControlError) -> CommandRequest {
        guard command.needsInput else { return request }
        guard let line = readLine() else {
            throw .usage("`publish -` expects an address on standard input, but standard input is empty.")
        }
        let complete = CommandRequest(arguments: request.arguments, input: line.trimmed)
        _ = try SessionCommand.parse(complete)
        return complete
    }

    func run() async throws -> ExitStatus {
        if let group {
            return try GroupProgram.exec(
                "ctl",
                [(key: "group", value: group)] + nodes.map { (key: "node", value: $0) }
                    + request.arguments.map { (key: "word", value: $0) })
        }
        let (given, command, process) = (request, command, process)
        let answer = await withCheckedContinuation { continuation in
            MediaThread.startWhenPossible(name: "ctl") {
                continuation.resume(
                    returning: Result { () throws(ControlError) in
                        try ControlClient().send(try Self.complete(given, of: command), process: process)
                    })
            }
        }
        if case .failure(let error) = answer { UnfinishedRecordingHints.printHints(after: error) }
        let reply = try answer.get()
        if wantsJSON {
            Output.data(JSONText.line(reply))
        } else if let status = reply.status {
            for line in ControlText.lines(status) { Output.data(line) }
        } else if let stills = reply.stills {
            for line in ControlText.lines(stills) { Output.data(line) }
            if !reply.ok { Output.message(reply.text.printable(limit: 1000)) }
        } else if let controls = reply.controls, command.showsControls {
            for line in ControlText.lines(controls) { Output.data(line) }
            if !reply.ok { Output.message(reply.text.printable(limit: 1000)) }
        } else {
            Output.message(reply.text.printable(limit: 1000))
        }
        if reply.over_budget ?? false { return .overBudget }
        return reply.ok ? .done : reply.usage ? .usage : .failed
    }
}

/// Formats the state of a running session as text.
enum ControlText {
    /// Maximum time by which the files lag behind the alignment delay on a computer that is fast enough.
    private static let maxNormalLag = Nanoseconds.milliseconds(1500)

    /// Returns the paths of stills and clips, one per line.
    static func lines(_ stills: [ControlReply.Still]) -> [String] {
        stills.flatMap { [$0.file] + [$0.clip].compactMap { $0 } }.map { $0.printable(limit: 4096) }
    }

    /// Returns the controls of a camera, one per line, with name, value, and allowed values.
    static func lines(_ report: ControlsReport) -> [String] {
        let width = report.controls.map(\.name.count).max() ?? 0
        return report.controls.map { control in
            let name = control.name.printable()
            let choices = control.menu.isEmpty ? "\(control.minimum)…\(control.maximum)" : menu(control)
            let governed = control.inactive ? "; currently inactive" : ""
            return name + String(repeating: " ", count: max(0, width - name.count))
                + "  \(control.value)  \(choices), default \(control.default)\(governed)"
        } + (report.presets.isEmpty ? [] : ["presets: \(report.presets.joined(separator: ", "))"])
    }

    private static func menu(_ control: ControlsReport.Control) -> String {
        control.menu.sorted { Int64($0.key) ?? 0 < Int64($1.key) ?? 0 }
            .map { "\($0.key) \($0.value.printable())" }.joined(separator: ", ")
    }

    /// Formats a session status that was received over the control socket. Control characters are removed.
    static func lines(_ status: ControlStatus) -> [String] {
        let time = "\((Double(status.time_ns) / 1e9).decimals(1)) s"
        let head = [status.state.rawValue, status.profile, time] + [status.folder].compactMap(\.self)
        var lines = [head.joined(separator: "  ")]
        for camera in status.cameras {
            lines.append(
                "camera \(camera.role)  \(camera.rate.decimals(2))/s  \(camera.lost) lost  clock "
                    + "\(camera.ppm.decimals(1, isSigned: true)) ppm"
                    + (camera.away ? "  unavailable: \(camera.reason ?? "no frames received")" : ""))
        }
        for microphone in status.microphones {
            let level =
                microphone.peak > 0 ? "\((20 * log10(microphone.peak)).decimals(1)) dBFS" : "silent"
            let loudness =
                microphone.loudness?.integrated_lufs.map { ["\(AudioText.loudness($0)) so far"] } ?? []
            let missing =
                microphone.missing_ns > 0
                ? ["\((Double(microphone.missing_ns) / 1e9).decimals(2)) s missing"] : []
            let words =
                ["microphone \(microphone.role)", level] + loudness + missing
                + microphone.alarms.map(AudioText.word)
            lines.append(words.joined(separator: "  "))
        }
        if let program = status.program {
            lines.append(
                "program  \(program.layout.rawValue)  shows \(program.shown.joined(separator: ", "))"
                    + (status.paused.contains(.program) ? "  paused" : "")
                    + (program.mix.isEmpty ? "" : "  audio from \(program.mix.joined(separator: ", "))")
                    + (program.loudness?.integrated_lufs.map { "  \(AudioText.loudness($0)) so far" } ?? "")
                    + (program.lost > 0 ? "  \(program.lost) lost" : ""))
            if let switching = program.switching {
                let pause = program.switching_resumes_ns.map {
                    "  paused after a manual change, resumes in \(Nanoseconds($0).inSeconds.decimals(0)) s"
                }
                lines.append("switching  \(switching)" + (pause ?? ""))
            }
        }
        if let cost = status.cost {
            lines.append(
                "hardware cost  \(cost.hardware.decimals(2)) of \(cost.budget.decimals(2))"
                    + (cost.terms.first.map { "  \($0.resource)" } ?? ""))
        }
        lines += status.live_outputs.map { liveOutput in
            let counts =
                liveOutput.sent_frames + liveOutput.dropped_frames > 0
                ? "\(liveOutput.sent_frames) sent, \(liveOutput.dropped_frames) dropped" : nil
            return (["live \(liveOutput.name)", liveOutput.state, counts, liveOutput.text] as [String?])
                .compactMap(\.self).joined(separator: "  ")
        }
        if let pressure = status.pressure {
            lines.append(
                (["system pressure", pressure] + [status.pressure_reason].compactMap(\.self))
                    .joined(separator: "  "))
        }
        if let reason = status.priority_reason {
            lines.append("priority  not granted: \(reason). Run `multicam doctor` for a fix.")
        }
        if let behind = status.behind_ns, behind - (status.delay_ns ?? 0) > maxNormalLag.count {
            lines.append(
                "files  \(Nanoseconds(behind).displayText) behind; a crash now would lose this amount")
        }
        if let disk = status.disk {
            let free = "\((Double(disk.free_bytes) / 1e9).decimals(1)) GB free"
            let left = disk.seconds_left.map { "enough for \(($0 / 60).rounded(.down).decimals(0)) min" }
            lines.append((["disk", free] + [left].compactMap(\.self)).joined(separator: "  "))
        }
        if status.marker_count > 0 { lines.append("markers  \(status.marker_count)") }
        lines += status.given_up.map { "reduced  \($0)" }
        if let verdict = status.verdict { lines.append("last recording  \(verdict)") }
        return lines.map { $0.printable(limit: 1000) }
    }
}

/// Hints for users if no recording is running although a command expects one. The recording may have been
/// interrupted.
enum UnfinishedRecordingHints {
    /// The folders to search for unfinished recordings: the default output folder, and the current folder,
    /// which may itself be a session folder.
    private static let places = ["recordings", "."]

    /// Prints the unfinished recordings in the searched folders, each with the command that recovers the
    /// recording.
    static func printHints(after error: ControlError) {
        guard case .notRunning(let said) = error else { return }
        for folder in places + RecordingSearch(below: places[0]).unfinished.suffix(3) {
            guard let remedy = FolderState(of: folder).remedy(for: folder),
                !said.contains(command(in: remedy))
            else { continue }
            Output.message("\(folder): \(remedy)")
        }
    }

    /// Extracts the command from a remedy, such as `multicam recover …`.
    private static func command(in remedy: String) -> Substring {
        remedy.split(separator: "`", omittingEmptySubsequences: false).dropFirst().first ?? remedy[...]
    }
}
