import Media
import Plan
import SessionFolder
import Setup

/// The remembered choices, for people and as JSON. Texts of devices are printed without control characters.
enum PreferenceText {
    /// One line for each device: the one that would be used now, then the choices, the most wanted first.
    static func lines(_ history: ChoiceHistory) -> [String] {
        var lines: [String] = []
        if let preferred = history.systemPreferred {
            lines.append("* \(words(preferred.device))  \(sentence(preferred.reason, preferred.device))")
        }
        for entry in history.entries {
            let origin = entry.isProposed ? "a profile begins with it" : "chosen"
            let role = entry.role.map { " for \($0.printable())" } ?? ""
            if let device = entry.device {
                lines.append("= \(words(device))  \(origin)\(role)")
            } else {
                lines.append(
                    "- \(entry.identity.name.printable())  \(entry.identity.description.printable())  \(origin)\(role), not connected"
                )
            }
        }
        return lines
    }

    /// A JSON object with `application`, `kind`, `preferred` with its reason, `user_preferred`, and `history`.
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

    /// The JSON object of a preferred device: its selector, its name, and the reason.
    static func json(_ preferred: PreferredDevice?) -> JSONValue {
        guard let preferred else { return .null }
        return .object([
            "selector": .string(preferred.device.selector.printable()),
            "name": .string(preferred.device.name.printable()),
            "reason": .string(preferred.reason.rawValue),
            "because": .string(preferred.reason.sentence),
        ])
    }

    /// The reason in words: `preferred: you chose it`; for a microphone `default: …`.
    static func sentence(_ reason: PreferredDevice.Reason, _ device: CaptureDevice) -> String {
        "\(device.mediaType == .video ? "preferred" : "default"): \(reason.sentence)"
    }

    private static func words(_ device: CaptureDevice) -> String {
        "\(device.name.printable())  \(device.selector.printable())"
    }
}
