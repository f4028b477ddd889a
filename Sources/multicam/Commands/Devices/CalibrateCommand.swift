import Arguments
import Glibc
import Media
import MediaServing
import MulticamKit
import SessionFolder
import Setup

/// `multicam calibrate`: measures how late cameras and microphones are, shows stored calibrations, deletes them.
struct CalibrateCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "calibrate",
        summary: "Measure how late cameras and microphones are, by claps that all see and hear.",
        notes: [
            "Flash a light and sound a beep at one instant, in front of all cameras and microphones, at uneven times: a clap "
                + "application on a phone will do. A clap of hands serves microphones alone. Stay near the reference "
                + "microphone: sound takes 3 ms for each metre.",
            "Each device must notice 10 events, and is then known to 2 ms; until then it goes on, for 2 minutes at most or until "
                + "Ctrl-C. What was measured is kept for the device in this format, and taken off in recordings where "
                + "the profile says no `latency` or `offset` of its own.",
            "Exit status 1: something of a device could not be measured well enough to be used.",
        ],
        options: ProfileOptions.specs + [
            OptionSpec("events", "N", help: "How many events each device must notice, 3 to 100: 10."),
            OptionSpec("duration", "T", help: "Go on for so long at most: 10s, 5m. Default: 2m."),
            OptionSpec(
                "reference", "ROLE",
                help: "The microphone that the others are measured against: the first."),
            OptionSpec("dry-run", help: "Measure, but keep nothing."),
            OptionSpec(
                "machine",
                help:
                    "Measure what work costs on this computer and how fast its disk writes, and try its hardware encoders; no camera is needed."
            ),
            OptionSpec(
                "output", "DIR",
                help: "With --machine: whose disk to measure. Default: recordings in this folder."),
            OptionSpec("show", help: "Show what is kept; measure nothing."),
            OptionSpec("forget", "NAME", help: "Forget what is kept of a role, or of a device by its name."),
            OptionSpec("json", help: "Print JSON: events, one a line; the last has the result."),
        ])

    private enum Action {
        case measure(SetupRequest, CalibrationOptions, isDry: Bool)
        /// Measures the computer, with the disk of the named output folder, if any.
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
            throw arguments.spec.error("`--\(given[0])` and `--\(given[1])` do not go together.")
        }
        guard !arguments.flag("output") || arguments.flag("machine") else {
            throw arguments.spec.error("`--output` goes with `--machine`: it names the disk to measure.")
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
            options.events = events
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

    // MARK: Measuring

    private func measure(
        _ request: SetupRequest, _ options: CalibrationOptions, isDry: Bool
    ) async throws -> ExitStatus {
        SignalInbox.open()
        let (media, sources) = try listen(request)
        let outcome: Result<ExitStatus, any Error>
        do {
            outcome = .success(try await measure(request, options, isDry: isDry, sources))
        } catch {
            outcome = .failure(error)
        }
        if let sources {
            await withCheckedContinuation { continuation in
                _ = MediaThread(name: "sources:end") {
                    sources.end()
                    continuation.resume()
                }
            }
        }
        media?.stop()
        return try outcome.get()
    }

    /// Opens a media socket for network cameras, screens and other processes, where the profile names any.
    private func listen(_ request: SetupRequest) throws -> (MediaServer?, NetworkSources?) {
        let selectors = try SessionSetup.selectors(of: request)
        let named = Array(selectors.cameras.values) + Array(selectors.microphones.values)
        guard SessionSetup.namesRemote(named) else { return (nil, nil) }
        let devices = RemoteDevices()
        let media = try MediaServer(devices: devices)
        let profile = try SessionSetup.read(request).readProfile
        return (
            media,
            NetworkSources(of: media, sentTo: devices, withholding: profile?.secretVariables ?? []) {
                Output.message($0)
            }
        )
    }

    private func measure(
        _ request: SetupRequest, _ options: CalibrationOptions, isDry: Bool, _ sources: NetworkSources?
    ) async throws -> ExitStatus {
        // Cameras are waited for.
        let setup = try await withCheckedThrowingContinuation { continuation in
            _ = MediaThread(name: "setup") {
                continuation.resume(
                    with: Result { () throws(SetupError) in try SessionSetup(request, remote: sources) })
            }
        }
        let calibration = try Calibration(setup, options)
        SignalInbox.listen { request in
            switch request {
            case .stop(1, _): calibration.stop()
            case .stop: _exit(ExitStatus.aborted.rawValue)
            case .mark, .split: break
            }
        }
        let printer = Task {
            for await event in calibration.events { report(CalibrationText(event, goal: options.goal)) }
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
        // A person who clapped for minutes sees the result even when it cannot be stored.
        var failure: (any Error)?
        do {
            isKept = try !isDry && keep(result, of: calibration)
        } catch {
            failure = error
            exit = Multicam.status(of: error)
        }
        if wantsJSON {
            Output.data(CalibrationText.json(result, isKept: isKept, exit: exit))
        } else {
            for finding in result.findings { Output.data(CalibrationText.sentence(on: finding, result)) }
            for sentence in CalibrationText.remarks(
                on: result, plan: setup.plan, isKept: isKept, isDry: isDry)
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

    /// Stores what is usable of a result.
    ///
    /// - Returns: Whether something was stored.
    private func keep(_ result: CalibrationResult, of calibration: Calibration) throws -> Bool {
        guard result.hasUsable else { return false }
        if let warning = try calibration.keep(result) { Output.message(warning) }
        return true
    }

    /// Measures the computer for half a minute. A disk that cannot be measured is reported; that is a failure only when `output`
    /// names it.
    private func measureMachine(output: String?) async throws -> ExitStatus {
        let hasTerminal = Output.hasTerminal
        let table = try await ThisMachine.measure { share in
            if hasTerminal { Output.status("measuring: \(Int(share * 95)) %") }
        }
        let disk = await withCheckedContinuation { continuation in
            _ = MediaThread(name: "measure") {
                continuation.resume(
                    returning: Result { () throws(FileError) in
                        try ThisMachine.measureDisk(output: output ?? "recordings")
                    })
            }
        }
        Output.endStatus()
        if let warning = try ThisMachine.keep(table) { Output.message(warning) }
        var exit = ExitStatus.done
        var speed: MeasuredDisk?
        do throws(FileError) {
            speed = try disk.get()
        } catch {
            Output.message(error.description)
            if output != nil { exit = error.isPermission ? .noPermission : .failed }
        }
        if let speed, let warning = try ThisMachine.keep(speed) { Output.message(warning) }
        // Encoders come last, because a driver that crashes ends the program.
        let encoders = try await tryEncoders()
        if wantsJSON {
            Output.data(CostText.json(table, speed, encoders))
        } else {
            for line in CostText.lines(table, speed, encoders) { Output.data(line) }
        }
        return exit
    }

    /// Tries every hardware encoder found, one after the other.
    private func tryEncoders() async throws -> [TriedEncoder] {
        let hasTerminal = Output.hasTerminal
        var results: [TriedEncoder] = []
        for encoder in ThisMachine.detectedEncoders {
            let outcome = await withCheckedContinuation { continuation in
                _ = MediaThread(name: "trial") {
                    continuation.resume(
                        returning: Result { () throws(StateFileError) in
                            try ThisMachine.tryEncoder(encoder) { share in
                                if hasTerminal {
                                    Output.status("trying \(encoder.name): \(Int(share * 100)) %")
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

    // MARK: What is kept

    private func show() -> ExitStatus {
        let (devices, warning) = CalibratedDevice.kept()
        if let warning { Output.message(warning) }
        if wantsJSON {
            Output.data(JSONText.line(["devices": devices.map(CalibrationText.json)]))
        } else {
            for device in devices { Output.data(CalibrationText.line(on: device)) }
            if devices.isEmpty {
                Output.message(
                    "nothing is calibrated yet. Try `multicam calibrate --profile pip` with a flash and a beep."
                )
            }
        }
        return .done
    }

    private func forget(_ name: String) throws -> ExitStatus {
        let (devices, warning) = try CalibratedDevice.forget(name)
        if let warning { Output.message(warning) }
        guard !devices.isEmpty else {
            Output.message(
                "nothing is kept of `\(name.printable())`. `multicam calibrate --show` lists what is.")
            return .failed
        }
        if wantsJSON {
            Output.data(JSONText.line(["devices": devices.map(CalibrationText.json)]))
        } else {
            for device in devices { Output.data("forgotten: \(CalibrationText.line(on: device))") }
        }
        return .done
    }
}
