import Arguments
import Media
import Setup

/// `multicam prefer`: remembers which camera or microphone a person prefers, shows the choices, deletes them.
struct PreferCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "prefer",
        summary:
            "Choose the camera that is used where a profile says `any`, or the microphone for `default`.",
        notes: [
            "DEVICE is a part of a name, /dev/video0, usb:PATH, serial:SERIAL, position:front or position:back; for a microphone a part "
                + "of its name or pulse:SOURCE.",
            "The first role with `any` of a profile gets the preferred camera. The last choices are remembered: when the preferred camera "
                + "is not connected, the one before it counts. `--camera ROLE=DEVICE` of `record` is such a choice too, for that role. "
                + "Without any choice it is a camera that can be used now, one that was used before rather than another.",
            "--show marks what is there with =, what is not with -, and the camera that would be taken now with *.",
        ],
        positionals: [PositionalSpec("DEVICE", isOptional: true, help: "The camera that you prefer.")],
        options: [
            OptionSpec("microphone", help: "DEVICE is a microphone: the input for `default`."),
            OptionSpec("show", help: "Show what is remembered, and which one would be taken now."),
            OptionSpec("forget", help: "Forget this choice; without DEVICE all of them."),
            OptionSpec(
                "application", "NAME",
                help: "Whose choices: each program has its own. Default: multicam."),
            OptionSpec("json", help: "Print JSON."),
        ])

    private enum Action {
        case choose(String)
        case show
        case forget(String?)
    }

    private let action: Action
    private let mediaType: CaptureDevice.MediaType
    private let application: ApplicationIdentifier
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        wantsJSON = arguments.flag("json")
        mediaType = arguments.flag("microphone") ? .audio : .video
        let device = arguments.positionals.first
        if let name = arguments.optional("application") {
            guard let application = ApplicationIdentifier(name) else {
                throw arguments.spec.error(
                    "`--application \(name.printable())`: expected 1 to 100 letters, digits, `.`, `-` and `_`."
                )
            }
            self.application = application
        } else {
            application = .multicam
        }
        switch (device, arguments.flag("show"), arguments.flag("forget")) {
        case (_, true, true): throw arguments.spec.error("`--show` and `--forget` do not go together.")
        case (_?, true, false): throw arguments.spec.error("`--show` shows everything: leave DEVICE out.")
        case (nil, true, false): action = .show
        case (_, false, true): action = .forget(device)
        case (nil, false, false):
            throw arguments.spec.error("DEVICE is missing: name the one that you prefer, or give `--show`.")
        case (let device?, false, false):
            guard !["any", "remembered", "default"].contains(device),
                !device.hasPrefix("virtual:"), !device.hasPrefix("file:")
            else {
                throw arguments.spec.error(
                    "`\(device.printable())` is no device that can be preferred: name one that `multicam devices` lists."
                )
            }
            action = .choose(device)
        }
    }

    func run() async throws -> ExitStatus {
        let history = try ChoiceHistory(of: mediaType, application: application)
        for warning in history.warnings { Output.message(warning) }
        switch action {
        case .show:
            tell(history)
        case .choose(let selector):
            tell(try history.choosing(try device(selector, of: history)))
        case .forget(let name):
            let (rest, count) = try forget(name, of: history)
            guard count > 0 || name == nil else {
                Output.message(
                    "no choice of `\((name ?? "").printable())` is remembered. `multicam prefer --show` lists what is."
                )
                return .failed
            }
            tell(rest)
        }
        return .done
    }

    private func device(_ selector: String, of history: ChoiceHistory) throws -> CaptureDevice {
        do throws(DeviceError) {
            return try history.device(selector)
        } catch {
            throw Self.explained(error)
        }
    }

    private func forget(_ name: String?, of history: ChoiceHistory) throws -> (ChoiceHistory, Int) {
        do {
            return try history.forgetting(name)
        } catch let error as DeviceError {
            throw Self.explained(error)
        }
    }

    /// Rewords an error, because this command has no roles and no synthetic devices.
    private static func explained(_ error: DeviceError) -> DeviceError {
        let sentence: String
        switch error.reason {
        case .ambiguous(let candidates):
            let list = candidates.map { $0.printable() }.joined(separator: ", ")
            sentence = "it could be any of \(list). Say which with `multicam prefer SELECTOR`."
        case .notFound:
            sentence = "no such device is connected. Run `multicam devices` to list what is."
        default:
            return error
        }
        return DeviceError(device: error.device, operation: error.operation, reason: .other(sentence))
    }

    private func tell(_ history: ChoiceHistory) {
        if wantsJSON {
            Output.data(PreferenceText.json(history, of: application))
            return
        }
        for line in PreferenceText.lines(history) { Output.data(line) }
        if history.entries.isEmpty {
            let kind = mediaType == .video ? "camera" : "microphone"
            Output.message("no \(kind) has been chosen. `multicam prefer DEVICE` chooses one.")
        }
    }
}
