import Media
internal import Plan
import SessionFolder
import Setup

/// The list of devices, for people and as JSON. Texts of devices are printed without control characters.
enum DevicesText {
    static func of(_ listing: DeviceListing) -> String {
        let preferred = [listing.preferredCamera, listing.defaultMicrophone].compactMap { $0 }
        let lines = (listing.cameras + listing.microphones).map { device in
            let words = preferred.filter { $0.device == device }.map {
                "\n  \(device.mediaType == .video ? "preferred " : "default   ") \($0.reason.sentence)"
            }
            return of(device) + words.joined()
        }
        // Cards with microphones are shown beside those.
        let idle = listing.cards.filter { card in
            !listing.microphones.contains { $0.card?.name == card.name }
        }
        let cards = idle.map { card in
            "sound card \(card.description), whose profile has no microphone\n  name       \(card.name)\n\(profiles(card))"
        }
        let all = lines + cards
        return all.isEmpty ? "no devices" : all.joined(separator: "\n")
    }

    private static func profiles(_ card: SoundCard) -> String {
        let others = card.profiles.filter { $0.name != card.activeProfile && $0.sourceCount > 0 }
        let choice = others.map { $0.name + ($0.isAvailable ? "" : " (not available)") }
        return "  profile    \(card.activeProfile ?? "none")"
            + (choice.isEmpty ? "" : "; could be \(choice.joined(separator: ", "))")
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

    /// The kind of a device: `camera` or `microphone`.
    static func kind(_ device: CaptureDevice) -> String {
        device.mediaType == .video ? "camera" : "microphone"
    }

    /// All facts of one device, in several lines.
    static func of(_ device: CaptureDevice) -> String {
        let kind = kind(device)
        var lines = ["\(kind) \(device.name.printable())", "  selector   \(device.selector.printable())"]
        lines.append("  identity   \(device.identity.description.printable())")
        if device.node != device.selector { lines.append("  node       \(device.node.printable())") }
        lines.append("  type       \(type(device))")
        if device.mediaType == .video {
            let mounting =
                device.mounting == .none
                ? "upright" : "turned: its frames are turned by \(device.mounting.degrees)° clockwise"
            lines.append("  position   \(device.position.rawValue), mounted \(mounting)")
            if device.isCaptureStick { lines.append("  source     another device's picture (capture stick)") }
        }
        if let controller = device.controller {
            let speed = device.busSpeed.map { ", \($0) Mbit/s" } ?? ""
            lines.append("  controller \(controller.printable())\(speed)")
        }
        if let companion = device.companion {
            let other = kind == "camera" ? "microphone" : "camera"
            lines.append("  its \(other) \(companion.name.printable())")
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
        if device.isGrey {
            lines.append("  frames     grey: a camera of infrared light, or one without colour")
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
        let word = typeWords.first { $0.type == device.deviceType }?.word ?? device.deviceType.rawValue
        guard !device.isTypeKnown else { return word }
        return "\(word) (not told by the system; tell it with "
            + "`multicam devices --set \(device.selector.printable()) --type built-in` or `--type external`)"
    }

    /// The words of the command line for the types that a user may give a camera.
    static let typeWords: [(type: CaptureDevice.DeviceType, word: String)] = [
        (.builtIn, "built-in"), (.external, "external"),
    ]

    static func sentence(_ problem: CaptureDevice.Problem) -> String {
        switch problem {
        case .inUse(let program): "in use by \((program ?? "another program").printable())"
        case .noPermission(let group):
            "no permission: join the group with `sudo usermod -aG \(group.printable()) $USER`"
        case .failing(let why): why.printable()
        }
    }

    /// The JSON object of one device.
    static func json(_ device: CaptureDevice) -> JSONValue {
        var fields: [String: JSONValue] = [
            "kind": .string(kind(device)), "typeKnown": .boolean(device.isTypeKnown),
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
            fields["grey"] = .boolean(device.isGrey)
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
