import Glibc
import MulticamArguments
import MulticamKit
import MulticamMedia
import MulticamMediaServing
import MulticamPlan
import MulticamSessionFolder
import MulticamSetup
import MulticamSynchrony

/// `multicam calibrate`: measures the latency of cameras and microphones, and shows or deletes stored
/// calibrations.
struct CalibrateCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "calibrate",
        summary: "Measure the latency of cameras and microphones with flashes and beeps.",
        notes: [
            "Flash a light and play a beep at the same time, in front of all cameras and microphones, at irregular intervals. "
                + "You can use a clapper app on a phone. To calibrate only microphones, clap your hands. "
                + "Stay close to the reference microphone, because sound takes 3 ms to travel one meter.",
            "Each device must detect 10 events so that its latency can be determined to within 2 ms. "
                + "The measurement ends after at most 2 minutes, or when you press Ctrl-C. "
                + "The result is saved for the device and its current format. "
                + "Recordings subtract this latency unless the profile sets `latency` or `offset`.",
            "Exit status 1: the measurement of at least one device is too inaccurate to use.",
        ],
        options: ProfileOptions.specs.filter { $0.name != "virtual-pattern" } + [
            OptionSpec(
                "events", "N", help: "Number of events that each device must detect, 3 to 100. Default: 10."),
            OptionSpec(
                "duration", "T", help: "Maximum duration of the measurement, such as 10s or 5m. Default: 2m."),
            OptionSpec(
                "reference", "ROLE",
                help: "Microphone to use as the reference for other devices. Default: the first microphone."),
            OptionSpec("dry-run", help: "Measure without saving the results."),
            OptionSpec(
                "machine",
                help:
                    "Measure the processing speed and disk speed of this computer, and test its hardware encoders. "
                    + "Doesn't require a camera."),
            OptionSpec(
                "output", "DIR",
                help: "With --machine: folder on the disk to measure. Default: `./recordings`."),
            OptionSpec("show", help: "List the saved calibrations without measuring."),
            OptionSpec("forget", "NAME", help: "Delete the saved calibration of a role or device."),
            OptionSpec("json", help: "Print events as NDJSON. The last event contains the result."),
        ])

    private enum Action {
        case measure(SessionConfiguration, CalibrationOptions, isDry: Bool)
        /// Measure the computer's speed, including the disk of the output folder, if one is specified.
        case measureMachine(output: String?)
        case show
        case forget(String)
    }

    private let action: Action
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        wantsJSON = arguments.flag("json")
        let given = ["profile", "machine", "show", "forget"].filter { arguments.flag($0) }
        guard given.count <= 1 else {
            throw arguments.spec.error(
                "`--\(given[0])` and `--\(given[1])` can't be combined. Use only one of them.")
        }
        guard !arguments.flag("output") || arguments.flag("machine") else {
            throw arguments.spec.error("`--output` selects the disk to measure and requires `--machine`.")
        }
        if arguments.flag("machine") {
            action = .measureMachine(output: arguments.optional("output"))
        } else if arguments.flag("show") {
            action = .show
        } else if let name = arguments.optional("forget") {
            action = .forget(name)
        } else {
            action = .measure(
                try ProfileOptions.request(arguments), try Self.options(arguments),
                isDry: arguments.flag("dry-run"))
        }
    }

    private static func options(_ arguments: ParsedArguments) throws(UsageError) -> CalibrationOptions {
        var options = CalibrationOptions(reference: arguments.optional("reference"))
        if let text = arguments.optional("events") {
            guard let events = Int(text), (3...100).contains(events) else {
                throw arguments.spec.error("`--events \(text.printable())`: expected a number from 3 to 100.")
            }
            options.minEvents = events
        }
        if let duration = try arguments.duration() { options.duration = duration }
        return options
    }

    func run() async throws -> ExitStatus {
        switch action {
        case .measure(let request, let options, let isDry):
            try await measure(request, options, isDry: isDry)
        case .measureMachine(let output): try await measureMachine(output: output)
        case .show: show()
        case .forget(let name): try forget(name)
        }
    }

    // MARK: Measurement

    private func measure(
        _ request: SessionConfiguration, _ options: CalibrationOptions, isDry: Bool
    ) async throws -> ExitStatus {
        try SignalHandler.install()
        let (media, sources) = try openMediaSocket(request)
        let outcome: Result<ExitStatus, any Error>
        do {
            outcome = .success(try await measure(request, options, isDry: isDry, sources))
        } catch {
            outcome = .failure(error)
        }
        if let sources {
            await withCheckedContinuation { continuation in
                MediaThread.startWhenPossible(name: "sources:end") {
                    sources.end()
                    continuation.resume()
                }
            }
        }
        media?.stop()
        return try outcome.get()
    }

    /// Opens a media socket if the profile uses network cameras, screens, or devices of other processes.
    private func openMediaSocket(_ request: SessionConfiguration) throws -> (MediaServer?, NetworkSources?) {
        let selectors = try SessionSetup.selectors(of: request)
        let named = Array(selectors.cameras.values) + Array(selectors.microphones.values)
        guard SessionSetup.includesRemote(named) else { return (nil, nil) }
        let devices = RemoteDevices()
        let media = try MediaServer(devices: devices)
        let profile = try SessionSetup.loadProfile(for: request).loadedProfile
        return (
            media,
            NetworkSources(of: media, sentTo: devices, withholding: profile?.secretVariables ?? []) {
                Output.message($0)
            }
        )
    }

    private func measure(
        _ request: SessionConfiguration, _ options: CalibrationOptions, isDry: Bool,
        _ sources: NetworkSources?
    ) async throws -> ExitStatus {
        // The setup runs on a separate thread, because it blocks until the cameras are available.
        var request = request
        request.remoteDevices = sources
        let setup = try await MediaThread.run(named: "setup") { [request] in try SessionSetup(request) }
        let calibration = try Calibration(setup, options)
        SignalHandler.start { request in
            switch request {
            case .stop(1, _): calibration.stop()
            case .stop: _exit(ExitStatus.aborted.rawValue)
            case .mark, .split: break
            }
        }
        let printer = Task(executorPreference: TaskThreads.shared) {
            for await event in calibration.events {
                report(CalibrationText(event, goal: options.targetUncertainty))
            }
        }
        let outcome: Result<CalibrationResult, any Error>
        do {
            outcome = .success(try await calibration.measure())
        } catch {
            outcome = .failure(error)
        }
        await printer.value
        let result = try outcome.get()
        var isKept = false
        var exit: ExitStatus = result.isComplete ? .done : .failed
        // The calibration result is printed even if it can't be stored, because the measurement may have
        // taken several minutes of the user's time.
        var failure: (any Error)?
        do {
            isKept = try !isDry && store(result, of: calibration)
        } catch {
            failure = error
            exit = Multicam.status(of: error)
        }
        if wantsJSON {
            Output.data(CalibrationText.json(result, isStored: isKept, exit: exit))
        } else {
            for finding in result.findings { Output.data(CalibrationText.sentence(on: finding, result)) }
            for sentence in CalibrationText.remarks(
                on: result, plan: setup.plan, isStored: isKept, isDry: isDry)
            {
                Output.message(sentence)
            }
        }
        if let failure { throw failure }
        return exit
    }

    private func report(_ text: CalibrationText) {
        if wantsJSON {
            Output.data(text.json)
        } else {
            Output.message(text.sentence)
        }
    }

    /// Stores the usable findings of a calibration.
    ///
    /// - Returns: Whether any finding was stored.
    private func store(_ result: CalibrationResult, of calibration: Calibration) throws -> Bool {
        guard result.hasUsableFinding else { return false }
        if let warning = try calibration.save(result) { Output.message(warning) }
        return true
    }

    /// Measures the speed of the computer, which takes about half a minute. If a disk can't be measured, a
    /// message is printed. The command then fails only if the user specified the disk with `output`.
    private func measureMachine(output: String?) async throws -> ExitStatus {
        let hasTerminal = Output.hasTerminal
        let table = try await ThisMachine.measure { share in
            if hasTerminal { Output.status("measuring: \(Int(share * 95)) %") }
        }
        let disk = await withCheckedContinuation { continuation in
            MediaThread.startWhenPossible(name: "measure") {
                continuation.resume(
                    returning: Result { () throws(FileError) in
                        try ThisMachine.measureDisk(output: output ?? "recordings")
                    })
            }
        }
        Output.endStatus()
        if let warning = try ThisMachine.store(table) { Output.message(warning) }
        var exit = ExitStatus.done
        var speed: MeasuredDisk?
        do throws(FileError) {
            speed = try disk.get()
        } catch {
            Output.message(error.description)
            if output != nil { exit = error.isPermission ? .noPermission : .failed }
        }
        if let speed, let warning = try ThisMachine.store(speed) { Output.message(warning) }
        // Hardware encoders are tested last, because a crash in a driver would end the program.
        let encoders = try await tryEncoders()
        if wantsJSON {
            Output.data(CostText.json(table, speed, encoders))
        } else {
            for line in CostText.lines(table, speed, encoders) { Output.data(line) }
        }
        return exit
    }

    /// Tests all detected hardware encoders, one after another.
    private func tryEncoders() async throws -> [TriedEncoder] {
        let hasTerminal = Output.hasTerminal
        var results: [TriedEncoder] = []
        for encoder in ThisMachine.detectedEncoders {
            let outcome = await withCheckedContinuation { continuation in
                MediaThread.startWhenPossible(name: "trial") {
                    continuation.resume(
                        returning: Result { () throws(StateFileError) in
                            try ThisMachine.tryEncoder(encoder) { share in
                                if hasTerminal {
                                    Output.status("testing \(encoder.name): \(Int(share * 100)) %")
                                }
                            }
                        })
                }
            }
            Output.endStatus()
            let (tried, warning) = try outcome.get()
            if let warning { Output.message(warning) }
            results.append(tried)
        }
        return results
    }

    // MARK: Saved calibrations

    private func show() -> ExitStatus {
        let (devices, warning) = CalibratedDevice.stored()
        if let warning { Output.message(warning) }
        if wantsJSON {
            Output.data(JSONText.line(["devices": devices.map(CalibrationText.json)]))
        } else {
            for device in devices { Output.data(CalibrationText.line(on: device)) }
            if devices.isEmpty {
                Output.message(
                    "No calibrations are saved. To calibrate, run `multicam calibrate --profile pip`, then flash a light and play a beep."
                )
            }
        }
        return .done
    }

    private func forget(_ name: String) throws -> ExitStatus {
        let (devices, warning) = try CalibratedDevice.delete(name)
        if let warning { Output.message(warning) }
        guard !devices.isEmpty else {
            Output.message(
                "No calibration is saved for `\(name.printable())`. To list the saved calibrations, run `multicam calibrate --show`."
            )
            return .failed
        }
        if wantsJSON {
            Output.data(JSONText.line(["devices": devices.map(CalibrationText.json)]))
        } else {
            for device in devices { Output.data("deleted: \(CalibrationText.line(on: device))") }
        }
        return .done
    }
}

/// Formats the events and the result of a calibration as text and as JSON.
struct CalibrationText {
    /// User-readable sentence that describes the event.
    let sentence: String
    /// One line of JSON that describes the event.
    let json: String

    init(_ event: CalibrationEvent, goal: Nanoseconds) {
        switch event {
        case .ready(let reference):
            sentence =
                "Ready. Flash a light and play a beep at the same time, at irregular intervals. All devices must detect them. "
                + "Reference: \(reference). Press Ctrl-C to finish."
            json = Self.line("listening", ["reference": .string(reference)])
        case .detected(let number, let noticed, let missed, let findings):
            let known = findings.filter { $0.estimate != nil }.map(Self.short)
            let parts = [
                noticed.isEmpty ? nil : "detected by \(noticed.joined(separator: ", "))",
                missed.isEmpty ? nil : "missed by \(missed.joined(separator: ", "))",
                known.isEmpty ? nil : known.joined(separator: ", "),
            ]
            sentence = "event \(number): \(parts.compactMap(\.self).joined(separator: "; "))"
            json = Self.line(
                "detected",
                [
                    "number": .integer(Int64(number)), "detected_by": .array(noticed.map { .string($0) }),
                    "missed_by": .array(missed.map { .string($0) }),
                    "devices": .array(findings.map { .object(Self.fields(of: $0)) }),
                ])
        case .hint(let text):
            sentence = text
            json = Self.line("hint", ["text": .string(text)])
        }
    }

    private static func line(_ event: String, _ fields: [String: JSONValue]) -> String {
        JSONText.line(JSONValue.object(fields.merging(["event": .string(event)]) { $1 }))
    }

    /// Formats the correction of a device in short form: `desk 137.2 ± 4.1 ms`.
    private static func short(_ finding: CalibrationFinding) -> String {
        guard let estimate = finding.estimate, let correction = finding.correction else {
            return finding.role
        }
        return
            "\(finding.role) \(Milliseconds.text(correction)) ± \(Milliseconds.text(estimate.uncertainty)) ms"
    }

    // MARK: Results

    /// Returns a sentence that states the finding about one device.
    static func sentence(on finding: CalibrationFinding, _ result: CalibrationResult) -> String {
        let role = finding.role
        guard let estimate = finding.estimate, let correction = finding.correction else {
            return finding.verdict == .reference
                ? "\(role): reference, detected \(result.eventCount) events"
                : "\(role): the device detected none of the \(result.eventCount) events, so nothing was saved for it."
        }
        let events =
            "\(estimate.eventCount) of \(result.eventCount) events, spread \(Milliseconds.text(estimate.spread)) ms"
        let what = finding.device.mediaType == .video ? "latency" : "offset"
        let amount =
            "\(what) \(Milliseconds.text(correction)) ms ± \(Milliseconds.text(estimate.uncertainty)) ms"
        switch finding.verdict {
        case .reference, .measured: return "\(role): \(amount) (\(events))"
        case .coarse:
            return "\(role): \(amount) (\(events)), low accuracy. \(advice(on: estimate))"
        case .undecided:
            let (low, high) = (correction - estimate.uncertainty, correction + estimate.uncertainty)
            return
                "\(role): the \(what) is between \(Milliseconds.text(low)) and \(Milliseconds.text(high)) ms (\(events)). "
                + "This is too inaccurate to correct timestamps, so nothing was saved. \(advice(on: estimate))"
        case .tooFewEvents:
            return "\(role): detected \(events). At least 3 events are needed, so nothing was saved."
        }
    }

    private static func advice(on estimate: LatencyEstimate) -> String {
        estimate.needsOtherPhases
            ? "All events occurred at the same point in the camera's frame interval. Flash the light at irregular intervals."
            : "To improve the accuracy, record more events."
    }

    /// Returns further remarks about the result, one sentence each.
    static func remarks(on result: CalibrationResult, plan: SessionPlan, isStored: Bool, isDry: Bool)
        -> [String]
    {
        var remarks: [String] = []
        if result.eventCount < 3 {
            remarks.append(
                "The reference detected \(result.eventCount) events. At least 3 events are needed. They must be as loud as a clap and occur at irregular intervals."
            )
        }
        let cameras = plan.cameras.filter { $0.latencySource == .profile }.map { ($0.role, "latency") }
        let microphones = plan.microphones.filter { $0.offsetSource == .profile }.map { ($0.role, "offset") }
        for (role, field) in cameras + microphones {
            remarks.append(
                "\(role): the profile sets `\(field)`, which overrides the calibration. Remove it from the profile to use the calibration."
            )
        }
        if isStored {
            let roles = result.findings.filter(\.isUsable).map(\.role).joined(separator: ", ")
            remarks.append(
                "Calibrations saved for \(roles). New recordings in the same formats will use them.")
        } else if isDry, result.hasUsableFinding {
            remarks.append("Nothing was saved because of `--dry-run`.")
        }
        return remarks
    }

    static func json(_ result: CalibrationResult, isStored: Bool, exit: ExitStatus) -> String {
        line(
            "finished",
            [
                "detected_events": .integer(Int64(result.eventCount)), "stored": .boolean(isStored),
                "devices": .array(result.findings.map { .object(fields(of: $0)) }),
                "problems": .array(result.problems.map { .string($0) }),
                "exit": .integer(Int64(exit.rawValue)),
            ])
    }

    private static func fields(of finding: CalibrationFinding) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "role": .string(finding.role),
            "kind": .string(finding.device.mediaType == .video ? "camera" : "microphone"),
            "identity": .string(finding.device.identity.description.printable()),
            "name": .string(finding.device.name.printable()),
            "format": .string(finding.format.description),
            "verdict": .string(word(for: finding.verdict)),
            "usable": .boolean(finding.isUsable),
            "events": .integer(Int64(finding.estimate?.eventCount ?? 0)),
        ]
        let name = finding.device.mediaType == .video ? "latency_ns" : "offset_ns"
        fields[name] = finding.correction.map { .integer($0.count) } ?? .null
        fields["uncertainty_ns"] = finding.estimate.map { .integer($0.uncertainty.count) } ?? .null
        fields["spread_ns"] = finding.estimate.map { .integer($0.spread.count) } ?? .null
        return fields
    }

    private static func word(for verdict: CalibrationFinding.Verdict) -> String {
        switch verdict {
        case .reference: "reference"
        case .measured: "measured"
        case .coarse: "coarse"
        case .undecided: "undecided"
        case .tooFewEvents: "too-few"
        }
    }

    // MARK: Saved calibrations

    /// Formats a stored calibration as one line with the role, the correction and its uncertainty, the
    /// format, the device, the number of events, and the date.
    static func line(on device: CalibratedDevice) -> String {
        let name =
            device.selector.map { $0.printable() }
            ?? "\(device.identity.name.printable()) (\(device.identity.description.printable()))"
        guard device.events > 0 else {
            return
                "\(device.role.printable()): reference, \(device.format), \(name), \(device.date.printable())"
        }
        let amount =
            "\(quantity(device)) \(Milliseconds.text(device.correction)) ms ± \(Milliseconds.text(device.uncertainty)) ms"
        return "\(device.role.printable()): \(amount), \(device.format), \(name), \(device.events) events, "
            + "\(device.date.printable())"
    }

    static func json(_ device: CalibratedDevice) -> JSONValue {
        .object([
            "role": .string(device.role.printable()),
            "\(quantity(device))_ns": .integer(device.correction.count),
            "uncertainty_ns": .integer(device.uncertainty.count), "spread_ns": .integer(device.spread.count),
            "events": .integer(Int64(device.events)), "format": .string(device.format.description),
            "identity": .string(device.identity.description.printable()),
            "name": .string(device.identity.name.printable()),
            "selector": device.selector.map { .string($0.printable()) } ?? .null,
            "reference": .string(device.reference.name.printable()), "date": .string(device.date.printable()),
        ])
    }

    private static func quantity(_ device: CalibratedDevice) -> String {
        switch device.format {
        case .video: "latency"
        case .audio: "offset"
        }
    }
}
