import Doctor
import Media
import SessionFolder

/// The findings of `multicam doctor`, for people and as JSON.
enum DoctorText {
    private static let groups = [
        ("camera", "Cameras"), ("driver", "Camera driver"), ("usb", "USB"), ("sound", "Sound"),
        ("storage", "Storage"), ("system", "Computer"), ("log", "Kernel log"),
    ]

    static func of(_ findings: [Finding], isColored: Bool) -> String {
        var lines: [String] = []
        for (group, title) in groups {
            let own = findings.filter { $0.group == group }
            if !own.isEmpty { lines.append(title) }
            for finding in own {
                let place = finding.device.map { "\($0): " } ?? ""
                lines.append("  \(word(finding.level, isColored)) \(place)\(finding.text)")
                if let mend = finding.mend { lines.append("                mend: \(mend)") }
            }
        }
        return (lines + ["", summary(findings)]).joined(separator: "\n")
    }

    static func json(_ findings: [Finding]) -> JSONValue {
        .object(["findings": .array(findings.map(json))])
    }

    private static func json(_ finding: Finding) -> JSONValue {
        .object([
            "check": .string(finding.check), "level": .string(finding.level.rawValue),
            "device": finding.device.map { .string($0) } ?? .null, "text": .string(finding.text),
            "mend": finding.mend.map { .string($0) } ?? .null,
        ])
    }

    private static func word(_ level: Finding.Level, _ isColored: Bool) -> String {
        let (word, color) =
            switch level {
            case .ok: ("✓ ok         ", 32)
            case .warning: ("! warning    ", 33)
            case .problem: ("✗ problem    ", 31)
            case .unknown: ("? not checked", 36)
            }
        return isColored ? "\u{1B}[\(color)m\(word)\u{1B}[0m" : word
    }

    private static func summary(_ findings: [Finding]) -> String {
        func count(_ level: Finding.Level, _ one: String, _ several: String) -> String? {
            let number = findings.count { $0.level == level }
            return number == 0 ? nil : "\(number) \(number == 1 ? one : several)"
        }
        let counts = [
            count(.problem, "problem", "problems"), count(.warning, "warning", "warnings"),
            count(.unknown, "not checked", "not checked"),
        ].compactMap { $0 }
        return counts.isEmpty ? "all is well" : counts.joined(separator: ", ")
    }
}
