import Glibc
import MulticamArguments
import MulticamControl
import MulticamKit
import MulticamMedia
import MulticamMediaServing
import MulticamPlan
internal import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamStills
import MulticamWriters

/// `multicam record`: records until stopped.
struct RecordCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "record",
        summary: "Record the cameras and microphones of a profile until Ctrl-C.",
        notes: [
            "DEVICE is `any`, `remembered` (the last device used for the role), part of a name, /dev/video0, usb:PATH, serial:SERIAL, "
                + "file:PATH, pulse:SOURCE, virtual:PATTERN?key=value&…, phone:NAME, "
                + "the address of a network camera (rtsp://HOST/PATH, srt://HOST:PORT, http://HOST/PATH), "
                + "or a screen (screen:, screen:portal, screen::0?window=TITLE, screen::0?region=WIDTHxHEIGHT+X+Y). "
                + "If the address contains a password, write `-` and enter the address on standard input, one line per device.",
            "Ctrl-C, SIGTERM, and SIGHUP finish the recording properly. "
                + "A second signal skips pending encoder work and still closes the files. A third signal aborts. "
                + "SIGUSR1 sets a marker. SIGUSR2 continues the recording in new files.",
            "If the plan exceeds the profile's budget, it is reduced before the start, and each reduction is reported. "
                + "If this isn't enough, or if the profile's policy is `refuse`, no device is opened, no file is written, and the exit status is 5.",
            "While recording, a governor lowers quality if the computer is too slow, reports each step, and restores quality later. "
                + "If heat, low memory, or an empty battery is about to stop the computer, the recording is finished properly with exit status 1. "
                + "With --resume, the recording continues in a new folder once system pressure has stayed below serious for a few seconds.",
            "`multicam ctl` controls the recording from another terminal: program changes, markers, splits, stills, and stop.",
            "With --standby, the profile's camera choice policy is applied only between recordings, so the camera never changes during a recording. "
                + "The folder of each recording is printed on a separate line on standard output. "
                + "The exit status is the most severe status of all recordings.",
            "The session folder's path is the only line on standard output. With --json, events are printed instead, one per line.",
        ],
        options: ProfileOptions.specs + [
            OptionSpec(
                "output", "DIR", help: "Output folder. Default: `./recordings`."),
            OptionSpec("name", "NAME", help: "Name of the session folder. Default: date, time, and profile."),
            OptionSpec(
                "duration", "T",
                help: "Stop after this duration, such as 10, 500ms, 5m, or 1h30m. Default: until Ctrl-C."),
            OptionSpec(
                "backup", "DIR",
                help:
                    "Write a backup at the same time, to a session folder with the same name in DIR, preferably on another disk."
            ),
            OptionSpec(
                "backup-content", "WHAT", kind: .keywords(["all", "program"]),
                help: "Content of the backup: `all` or `program`. Default: `all`."),
            OptionSpec(
                "metadata",
                help: "Write the metadata of each frame to cameras/ROLE.ndjson, one line per frame."),
            OptionSpec(
                "no-governor",
                help:
                    "Keep full quality while recording, even if the computer is too slow and frames are lost."
            ),
            OptionSpec(
                "resume",
                help:
                    "If system pressure ends the recording, continue in a new folder when the computer has recovered."
            ),
            OptionSpec(
                "standby",
                help:
                    "Run the devices without recording. `multicam ctl start` and `ctl stop` start and stop recordings, each in a separate folder. "
                    + "Ctrl-C ends the session."),
            OptionSpec(
                "live", "T",
                help:
                    "Keep recent frames in memory so that each still includes a surrounding clip of this length. Maximum: 10s."
            ),
            OptionSpec(
                "group", "NAME",
                help:
                    "Record on the nodes of a group together. With --profile, use the nodes and profiles under `nodes` in the profile. "
                    + "Without it, use all nodes with their default profiles."),
            OptionSpec("json", help: "Print events as NDJSON, one per line, as they occur."),
        ])

    private(set) var request: SessionConfiguration
    private let output: String
    private let name: String?
    let duration: Nanoseconds?
    private let backup: Backup?
    private let live: Nanoseconds
    let wantsJSON: Bool
    private let isGoverned: Bool
    private let resumes: Bool
    private let isStandby: Bool
    let controller: SessionController
    private let group: String?
    /// Devices that other processes provide.
    private let remote: RemoteDevices
    /// The source of network cameras; `nil` if the media socket isn't open.
    private var sources: NetworkSources?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        group = arguments.optional("group")
        // In a group recording, each node can have its own profile, so there is no default profile.
        var request = try ProfileOptions.request(arguments, defaultProfile: group == nil ? nil : "")
        request.recordsMetadata = arguments.flag("metadata")
        self.request = request
        output = arguments.optional("output") ?? "recordings"
        name = try arguments.optional("name").map { text throws(UsageError) in
            // File systems allow names of up to 255 bytes. The lower limit leaves room for an appended
            // number.
            guard (1...200).contains(text.utf8.count), text.isSafeRelativePath, text.printable() == text,
                !text.utf8.contains(UInt8(ascii: "/"))
            else {
                throw arguments.spec.error(
                    "`--name \(text.printable())`: expected a name of at most 200 bytes without `/`.")
            }
            return text
        }
        duration = try arguments.duration()
        backup = try Self.backup(arguments)
        live = try arguments.time("live", in: .milliseconds(100)...StillCamera.longestClip) ?? .zero
        wantsJSON = arguments.flag("json")
        isGoverned = !arguments.flag("no-governor")
        resumes = arguments.flag("resume")
        isStandby = arguments.flag("standby")
        controller = SessionController(isStandby: isStandby) { Output.message($0) }
        remote = RemoteDevices(unless: controller.stopCancellation)
        if isStandby, resumes {
            throw arguments.spec.error(
                "`--resume` and `--standby` can't be combined, because recordings are started manually during standby. Leave out one of them."
            )
        }
        if resumes, !isGoverned {
            throw arguments.spec.error(
                "`--resume` requires the governor, which ends recordings under system pressure. Leave out `--no-governor`."
            )
        }
    }

    private static func backup(_ arguments: ParsedArguments) throws(UsageError) -> Backup? {
        let word = arguments.optional("backup-content")
        let content = word.map { Backup.Content(rawValue: $0) } ?? .all
        guard let content else {
            throw arguments.spec.error(
                "`--backup-content \((word ?? "").printable())`: expected `all` or `program`.")
        }
        guard let folder = arguments.optional("backup") else {
            if word == nil { return nil }
            throw arguments.spec.error(
                "`--backup-content` requires a backup folder. Add `--backup DIR`."
            )
        }
        return Backup(parentFolder: folder, content: content)
    }

    /// Starts a recording on all nodes of a group by replacing this process with the group program. Returns
    /// only if the group program can't be started.
    private func coordinate(_ group: String) throws -> ExitStatus {
        let profile = request.profile.isEmpty ? nil : try SessionSetup.loadProfile(for: request).loadedProfile
        let nodes: [(key: String, value: String?)] = (profile?.nodes ?? []).map { node in
            ("node", node.name + (node.profile.map { "=" + $0 } ?? ""))
        }
        return try GroupProgram.exec(
            "record",
            nodes + [
                ("group", group), ("duration", duration.map { "\($0.count)" }),
                ("json", wantsJSON ? "yes" : nil),
            ])
    }

    func run() async throws -> ExitStatus {
        if let group { return try coordinate(group) }
        try SignalHandler.install()
        controller.handleSignals()
        var command = self
        // The profile is read once. All recordings of this process, including recordings after a pause or on
        // standby, use this version of the profile.
        command.request = try SessionSetup.loadProfile(for: request)
        try command.request.loadedProfile?.checkWritesAnything()
        let media = command.openMediaSocket()
        let publisher = command.makePublisher(media)
        command.sources = command.makeSources(media)
        let analysis = command.makeAnalysis(media)
        let outcome: Result<ExitStatus, any Error>
        do {
            outcome = .success(try await command.recordUntilStopped())
        } catch {
            outcome = .failure(error)
        }
        await publisher?.end()
        await command.endSources()
        await analysis?.end()
        media?.stop()
        return try outcome.get()
    }

    /// Creates the publisher of live outputs; `nil` if the media socket isn't open.
    private func makePublisher(_ media: MediaServer?) -> LivePublisher? {
        let profile = request.loadedProfile
        guard let media else {
            if let profile, !profile.liveOutputs.isEmpty {
                Output.message("Live outputs are disabled, because the media socket isn't available.")
            }
            return nil
        }
        let publisher = LivePublisher(of: media, withholding: profile?.secretVariables ?? []) {
            Output.message($0)
        }
        controller.attach(publisher)
        return publisher
    }

    /// Creates the service that finds faces and codes; `nil` if the media socket isn't open.
    private func makeAnalysis(_ media: MediaServer?) -> FrameAnalysisService? {
        guard let media else { return nil }
        let analysis = FrameAnalysisService(
            of: media, withholding: request.loadedProfile?.secretVariables ?? []
        ) { Output.message($0) }
        controller.attach(analysis)
        return analysis
    }

    /// Creates the source of network cameras; `nil` if the media socket isn't open.
    private func makeSources(_ media: MediaServer?) -> NetworkSources? {
        guard let media else { return nil }
        return NetworkSources(
            of: media, sentTo: remote, withholding: request.loadedProfile?.secretVariables ?? []
        ) { Output.message($0) }
    }

    private func endSources() async {
        guard let sources else { return }
        await MediaThread.perform(named: "sources:end") { sources.end() }
    }

    /// Opens the media socket, over which other processes receive frames and audio or provide devices. On
    /// failure, returns `nil`, and the recording runs without the media socket.
    private func openMediaSocket() -> MediaServer? {
        do throws(ControlError) {
            let server = try MediaServer(devices: remote)
            controller.attach(server)
            return server
        } catch {
            Output.message("Other processes can't access this recording: \(error)".printable(limit: 1000))
            return nil
        }
    }

    private func recordUntilStopped() async throws -> ExitStatus {
        if isStandby { return try await standBy() }
        var rest = duration
        guard var setup = try await makeSetup(rest) else { return .overBudget }
        let control = openControlSocket(setup.plan)
        defer { control?.stop() }
        var results = [try await record(setup, duration: rest)]
        while let result = results.last, let reason = result.pressureEnd {
            rest = rest.map { $0 - Nanoseconds(result.manifest.duration_ns) }
            guard resumes || setup.plan.budget.resumes, result.isStored,
                rest.map({ $0 > .zero }) ?? true, !controller.isStopRequested
            else { break }
            reportPause(result, reason)
            guard await controller.waitForRecovery(folder: result.folder) else { break }
            do {
                guard let next = try await makeSetup(rest) else { break }
                setup = next
                results.append(try await record(next, duration: rest))
            } catch RecordingError.stopped {
                Output.message("The recording was stopped before its devices were ready again.")
                break
            } catch {
                // Earlier recordings of this run remain valid, and their manifests contain the reason why
                // they ended.
                Output.message("The recording can't continue: \(error)".printable(limit: 4000))
                break
            }
        }
        return conclude(results)
    }

    /// Opens the control socket for `multicam ctl`. On failure, returns `nil`, and the recording runs without
    /// the control socket.
    func openControlSocket(_ plan: SessionPlan) -> ControlServer? {
        let controller = controller
        do throws(ControlError) {
            let server = try ControlServer { request throws(ControlError) in
                try controller.prepareCommand(for: request, pausedPlan: plan)
            }
            controller.attach(server)
            return server
        } catch {
            Output.message("`multicam ctl` can't control this recording: \(error)".printable(limit: 1000))
            return nil
        }
    }

    private func record(_ setup: SessionSetup, duration: Nanoseconds?) async throws -> RecordingResult {
        let session = makeSession(setup, duration: duration)
        let lock = InhibitorLock("Recording with the profile “\(setup.plan.profile)”.")
        defer { lock?.release() }
        let printer = Task(executorPreference: TaskThreads.shared) { await printEvents(of: session, setup) }
        let status = statusDisplay(of: session)
        defer { status.end() }
        let result: RecordingResult
        do {
            result = try await session.record()
            controller.notifyRecordingEnded()
        } catch {
            controller.notifyRecordingEnded()
            controller.release()
            await printer.value
            throw error
        }
        controller.release()
        await printer.value
        status.end()
        return result
    }

    /// Creates a session and directs all further signals and commands to it.
    func makeSession(_ setup: SessionSetup, duration: Nanoseconds?) -> MulticamSession {
        for note in setup.plan.notes { Output.message(note.printable(limit: 1000)) }
        var options = RecordingOptions(
            parentFolder: output, name: name, duration: duration, version: MulticamVersion.current,
            backup: backup)
        // The event follows the verdict of the last recording.
        options.announcesStandby = false
        let session = MulticamSession(
            setup, options, clock: controller.clock, clipLength: live, keepsStreams: true)
        let rotation = setup.trackRotation(of: session)
        setup.makeVoiceSwitcher(for: session)
        setup.makeFramer(for: session)
        controller.attach(session, setup, rotation: rotation)
        return session
    }

    /// Prints a message that the recording is paused and will continue later.
    private func reportPause(_ result: RecordingResult, _ reason: String) {
        let text =
            "The recording was stopped: \(reason). It will continue in a new folder when system pressure has decreased."
        Output.message(text)
        guard wantsJSON else { return }
        let paused = SessionEvent(
            .paused(SessionEvent.Paused(folder: result.folder, text: text)),
            at: MediaTime(nanoseconds: result.manifest.duration_ns))
        Output.data(paused.line())
    }

    /// Finds and opens the devices. The plan is reduced if it exceeds the capacity of this computer.
    ///
    /// - Parameters:
    ///   - duration: Duration of the recording; `nil` if unlimited.
    ///   - followed: The current camera of the leading role, if the profile's policy has replaced the initial
    ///     camera.
    /// - Returns: The setup; `nil` if the plan exceeds the budget. The reasons are then printed.
    /// - Throws: `SetupError` if the request is invalid or a device can't be opened.
    func makeSetup(
        _ duration: Nanoseconds?, followed: RoleSelection? = nil
    ) async throws -> SessionSetup? {
        // The setup runs on a separate thread, because drivers, disks, and other processes may take seconds
        // to respond.
        try await MediaThread.run(named: "setup") { try openDevices(duration, followed) }
    }

    private func openDevices(_ duration: Nanoseconds?, _ followed: RoleSelection?) throws -> SessionSetup? {
        let machine = ThisMachine(output: output)
        if let warning = machine.warning { Output.message(warning) }
        var request = self.request
        request.machine = machine.model
        request.automaticCamera = followed
        request.recording.duration = duration
        request.allowsQualityReduction = isGoverned
        let setup: SessionSetup
        do throws(SetupError) {
            try printAwaitedDevices(for: request)
            request.remoteDevices = sources ?? remote
            setup = try SessionSetup(request)
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
        if !steps.isEmpty, let note = machine.defaultCostsNote { Output.message(note) }
        return setup
    }

    /// Prints which devices must be provided by other processes.
    private func printAwaitedDevices(for request: SessionConfiguration) throws(SetupError) {
        let selectors = try SessionSetup.selectors(of: request)
        let named = Array(selectors.cameras.values) + Array(selectors.microphones.values)
        let addresses = Set(
            named.filter { SourceAddress.handles($0) }.map { SourceAddress.printable(of: $0) })
        if !addresses.isEmpty {
            Output.message("Connecting to \(addresses.sorted().joined(separator: ", "))…")
        }
        let phones = Set(named.filter { PhoneSelector.handles($0) }).sorted().map { $0.printable() }
        if !phones.isEmpty {
            Output.message(
                "Waiting for \(phones.joined(separator: ", ")). Open “Add a phone” in the control room, then open its link on the phone."
            )
        }
        let awaited = named.filter { RemoteDevices.handles($0) }
        guard !awaited.isEmpty else { return }
        let names = Set(awaited).sorted().map { $0.printable() }.joined(separator: ", ")
        Output.message("Waiting for the processes that send \(names)…")
    }

    /// Prints either all events as JSON, or only the session folder and warnings. When the recording starts,
    /// this method also stores the devices in the device history.
    func printEvents(of session: MulticamSession, _ setup: SessionSetup) async {
        var memory: Task<Void, Never>?
        var lastText = ""
        for await event in session.events {
            controller.send(event)
            if event.name == .started {
                controller.notifyRecordingStarted(folder: event.folder)
                memory = Task(executorPreference: TaskThreads.shared) { await Self.storeDevices(setup) }
            }
            if wantsJSON {
                Output.data(event.line())
            } else if event.name == .started, let folder = event.folder {
                Output.data(folder)
            } else if let text = event.message, text != lastText {
                // If the same failure affects several live outputs, it is reported only once.
                lastText = event.name == .liveOutput || event.name == .warning ? text : ""
                Output.message(text)
            } else if case .liveOutput(let output) = event.content, output.state == .connected {
                lastText = ""
                Output.message("\(output.name) is live.")
            }
        }
        await memory?.value
    }

    private static func storeDevices(_ setup: SessionSetup) async {
        await MediaThread.perform(named: "memory") {
            do throws(StateFileError) {
                if let warning = try setup.storeDevices() { Output.message(warning) }
            } catch {
                Output.message(error.description)
            }
        }
    }

    private func statusDisplay(of session: MulticamSession) -> StatusDisplay {
        StatusDisplay(every: .seconds(10)) { StatusLine.text(session.status, columns: $0) }
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

extension RecordCommand {
    /// Keeps the devices running on standby and makes recordings on command, until a command or a signal ends
    /// standby.
    ///
    /// - Returns: The worst exit status of all recordings.
    /// - Throws: The error of the first attempt to start the devices. Later errors are printed, and the
    ///   devices are started again in the next step.
    func standBy() async throws -> ExitStatus {
        guard let first = try await makeSetup(duration) else { return .overBudget }
        let control = openControlSocket(first.plan)
        defer { control?.stop() }
        var results: [RecordingResult] = []
        let leader = first.leadingRole
        var setup: SessionSetup? = first
        var followed: RoleSelection?
        var pendingStep: StandbyStep?
        while true {
            var step: StandbyStep?
            if let present = setup {
                // The reference to the setup is released, so that its devices are closed at the end of this
                // iteration.
                setup = nil
                do {
                    step = try await standBy(present, recordingAtOnce: pendingStep, &results)
                } catch RecordingError.stopped {
                    break
                } catch {
                    if results.isEmpty, followed == nil, pendingStep == nil { throw error }
                    reportDeviceFailure(error)
                }
            }
            if step == nil { step = await controller.nextStep() }
            pendingStep = nil
            switch step {
            case .start: pendingStep = step
            case .switchCamera(let camera):
                Output.message("Now using \(camera.name.printable()).")
                followed = leader.map { RoleSelection(role: $0, selector: camera.selector) }
            case .end, nil: return RecordConclusion(results).status
            }
            do {
                setup = try await makeSetup(duration, followed: followed)
                if setup == nil { controller.notifyRecordingStarted(folder: nil) }
            } catch {
                reportDeviceFailure(error)
            }
        }
        return RecordConclusion(results).status
    }

    private func reportDeviceFailure(_ error: any Error) {
        Output.message(
            "\(error) No session is on standby. Run `multicam ctl start` to try again.".printable(
                limit: 4000))
        controller.notifyRecordingStarted(folder: nil)
    }

    /// Runs one session on standby with a fixed set of devices.
    ///
    /// - Parameters:
    ///   - setup: The setup with the opened devices.
    ///   - recordingAtOnce: The pending request for a recording, if any.
    ///   - results: Receives the result of each recording.
    /// - Returns: The step that requires other devices or ends standby.
    /// - Throws: The error of a device that can't be started.
    private func standBy(
        _ setup: SessionSetup, recordingAtOnce: StandbyStep?, _ results: inout [RecordingResult]
    ) async throws -> StandbyStep? {
        let session = makeSession(setup, duration: duration)
        let printer = Task(executorPreference: TaskThreads.shared) { await printEvents(of: session, setup) }
        let status = statusDisplay(of: session)
        let following = try LeadingCameraTracker(of: setup, application: request.application)
        if let following { controller.attach(following) }
        let watch = Task(executorPreference: TaskThreads.shared) { [controller] in
            guard let following else { return }
            for await camera in following.cameras() { controller.requestCamera(camera) }
        }
        let last: StandbyStep
        do {
            try await session.standBy()
            last = await runStandby(session, setup.plan.profile, recordingAtOnce, following, &results)
        } catch {
            await end(session, following, watch, status, printer)
            throw error
        }
        await end(session, following, watch, status, printer)
        return last
    }

    private func runStandby(
        _ session: MulticamSession, _ name: String, _ recordingAtOnce: StandbyStep?,
        _ following: LeadingCameraTracker?,
        _ results: inout [RecordingResult]
    ) async -> StandbyStep {
        var asked = recordingAtOnce
        while true {
            session.publish(SessionEvent(.standby(SessionEvent.Standby()), at: .zero))
            if asked == nil { asked = await controller.nextStep() }
            let (start, duration): (ClockTime?, Nanoseconds?)
            switch asked {
            case .start(let wished, let length): (start, duration) = (wished, length)
            case .switchCamera(let camera): return .switchCamera(camera)
            case .end, nil: return .end
            }
            asked = nil
            following?.recordingBegan()
            await record(session, name, from: start, for: duration, &results)
            controller.setRecording(false)
            if controller.isStopRequested { return .end }
            if let camera = following?.recordingEnded() { return .switchCamera(camera) }
        }
    }

    /// Makes one recording while the devices are running. If the recording can't be started, the error is
    /// printed, and the devices keep running.
    private func record(
        _ session: MulticamSession, _ name: String, from start: ClockTime?, for duration: Nanoseconds?,
        _ results: inout [RecordingResult]
    ) async {
        let lock = InhibitorLock("Recording with the profile “\(name)”.")
        defer { lock?.release() }
        do {
            var options = session.options
            options.start = start
            options.duration = duration ?? options.duration
            let recording = try session.beginRecording(with: options)
            controller.setRecording(true)
            controller.attach(recording)
            let result = try await recording.result
            controller.notifyRecordingEnded()
            results.append(result)
            FinishedProjects.write(for: result)
            let conclusion = RecordConclusion([result])
            for message in conclusion.messages { Output.message(message) }
            controller.setVerdict(result.verdict.text)
            if let event = conclusion.event { session.publish(event) }
        } catch {
            Output.message(error.description)
            controller.notifyRecordingStarted(folder: nil)
        }
    }

    private func end(
        _ session: MulticamSession, _ following: LeadingCameraTracker?, _ watch: Task<Void, Never>,
        _ status: StatusDisplay, _ printer: Task<Void, Never>
    ) async {
        controller.release()
        following?.stop()
        watch.cancel()
        await watch.value
        await session.close()
        await printer.value
        status.end()
    }
}
