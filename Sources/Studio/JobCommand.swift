internal import Media

/// A command of `multicam` that may take minutes, which a page may have run: on a recording, or `calibrate`. Whether the program knows
/// the command it says itself.
package enum JobCommand: String, Sendable, Codable, CaseIterable {
    case verify, recover, export, render, calibrate
    case syncCheck = "sync-check"

    /// Whether it may be ended before it is done. A recovery writes files that nothing else can make.
    var isCancellable: Bool { self != .recover }

    /// Whether it works on a recording.
    package var needsFolder: Bool { self != .calibrate }

    /// The options that a page may set, and the texts that each takes.
    private var options: [String: Allowed] {
        switch self {
        case .verify, .recover, .syncCheck: [:]
        case .export:
            [
                "to": .words(["fcpxml", "otio", "mlt", "edl", "podcast", "all"]),
                "cut": .words(["live", "voice", "none"]),
            ]
        case .render:
            [
                "layout": .words(["pip", "side-by-side", "grid", "single"]),
                "cut": .words(["live", "voice", "none"]), "size": .letters, "from": .letters, "to": .letters,
                "loudness": .letters, "proxies": .flag,
            ]
        case .calibrate: ["events": .letters, "duration": .letters, "reference": .text, "dry-run": .flag]
        }
    }

    /// What an option takes.
    private enum Allowed {
        case words(Set<String>)
        /// Digits, letters, points and signs: a number, a time or a size, which the program checks.
        case letters
        /// A role: anything, since it stands behind `=`.
        case text
        case flag

        func takes(_ value: String) -> Bool {
            switch self {
            case .words(let words): words.contains(value)
            case .flag: value == "true" || value == "false"
            case .text: (1...100).contains(value.utf8.count) && value.printable() == value
            case .letters:
                (1...40).contains(value.utf8.count)
                    && value.utf8.allSatisfy { byte in
                        (48...57).contains(byte) || (97...122).contains(byte) || [43, 45, 46].contains(byte)
                    }
            }
        }
    }

    /// The arguments of the program.
    ///
    /// - Parameters:
    ///   - folder: Path of the session folder, where the command needs one.
    ///   - values: The options as a page said them, each by its name; a flag is `true` or `false`.
    /// - Returns: `nil` when an option is unknown, or its value is none that it takes.
    func arguments(folder: String, _ values: [String: String]) -> [String]? {
        var arguments = [rawValue] + (needsFolder ? [folder] : ["--json"])
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let allowed = options[name], allowed.takes(value) else { return nil }
            if case .flag = allowed {
                if value == "true" { arguments.append("--\(name)") }
            } else {
                arguments.append("--\(name)=\(value)")
            }
        }
        if self == .export, values["to"] == nil { arguments.append("--to=all") }
        return arguments
    }

    /// How far a line of a program says that it is: a share of 0…1, by the last percentage in it; `nil` where it says none.
    static func progress(in line: String) -> Double? {
        guard let mark = line.lastIndex(of: "%") else { return nil }
        let before = line[..<mark].reversed().drop { $0 == " " || $0 == "\u{A0}" }
        let digits = String(before.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }.reversed())
        guard let percent = Double(digits), (0...100).contains(percent) else { return nil }
        return percent / 100
    }
}
