import FoundationEssentials
import Glibc
import MulticamArguments
import MulticamContainers
import MulticamMedia
import MulticamPlan
import MulticamSessionFolder
import MulticamSetup

/// `multicam devices`: lists cameras and microphones, reports changes, and stores the user's settings for cameras.
struct DevicesCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "devices",
        summary: "List cameras and microphones with their formats and problems.",
        notes: [
            "--profile and --port configure how the sound server uses a sound card. "
                + "MICROPHONE is part of the name of the microphone or the card, or pulse:SOURCE. "
                + "The sound server saves the setting for all programs.",
            "CAMERA is part of a camera name, /dev/video0, usb:PATH, serial:SERIAL, or position:front, as for `record`.",
            "--set saves properties of a camera: --position makes it available as `position:front` or `position:back`; "
                + "--mounting sets the rotation for roles without a rotation in the profile.",
            "The first camera in the list is the one that a role with `any` would use now. "
                + "To choose another camera, use `multicam prefer`.",
            "--watch prints one line per change: = present, + connected, - disconnected, ~ changed, * new preferred camera or default microphone. "
                + "With --json, it prints objects with `event`, `at`, and `device`. "
                + "Press Ctrl-C to stop.",
        ],
        options: [
            OptionSpec("json", help: "Print JSON."),
            OptionSpec("watch", help: "List the devices, then report changes until Ctrl-C."),
            OptionSpec(
                "set", "CAMERA|MICROPHONE", help: "Set properties of this device with the following options."),
            OptionSpec(
                "position", "front|back|unspecified",
                help: "Position of the camera: front (facing the user), back, or unspecified."),
            OptionSpec(
                "mounting", "0|90|180|270",
                help: "Clockwise rotation in degrees that makes the frames upright."),
            OptionSpec("type", "built-in|external", help: "Camera type: built in or external."),
            OptionSpec("profile", "NAME", help: "Sound card profile to activate."),
            OptionSpec("port", "NAME", help: "Input port of the sound card to use."),
            OptionSpec("forget", "CAMERA", help: "Delete the properties saved for this camera."),
        ])

    private enum Action: Equatable {
        case list
        case watch
        case set(String, CameraNotes)
        case useCard(String, profile: String?, port: String?)
        case forget(String)
    }

    private let action: Action
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        wantsJSON = arguments.flag("json")
        let remark = try Self.cameraNotes(arguments)
        let given = ["watch", "set", "forget"].filter { arguments.flag($0) }
        guard given.count <= 1 else {
            throw arguments.spec.error(
                "`--\(given[0])` and `--\(given[1])` can't be combined. Use only one of them.")
        }
        let (profile, port) = (arguments.optional("profile"), arguments.optional("port"))
        if profile != nil || port != nil {
            guard let microphone = arguments.optional("set") else {
                throw arguments.spec.error("`--profile` and `--port` require `--set MICROPHONE`.")
            }
            guard remark == CameraNotes() else {
                throw arguments.spec.error(
                    "`--profile` and `--port` apply to microphones; `--position`, `--mounting`, and `--type` apply to cameras. Set one device at a time."
                )
            }
            action = .useCard(microphone, profile: profile, port: port)
        } else if let camera = arguments.optional("set") {
            guard remark != CameraNotes() else {
                throw arguments.spec.error(
                    "`--set` requires `--position`, `--mounting`, or `--type` for a camera, or `--profile` or `--port` for a microphone."
                )
            }
            action = .set(camera, remark)
        } else if remark != CameraNotes() {
            throw arguments.spec.error("`--position`, `--mounting`, and `--type` require `--set CAMERA`.")
        } else if let camera = arguments.optional("forget") {
            action = .forget(camera)
        } else {
            action = arguments.flag("watch") ? .watch : .list
        }
    }

    private static func cameraNotes(_ arguments: ParsedArguments) throws(UsageError) -> CameraNotes {
        func choice<Value>(
            _ option: String, _ expected: String, _ read: (String) -> Value?
        ) throws(UsageError) -> Value? {
            guard let word = arguments.optional(option) else { return nil }
            guard let value = read(word) else {
                throw arguments.spec.error("`--\(option) \(word.printable())`: expected \(expected).")
            }
            return value
        }
        return CameraNotes(
            position: try choice("position", "front, back, or unspecified") {
                CaptureDevice.Position(rawValue: $0)
            },
            mounting: try choice("mounting", "0, 90, 180, or 270") {
                Int($0).flatMap { Rotation(rawValue: $0) }
            },
            type: try choice("type", "built-in or external") { word in
                DevicesText.typeNames.first { $0.word == word }?.type
            })
    }

    func run() async throws -> ExitStatus {
        switch action {
        case .list: list(DeviceListing())
        case .watch: try await watch()
        case .set(let selector, let remark): show(try remark.store(for: selector))
        case .useCard(let selector, let profile, let port):
            list(try SoundCardSetting.apply(to: selector, profile: profile, port: port))
        case .forget(let selector): show(try CameraNotes.delete(for: selector))
        }
        return .done
    }

    private func list(_ listing: DeviceListing) {
        Output.data(wantsJSON ? JSONText.line(DevicesText.json(listing)) : DevicesText.of(listing))
        for problem in listing.problems { Output.message(problem.description) }
        for warning in listing.warnings { Output.message(warning) }
        if listing.cameras.isEmpty, !wantsJSON {
            Output.message(
                "No camera is connected. To try multicam without a camera, run `multicam record --profile pip --virtual --duration 10`."
            )
        }
    }

    private func show(_ result: (camera: CaptureDevice, warning: String?)) {
        if let warning = result.warning { Output.message(warning) }
        Output.data(
            wantsJSON ? JSONText.line(DevicesText.json(result.camera)) : DevicesText.of(result.camera))
    }

    private func watch() async throws {
        try SignalHandler.install()
        let choice = try await DeviceChoice(application: .multicam)
        SignalHandler.start { request in
            switch request {
            case .stop(1, _): choice.stop()
            case .stop: _exit(ExitStatus.aborted.rawValue)
            case .mark, .split: break
            }
        }
        for await event in choice.events() {
            if case .device(.problem(let error)) = event { Output.message(error.description) }
            let text =
                switch event {
                case .device(let change): DeviceChangeText(change, date: Date())
                case .camera(let preferred), .microphone(let preferred):
                    DeviceChangeText(preferred: preferred, date: Date())
                }
            guard let text else { continue }
            // The output pipe was closed by its reader, so monitoring ends.
            guard Output.data(wantsJSON ? text.json : text.line) else { return choice.stop() }
        }
    }
}

/// Formats the list of devices as text and as JSON. Control characters are removed from strings that devices
/// report.
enum DevicesText {
    static func of(_ listing: DeviceListing) -> String {
        let preferred = [listing.preferredCamera, listing.defaultMicrophone].compactMap { $0 }
        let lines = (listing.cameras + listing.microphones).map { device in
            let words = preferred.filter { $0.device == device }.map {
                "\n  \(device.mediaType == .video ? "preferred " : "default   ") \($0.reason.sentence)"
            }
            return of(device) + words.joined()
        }
        // Sound cards with microphones are omitted here, because they are listed together with their
        // microphones.
        let idle = listing.cards.filter { card in
            !listing.microphones.contains { $0.card?.name == card.name }
        }
        let cards = idle.map { card in
            "sound card \(card.description): the active profile has no microphone\n  name       \(card.name)\n\(profiles(card))"
        }
        let all = lines + cards
        return all.isEmpty ? "no devices" : all.joined(separator: "\n")
    }

    private static func profiles(_ card: SoundCard) -> String {
        let others = card.profiles.filter { $0.name != card.activeProfile && $0.sourceCount > 0 }
        let choice = others.map { $0.name + ($0.isAvailable ? "" : " (not available)") }
        return "  profile    \(card.activeProfile ?? "none")"
            + (choice.isEmpty ? "" : "; others: \(choice.joined(separator: ", "))")
    }

    private static func ports(_ ports: [AudioPort]) -> String {
        let words = ports.map { port in
            "\(port.name)\(port.isActive ? " (chosen)" : "")\(port.isUnplugged ? " (nothing plugged in)" : "")"
        }
        return "  ports      \(words.joined(separator: ", "))"
    }

    static func json(_ listing: DeviceListing) -> JSONValue {
        .object([
            "cameras": .array(listing.cameras.map(json)),
            "microphones": .array(listing.microphones.map(json)),
            "cards": .array(listing.cards.map(json)),
            "preferred": PreferenceText.json(listing.preferredCamera),
            "user_preferred": listing.userPreferredCamera.map { .string($0.selector.printable()) } ?? .null,
            "default_microphone": PreferenceText.json(listing.defaultMicrophone),
            "problems": .array(listing.problems.map { .string($0.description.printable(limit: 1000)) }),
        ])
    }

    /// Returns the kind of a device: `camera` or `microphone`.
    static func kind(_ device: CaptureDevice) -> String {
        device.mediaType == .video ? "camera" : "microphone"
    }

    /// Formats all properties of one device, as several lines.
    static func of(_ device: CaptureDevice) -> String {
        let kind = kind(device)
        var lines = ["\(kind) \(device.name.printable())", "  selector   \(device.selector.printable())"]
        lines.append("  identity   \(device.identity.description.printable())")
        if device.node != device.selector { lines.append("  node       \(device.node.printable())") }
        lines.append("  type       \(type(device))")
        if device.mediaType == .video {
            let mounting =
                device.mounting == .none
                ? "upright" : "rotated (frames require \(device.mounting.degrees)° clockwise rotation)"
            lines.append("  position   \(device.position.rawValue), mounted \(mounting)")
            if device.isCaptureStick { lines.append("  source     HDMI capture device") }
        }
        if let controller = device.controller {
            let speed = device.busSpeed.map { ", \($0) Mbit/s" } ?? ""
            lines.append("  controller \(controller.printable())\(speed)")
        }
        if let companion = device.companion {
            let other = kind == "camera" ? "microphone" : "camera    "
            lines.append("  \(other) \(companion.name.printable())")
        }
        if let problem = device.problem { lines.append("  problem    \(sentence(problem))") }
        if let audio = device.audio {
            lines.append("  audio      \(audio.rate) Hz, \(audio.channels) channels")
        }
        if let card = device.card {
            lines.append("  card       \(card.name)")
            lines.append(profiles(card))
        }
        if !device.ports.isEmpty { lines.append(ports(device.ports)) }
        if device.isGray {
            lines.append("  frames     grayscale: an infrared or monochrome camera")
        }
        if !device.sizePresets.isEmpty {
            lines.append("  presets    \(device.sizePresets.map(\.rawValue).joined(separator: ", "))")
        }
        for format in device.formats { lines.append("  format     \(format.description.printable())") }
        for control in device.controls {
            lines.append(
                "  control    \(control.name.printable()) = \(control.value) (\(control.minimum)…\(control.maximum))"
            )
        }
        return lines.joined(separator: "\n")
    }

    private static func type(_ device: CaptureDevice) -> String {
        let word = typeNames.first { $0.type == device.deviceType }?.word ?? device.deviceType.rawValue
        guard !device.isTypeKnown else { return word }
        return "\(word) (not reported by the system; set it with "
            + "`multicam devices --set \(device.selector.printable()) --type built-in` or `--type external`)"
    }

    /// The camera types that a user can assign to a camera, with their names on the command line.
    static let typeNames: [(type: CaptureDevice.DeviceType, word: String)] = [
        (.builtIn, "built-in"), (.external, "external"),
    ]

    static func sentence(_ problem: CaptureDevice.Problem) -> String {
        switch problem {
        case .inUse(let program): "in use by \((program ?? "another program").printable())"
        case .noPermission(let group):
            "no permission; join the group with `sudo usermod -aG \(group.printable()) $USER`, then log in again"
        case .failing(let why): why.printable()
        }
    }

    /// Returns the JSON object of one device.
    static func json(_ device: CaptureDevice) -> JSONValue {
        var fields: [String: JSONValue] = [
            "kind": .string(kind(device)), "type_known": .boolean(device.isTypeKnown),
            "name": .string(device.name.printable()), "node": .string(device.node.printable()),
            "selector": .string(device.selector.printable()), "type": .string(device.deviceType.rawValue),
            "position": .string(device.position.rawValue),
            "identity": .string(device.identity.description.printable()),
            "usb_path": .string(device.identity.busPath.printable()),
            "product": .string(device.identity.product.printable()),
            "serial": .string(device.identity.serial.printable()),
        ]
        fields["controller"] = device.controller.map { .string($0.printable()) } ?? .null
        fields["speed_mbit"] = device.busSpeed.map { .integer(Int64($0)) } ?? .null
        fields["companion"] = device.companion.map { .string($0.description.printable()) } ?? .null
        fields["problem"] = device.problem.map { .string(sentence($0)) } ?? .null
        if device.mediaType == .video {
            fields["capture_stick"] = .boolean(device.isCaptureStick)
            fields["mounting"] = .integer(Int64(device.mounting.degrees))
            fields["grey"] = .boolean(device.isGray)
            fields["presets"] = .array(device.sizePresets.map { .string($0.rawValue) })
            fields["formats"] = .array(device.formats.map(json))
            fields["controls"] = .array(device.controls.map(ControlsText.json))
        } else if let audio = device.audio {
            fields["default"] = .boolean(device.isDefault)
            fields["source"] = .string(device.node.printable())
            fields["rate"] = .integer(Int64(audio.rate))
            fields["channels"] = .integer(Int64(audio.channels))
            fields["card"] = device.card.map { .string($0.name) } ?? .null
            fields["ports"] = .array(
                device.ports.map { port in
                    .object([
                        "name": .string(port.name), "description": .string(port.description),
                        "active": .boolean(port.isActive), "unplugged": .boolean(port.isUnplugged),
                    ])
                })
        }
        return .object(fields)
    }

    private static func json(_ card: SoundCard) -> JSONValue {
        .object([
            "name": .string(card.name), "description": .string(card.description),
            "profile": card.activeProfile.map { .string($0) } ?? .null,
            "profiles": .array(
                card.profiles.map { profile in
                    .object([
                        "name": .string(profile.name), "description": .string(profile.description),
                        "available": .boolean(profile.isAvailable),
                        "microphones": .integer(Int64(profile.sourceCount)),
                    ])
                }),
        ])
    }

    private static func json(_ format: OfferedFormat) -> JSONValue {
        var fields: [String: JSONValue] = [
            "pixel": .string(format.pixel.rawValue), "native": .string(format.nativeName.printable()),
            "width": .integer(Int64(format.size.width)), "height": .integer(Int64(format.size.height)),
        ]
        switch format.rates {
        case .listed(let rates): fields["rates"] = .array(rates.sorted(by: >).map { .number($0.perSecond) })
        case .any(let lowest, let highest):
            fields["rate_range"] = .array([.number(lowest.perSecond), .number(highest.perSecond)])
        }
        return .object(fields)
    }
}

/// Formats a device change as one line of text or JSON.
struct DeviceChangeText {
    private let name: String
    private let sign: String
    private let device: CaptureDevice
    private let remark: String
    private let date: Date

    /// Creates the description of a device change; `nil` if the change doesn't refer to a single device.
    init?(_ change: DeviceChange, date: Date) {
        switch change {
        case .present(let device): (name, sign, self.device) = ("present", "=", device)
        case .connected(let device): (name, sign, self.device) = ("arrived", "+", device)
        case .disconnected(let device): (name, sign, self.device) = ("departed", "-", device)
        case .changed(let device, _): (name, sign, self.device) = ("changed", "~", device)
        case .problem: return nil
        }
        remark =
            switch change {
            case .changed(let device, let before): Self.difference(device, before)
            case .present(let device), .connected(let device): device.problem.map(DevicesText.sentence) ?? ""
            case .disconnected, .problem: ""
            }
        self.date = date
    }

    /// Creates the description of a change of the preferred device; `nil` if no device is preferred.
    init?(preferred: PreferredDevice?, date: Date) {
        guard let preferred else { return nil }
        (name, sign, device) = (
            preferred.device.mediaType == .video ? "preferred" : "default", "*", preferred.device
        )
        remark = PreferenceText.sentence(preferred.reason, preferred.device)
        self.date = date
    }

    /// One line of text with the time, a sign, and the kind, name, and selector of the device, followed by a
    /// remark: `14:02:11.250 + camera Webcam usb:… in use by obs`.
    var line: String {
        let time = time.dropFirst("2026-11-22T".count).prefix("08:34:12.250".count)
        let words =
            "\(time) \(sign) \(DevicesText.kind(device)) \(device.name.printable())  \(device.selector.printable())"
        return remark.isEmpty ? words : "\(words)  \(remark)"
    }

    /// A JSON object with `event`, `at` in ISO 8601 format, and `device` as in the device list.
    var json: String {
        return JSONText.line(
            JSONValue.object([
                "event": .string(name), "at": .string(time), "device": DevicesText.json(device),
            ]))
    }

    /// The local time in ISO 8601 format: `2026-11-22T08:34:12.250+01:00`.
    private var time: String {
        let zone = TimeZone(secondsFromGMT: LocalTime.secondsFromGMT(at: date)) ?? .gmt
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: zone))
    }

    private static func difference(_ device: CaptureDevice, _ before: CaptureDevice) -> String {
        var words: [String] = []
        if device.problem != before.problem {
            words.append(device.problem.map(DevicesText.sentence) ?? "available now")
        }
        if device.companion != before.companion {
            let other = device.mediaType == .video ? "microphone" : "camera"
            words.append(
                device.companion.map { "the associated \(other) is now \($0.name.printable())" }
                    ?? "the associated \(other) was disconnected")
        }
        if device.position != before.position { words.append("position \(device.position.rawValue)") }
        if device.mounting != before.mounting {
            words.append("frames require \(device.mounting.degrees)° clockwise rotation")
        }
        if device.isDefault != before.isDefault {
            words.append(
                device.isDefault ? "now the sound server's default" : "no longer the sound server's default")
        }
        if device.identity != before.identity {
            words.append("identity \(device.identity.description.printable())")
        }
        return words.isEmpty ? "formats, controls, or type changed" : words.joined(separator: ", ")
    }
}
