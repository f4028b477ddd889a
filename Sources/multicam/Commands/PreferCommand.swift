import MulticamArguments
import MulticamMedia
import MulticamPlan
import MulticamSessionFolder
import MulticamSetup

/// `multicam prefer`: stores the user's preferred camera or microphone, and shows or deletes stored choices.
struct PreferCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "prefer",
        summary:
            "Choose the camera for `any` in profiles, or the microphone for `default`.",
        notes: [
            "DEVICE is part of a name, /dev/video0, usb:PATH, serial:SERIAL, position:front, or position:back. "
                + "For a microphone, DEVICE is part of its name, or pulse:SOURCE.",
            "The first role with `any` in a profile uses the preferred camera. "
                + "Recent choices are saved: if the preferred camera is disconnected, the previous choice is used. "
                + "`record --camera ROLE=DEVICE` also saves a choice for that role. "
                + "Without a saved choice, an available camera is used, preferably one that was used before.",
            "--show marks connected devices with =, disconnected ones with -, and the device that would be used now with *.",
        ],
        positionals: [PositionalSpec("DEVICE", isOptional: true, help: "Device to prefer.")],
        options: [
            OptionSpec(
                "microphone", help: "Choose the microphone for `default`. DEVICE must be a microphone."),
            OptionSpec("show", help: "List the saved choices and the device that would be used now."),
            OptionSpec(
                "forget", help: "Delete the saved choice of DEVICE. If DEVICE is omitted, delete all choices."
            ),
            OptionSpec(
                "application", "NAME",
                help: "Application to which the choices apply. Default: multicam."),
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
                    "`--application \(name.printable())`: expected 1 to 100 letters, digits, `.`, `-`, and `_`."
                )
            }
            self.application = application
        } else {
            application = .multicam
        }
        switch (device, arguments.flag("show"), arguments.flag("forget")) {
        case (_, true, true):
            throw arguments.spec.error("`--show` and `--forget` can't be combined. Use only one of them.")
        case (_?, true, false):
            throw arguments.spec.error("`--show` and DEVICE can't be combined. Leave out DEVICE.")
        case (nil, true, false): action = .show
        case (_, false, true): action = .forget(device)
        case (nil, false, false):
            throw arguments.spec.error("DEVICE is missing. Specify the preferred device, or use `--show`.")
        case (let device?, false, false):
            guard !["any", "remembered", "default"].contains(device),
                !device.hasPrefix("virtual:"), !device.hasPrefix("file:")
            else {
                throw arguments.spec.error(
                    "`\(device.printable())` can't be preferred. Specify a device listed by `multicam devices`."
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
            printChoices(history)
        case .choose(let selector):
            printChoices(try history.storeChoice(of: try device(selector, of: history)))
        case .forget(let name):
            let (rest, count) = try forget(name, of: history)
            guard count > 0 || name == nil else {
                Output.message(
                    "No saved choice matches `\((name ?? "").printable())`. To list the saved choices, run `multicam prefer --show`."
                )
                return .failed
            }
            printChoices(rest)
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
            return try history.deleteChoices(named: name)
        } catch let error as DeviceError {
            throw Self.explained(error)
        }
    }

    /// Replaces the message of a device error. The original message may suggest roles or synthetic devices,
    /// which this command doesn't support.
    private static func explained(_ error: DeviceError) -> DeviceError {
        let sentence: String
        switch error.reason {
        case .ambiguous(let candidates):
            let list = candidates.map { $0.printable() }.joined(separator: ", ")
            sentence =
                "the selector matches several devices: \(list). Select one with `multicam prefer SELECTOR`."
        case .notFound:
            sentence = "no such device is connected. `multicam devices` lists the connected devices."
        default:
            return error
        }
        return DeviceError(device: error.device, operation: error.operation, reason: .other(sentence))
    }

    private func printChoices(_ history: ChoiceHistory) {
        if wantsJSON {
            Output.data(PreferenceText.json(history, of: application))
            return
        }
        for line in PreferenceText.lines(history) { Output.data(line) }
        if history.entries.isEmpty {
            let kind = mediaType == .video ? "camera" : "microphone"
            Output.message("No \(kind) has been chosen. Choose one with `multicam prefer DEVICE`.")
        }
    }
}

/// Formats the stored choices as text and as JSON. Control characters are removed from strings that devices
/// report.
enum PreferenceText {
    /// Returns one line per device: the device that would be used now, followed by the stored choices, most
    /// preferred first.
    static func lines(_ history: ChoiceHistory) -> [String] {
        var lines: [String] = []
        if let preferred = history.systemPreferred {
            lines.append(
                "* \(nameAndSelector(preferred.device))  \(sentence(preferred.reason, preferred.device))")
        }
        for entry in history.entries {
            let origin = entry.isProposed ? "proposed by a profile" : "chosen"
            let role = entry.role.map { " for \($0.printable())" } ?? ""
            if let device = entry.device {
                lines.append("= \(nameAndSelector(device))  \(origin)\(role)")
            } else {
                lines.append(
                    "- \(entry.identity.name.printable())  \(entry.identity.description.printable())  \(origin)\(role), not connected"
                )
            }
        }
        return lines
    }

    /// Returns a JSON object with `application`, `kind`, `preferred` with its reason, `user_preferred`, and `history`.
    static func json(_ history: ChoiceHistory, of application: ApplicationIdentifier) -> String {
        JSONText.line(
            JSONValue.object([
                "application": .string(application.name),
                "kind": .string(history.mediaType == .video ? "camera" : "microphone"),
                "preferred": json(history.systemPreferred),
                "user_preferred": history.userPreferred.map { .string($0.selector.printable()) } ?? .null,
                "history": .array(
                    history.entries.map { entry in
                        .object([
                            "name": .string(entry.identity.name.printable()),
                            "identity": .string(entry.identity.description.printable()),
                            "selector": entry.device.map { .string($0.selector.printable()) } ?? .null,
                            "role": entry.role.map { .string($0.printable()) } ?? .null,
                            "by": .string(entry.isProposed ? "profile" : "person"),
                        ])
                    }),
            ]))
    }

    /// Returns a JSON object with the selector and name of a preferred device, and the reason for the
    /// preference.
    static func json(_ preferred: PreferredDevice?) -> JSONValue {
        guard let preferred else { return .null }
        return .object([
            "selector": .string(preferred.device.selector.printable()),
            "name": .string(preferred.device.name.printable()),
            "reason": .string(preferred.reason.rawValue),
            "reason_text": .string(preferred.reason.sentence),
        ])
    }

    /// Formats the reason for a preference: `preferred: you chose it` for a camera, `default: …` for a
    /// microphone.
    static func sentence(_ reason: PreferredDevice.Reason, _ device: CaptureDevice) -> String {
        "\(device.mediaType == .video ? "preferred" : "default"): \(reason.sentence)"
    }

    private static func nameAndSelector(_ device: CaptureDevice) -> String {
        "\(device.name.printable())  \(device.selector.printable())"
    }
}
