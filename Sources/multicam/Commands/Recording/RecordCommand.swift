import Arguments
import Control
import Glibc
import Media
import MediaServing
import MulticamKit
import Plan
internal import Profiles
import Session
import SessionFolder
import Setup
import Stills
import Writers

/// `multicam record`: records until stopped.
struct RecordCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "record",
        summary: "Record the cameras and microphones of a profile until Ctrl-C.",
        notes: [
            "DEVICE is `any`, `remembered` (the one that played the role last), a part of a name, /dev/video0, usb:PATH, serial:SERIAL, file:PATH, pulse:SOURCE, "
                + "virtual:PATTERN?key=value&…, phone:NAME, or the address of a network camera: rtsp://HOST/PATH, srt://HOST:PORT, http://HOST/PATH; or a screen: "
                + "screen:, screen:portal, screen::0?window=TITLE, screen::0?region=WIDTHxHEIGHT+X+Y. An address with a password is read from standard input for `-`, a line for each.",
            "Ctrl-C, SIGTERM and SIGHUP finish the recording properly; a second one stops waiting for encoders and still "
                + "closes the files; a third aborts. SIGUSR1 sets a mark, SIGUSR2 goes on in new files.",
            "A plan that needs more than the profile's budget is reduced before the start, and each step is told; where that is not "
                + "enough, or the profile's policy is to refuse, nothing is opened or written, and the exit status is 5.",
            "While recording, a governor lowers quality when the computer is too slow, tells each step, and takes it back. What the "
                + "computer is about to end, by heat, memory or an empty battery, is ended properly, with exit status 1; with --resume "
                + "it goes on in another folder when system pressure has recovered: nothing has been serious for some seconds.",
            "`multicam ctl` changes the program, marks, splits and ends it, and takes stills, from another terminal.",
            "With --standby a profile's policy of choice is followed between recordings: another camera may be taken then, as the policy "
                + "has it, never in the middle of one. Each recording's folder is a line of standard output; the exit status is the "
                + "worst of all.",
            "The session folder's path is the only line of standard output; with --json events are, one a line.",
        ],
        options: ProfileOptions.specs + [
            OptionSpec(
                "output", "DIR", help: "Where session folders are made. Default: recordings in this folder."),
            OptionSpec("name", "NAME", help: "The session folder's name. Default: date, time and profile."),
            OptionSpec(
                "duration", "T", help: "Stop by itself after this long: 10, 2.5, 500ms, 5m, 1h30m, 1:30."),
            OptionSpec(
                "also", "DIR",
                help:
                    "Write a safety copy at the same time: a session folder of the same name in DIR, best on another disk."
            ),
            OptionSpec(
                "copy", "WHAT", kind: .words(["all", "program"]),
                help: "What goes into --also: all (the default), or program."),
            OptionSpec(
                "metadata", help: "Write what is known of each frame, a line each, to cameras/ROLE.ndjson."),
            OptionSpec(
                "no-governor",
                help: "Lower nothing while recording: what the computer is too slow for is lost."),
            OptionSpec(
                "resume",
                help:
                    "Go on in another folder, when it has recovered, after system pressure has ended the recording."
            ),
            OptionSpec(
                "standby",
                help:
                    "Run the devices without recording: `multicam ctl start` and `ctl stop` begin and end recordings, each its own folder; Ctrl-C ends it."
            ),
            OptionSpec(
                "live", "T",
                help:
                    "Keep the last frames in memory, so that stills come with the clip of this length around them: at most 10s."
            ),
            OptionSpec(
                "group", "NAME",
                help:
                    "Have the nodes of a group record as one: those in the profile's `nodes`, each with its profile there; without --profile all, with their own."
            ),
            OptionSpec("json", help: "Print events as NDJSON, each line at once."),
        ])

    private(set) var request: SetupRequest
    private let output: String
    private let name: String?
    let duration: Nanoseconds?
    private let copy: SafetyCopy?
    private let live: Nanoseconds
    let wantsJSON: Bool
    private let isGoverned: Bool
    private let resumes: Bool
    private let isStandby: Bool
    let steering: SessionSteering
    private let group: String?
    /// The devices that other processes send.
    private let remote: RemoteDevices
    /// Brings network cameras; `nil` without a media socket.
    private var sources: NetworkSources?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        group = arguments.optional("group")
        // A group's nodes have profiles of their own.
        var request = try ProfileOptions.request(arguments, usualProfile: group == nil ? nil : "")
        request.recordsMetadata = arguments.flag("metadata")
        self.request = request
        output = arguments.optional("output") ?? "recordings"
        name = try arguments.optional("name").map { text throws(UsageError) in
            // File systems allow 255 bytes; a number may have to be appended.
            guard (1...200).contains(text.utf8.count), text.isPathWithin, text.printable() == text,
                !text.utf8.contains(UInt8(ascii: "/"))
            else {
                throw arguments.spec.error(
                    "`--name \(text.printable())`: expected a name of at most 200 bytes without `/`.")
            }
            return text
        }
        duration = try arguments.duration()
        copy = try Self.copy(arguments)
        live = try arguments.time("live", in: .milliseconds(100)...StillCamera.longestClip) ?? .zero
        wantsJSON = arguments.flag("json")
        isGoverned = !arguments.flag("no-governor")
        resumes = arguments.flag("resume")
        isStandby = arguments.flag("standby")
        steering = SessionSteering(isStandby: isStandby) { Output.message($0) }
        remote = RemoteDevices(unless: steering.stopping)
        if isStandby, resumes {
            throw arguments.spec.error(
                "`--resume` goes on by itself, and with `--standby` recordings begin when somebody says so: leave out one of them."
            )
        }
        if resumes, !isGoverned {
            throw arguments.spec.error(
                "`--resume` goes on after the governor has ended a recording: leave out `--no-governor`.")
        }
    }

    private static func copy(_ arguments: ParsedArguments) throws(UsageError) -> SafetyCopy? {
        let word = arguments.optional("copy")
        let content = word.map { SafetyCopy.Content(rawValue: $0) } ?? .all
        guard let content else {
            throw arguments.spec.error("`--copy \((word ?? "").printable())`: expected all or program.")
        }
        guard let folder = arguments.optional("also") else {
            if word == nil { return nil }
            throw arguments.spec.error(
                "`--copy` says what goes into a safety copy: name its folder with `--also DIR`.")
        }
        return SafetyCopy(parentFolder: folder, content: content)
    }

    /// Has the nodes of a group record. Returns only when that program cannot be started.
    private func conduct(_ group: String) throws -> ExitStatus {
        let profile = request.profile.isEmpty ? nil : try SessionSetup.read(request).readProfile
        let nodes: [(key: String, value: String?)] = (profile?.nodes ?? []).map { node in
            ("node", node.name + (node.profile.map { "=" + $0 } ?? ""))
        }
        return try GroupProgram.become(
            "record",
            nodes + [
                ("group", group), ("duration", duration.map { "\($0.count)" }),
                ("json", wantsJSON ? "yes" : nil),
            ])
    }

    func run() async throws -> ExitStatus {
        if let group { return try conduct(group) }
        SignalInbox.open()
        steering.listen()
        var command = self
        // All recordings of this run, also after a pause or on standby, use the profile as it is now.
        command.request = try SessionSetup.read(request)
        try command.request.readProfile?.checkWritesAnything()
        let media = command.listenForMedia()
        let publisher = command.makePublisher(media)
        command.sources = command.makeSources(media)
        let outcome: Result<ExitStatus, any Error>
        do {
            outcome = .success(try await command.recordUntilStopped())
        } catch {
            outcome = .failure(error)
        }
        await publisher?.end()
        await command.endSources()
        media?.stop()
        return try outcome.get()
    }

    /// Makes the publisher of live outputs; `nil` without a media socket.
    private func makePublisher(_ media: MediaServer?) -> LivePublisher? {
        let profile = request.readProfile
        guard let media else {
            if let profile, !profile.publications.isEmpty {
                Output.message("nothing is published: that needs the media socket.")
            }
            return nil
        }
        let publisher = LivePublisher(of: media, withholding: profile?.secretVariables ?? []) {
            Output.message($0)
        }
        steering.note(at: publisher)
        return publisher
    }

    /// Makes what brings network cameras; `nil` without a media socket.
    private func makeSources(_ media: MediaServer?) -> NetworkSources? {
        guard let media else { return nil }
        return NetworkSources(
            of: media, sentTo: remote, withholding: request.readProfile?.secretVariables ?? []
        ) { Output.message($0) }
    }

    private func endSources() async {
        guard let sources else { return }
        await withCheckedContinuation { continuation in
            _ = MediaThread(name: "sources:end") {
                sources.end()
                continuation.resume()
            }
        }
    }

    /// Opens the media socket for processes that look, listen or send devices. When that fails, the recording runs without it, and
    /// `nil` is returned.
    private func listenForMedia() -> MediaServer? {
        do throws(ControlError) {
            let server = try MediaServer(devices: remote)
            steering.note(at: server)
            return server
        } catch {
            Output.message("other processes cannot see this recording: \(error)".printable(limit: 1000))
            return nil
        }
    }

    private func recordUntilStopped() async throws -> ExitStatus {
        if isStandby { return try await standBy() }
        var rest = duration
        guard var setup = try await makeSetup(rest) else { return .overBudget }
        let control = listen(setup.plan)
        defer { control?.stop() }
        var results = [try await record(setup, duration: rest)]
        while let result = results.last, let reason = result.pressureEnd {
            rest = rest.map { $0 - Nanoseconds(result.manifest.duration_ns) }
            guard resumes || setup.plan.budget.resumes, result.isStored,
                rest.map({ $0 > .zero }) ?? true, !steering.isStopped
            else { break }
            pause(result, reason)
            guard await steering.waitForRecovery(folder: result.folder) else { break }
            do {
                guard let next = try await makeSetup(rest) else { break }
                setup = next
                results.append(try await record(next, duration: rest))
            } catch RecordingError.stopped {
                Output.message("the recording was stopped before its devices were ready again.")
                break
            } catch {
                // The earlier recordings remain valid, and say how they ended.
                Output.message("the recording cannot go on: \(error)".printable(limit: 4000))
                break
            }
        }
        return conclude(results)
    }

    /// Opens the control socket for `multicam ctl`. When that fails, the recording runs without it, and `nil` is returned.
    func listen(_ plan: SessionPlan) -> ControlServer? {
        let steering = steering
        do throws(ControlError) {
            let server = try ControlServer { command, arrival, answer in
                steering.perform(command, at: arrival, paused: plan, answer: answer)
            }
            steering.note(at: server)
            return server
        } catch {
            Output.message("`multicam ctl` cannot reach this recording: \(error)".printable(limit: 1000))
            return nil
        }
    }

    private func record(_ setup: SessionSetup, duration: Nanoseconds?) async throws -> RecordingResult {
        let session = makeSession(setup, duration: duration)
        let lock = InhibitorLock("records the profile “\(setup.plan.profile)”.")
        defer { lock?.release() }
        let printer = Task { await printEvents(of: session, setup) }
        let status = Task { await showStatus(of: session) }
        defer { status.cancel() }
        let result: RecordingResult
        do {
            result = try await session.record()
            steering.tellEnd()
        } catch {
            steering.tellEnd()
            steering.release()
            await printer.value
            throw error
        }
        steering.release()
        await printer.value
        status.cancel()
        await status.value
        return result
    }

    /// Creates a session, which receives signals and commands from here on.
    func makeSession(_ setup: SessionSetup, duration: Nanoseconds?) -> MulticamSession {
        for note in setup.plan.notes { Output.message(note.printable(limit: 1000)) }
        let stills = SessionStills(setup, live: live)
        let session = setup.makeSession(
            RecordingOptions(
                parentFolder: output, name: name, duration: duration, version: MulticamVersion.current,
                copy: copy), clock: steering.clock, stills: stills)
        let rotation = setup.followRotation(of: session, stills: stills)
        if let rotation { Task { for await text in rotation.sentences { Output.message(text) } } }
        setup.followVoices(of: session)
        steering.steer(session, setup, stills: stills, rotation: rotation)
        return session
    }

    /// Announces that the recording will continue later.
    private func pause(_ result: RecordingResult, _ reason: String) {
        let text =
            "the recording was ended: \(reason). It goes on in another folder when system pressure has recovered."
        Output.message(text)
        guard wantsJSON else { return }
        let paused = SessionEvent(
            .paused, at: MediaTime(nanoseconds: result.manifest.duration_ns),
            ["folder": .string(result.folder), "text": .string(text)])
        Output.data(paused.line())
    }

    /// Finds and opens the devices, with the plan reduced to what this computer can do.
    ///
    /// - Parameters:
    ///   - duration: The duration of the recording; `nil` when it is unknown.
    ///   - followed: The leading role's present camera, when the profile's policy has replaced the one of the start.
    /// - Returns: `nil` when the plan does not fit; the reasons are printed.
    /// - Throws: `SetupError` when the request is invalid, or a device cannot be opened.
    func makeSetup(
        _ duration: Nanoseconds?, followed: RoleSelection? = nil
    ) async throws -> SessionSetup? {
        // Drivers, disks and other processes may take seconds.
        try await withCheckedThrowingContinuation { continuation in
            _ = MediaThread(name: "setup") {
                continuation.resume(with: Result { try openDevices(duration, followed) })
            }
        }
    }

    private func openDevices(_ duration: Nanoseconds?, _ followed: RoleSelection?) throws -> SessionSetup? {
        let machine = ThisMachine(output: output)
        if let warning = machine.warning { Output.message(warning) }
        var request = self.request
        request.machine = machine.model
        request.followed = followed
        request.duration = duration
        request.isGoverned = isGoverned
        let setup: SessionSetup
        do throws(SetupError) {
            try announceWaits(for: request)
            setup = try SessionSetup(request, remote: sources ?? remote)
        } catch {
            guard case .overBudget(let reduction) = error else { throw error }
            Output.message(error.description)
            if reduction.missingSpace == nil {
                Output.explanation(ReductionText.lines(reduction, on: machine))
            }
            return nil
        }
        let steps = setup.reduction?.steps ?? []
        for step in steps { Output.message("reduced: \(step.sentence)") }
        if !steps.isEmpty, let note = machine.usualFigures { Output.message(note) }
        return setup
    }

    /// Says which devices other processes are to send.
    private func announceWaits(for request: SetupRequest) throws(SetupError) {
        let selectors = try SessionSetup.selectors(of: request)
        let named = Array(selectors.cameras.values) + Array(selectors.microphones.values)
        let addresses = Set(
            named.filter { SourceAddress.handles($0) }.map { SourceAddress.printable(of: $0) })
        if !addresses.isEmpty {
            Output.message("connecting to \(addresses.sorted().joined(separator: ", "))…")
        }
        let phones = Set(named.filter { PhoneSelector.handles($0) }).sorted().map { $0.printable() }
        if !phones.isEmpty {
            Output.message(
                "waiting for \(phones.joined(separator: ", ")): open “Add a phone” in the control room, and its link on the phone…"
            )
        }
        let awaited = named.filter { RemoteDevices.handles($0) }
        guard !awaited.isEmpty else { return }
        let names = Set(awaited).sorted().map { $0.printable() }.joined(separator: ", ")
        Output.message("waiting for the processes that send \(names)…")
    }

    /// Prints each event as JSON, or only the folder and warnings. Remembers the devices once the recording has begun.
    func printEvents(of session: MulticamSession, _ setup: SessionSetup) async {
        var memory: Task<Void, Never>?
        var lastText = ""
        for await event in session.events {
            steering.tell(event)
            if event.name == .started {
                steering.tellBeginning(folder: event.folder)
                memory = Task { await Self.remember(setup) }
            }
            if wantsJSON {
                Output.data(event.line())
            } else if event.name == .started, let folder = event.folder {
                Output.data(folder)
            } else if [
                .warning, .silence, .clipping, .unplug, .replug, .pressure, .governor, .encoder, .drop,
                .publication,
            ]
            .contains(
                event.name),
                case .string(let text)? = event.fields["text"], text != lastText,
                event.fields["state"] != .string("connecting")
            {
                // What keeps several live outputs from their destinations is said once.
                lastText = event.name == .publication || event.name == .warning ? text : ""
                Output.message(text)
            } else if event.name == .publication, event.fields["state"] == .string("connected"),
                case .string(let name)? = event.fields["name"]
            {
                lastText = ""
                Output.message("\(name) is live.")
            }
        }
        await memory?.value
    }

    private static func remember(_ setup: SessionSetup) async {
        await withCheckedContinuation { continuation in
            _ = MediaThread(name: "memory") {
                do throws(StateFileError) {
                    if let warning = try setup.rememberDevices() { Output.message(warning) }
                } catch {
                    Output.message(error.description)
                }
                continuation.resume()
            }
        }
    }

    /// Shows the status until cancelled: in one line of the terminal that is overwritten, or in a new line every 10 s elsewhere.
    func showStatus(of session: MulticamSession) async {
        let hasTerminal = Output.hasTerminal
        let interval: Duration = hasTerminal ? .milliseconds(250) : .seconds(10)
        while !Task.isCancelled {
            do {
                try await Task.sleep(for: interval)
            } catch {
                break
            }
            if hasTerminal {
                Output.status(StatusLine.text(session.status, columns: Output.columns - 1))
            } else {
                Output.message(StatusLine.text(session.status))
            }
        }
        Output.endStatus()
    }

    func conclude(_ results: [RecordingResult]) -> ExitStatus {
        for result in results { FinishedProjects.write(for: result) }
        let conclusion = RecordConclusion(results)
        for message in conclusion.messages { Output.message(message) }
        if wantsJSON, let event = conclusion.event {
            Output.data(event.line())
        } else {
            for line in RecordingGuide(results, isVirtual: request.usesVirtualDevices).lines {
                Output.message(line)
            }
        }
        return conclusion.status
    }
}
