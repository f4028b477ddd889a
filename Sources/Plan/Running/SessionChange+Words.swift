internal import Media
internal import Profiles

/// Changes in the words of people and programs: `swap`, `layout grid`, `gain host -6`. `init(words:)` reads what `words` says.
extension SessionChange: CustomStringConvertible {
    /// The words that describe the change, as `init(words:)` reads them.
    public var words: [String] {
        switch self {
        case .swap(let role): ["swap"] + [role].compactMap { $0 }
        case .show(let roles): ["show"] + roles
        case .layout(let layout): ["layout", layout.rawValue]
        case .corner(let corner): ["corner", corner.rawValue]
        case .insetShare(let share): ["scale", "\(share)"]
        case .inset(let role): ["inset", role]
        case .arrange(let several): ["arrange"] + several.words
        case .scene(let name): ["scene", name]
        case .undo: ["undo"]
        case .visible(let role, let isVisible): [isVisible ? "unhide" : "hide", role]
        case .rotation(let role, let rotation): ["rotate", role, "\(rotation.degrees)"]
        case .mirrored(let role, let isMirrored): ["mirror", role, isMirrored ? "on" : "off"]
        case .zoom(let role, let factor): ["zoom", role, "\(factor)"]
        case .pan(let role, let position): ["pan", role, "\(position)"]
        case .tilt(let role, let position): ["tilt", role, "\(position)"]
        case .gain(let role, let decibels): ["gain", role, "\(decibels)"]
        case .audible(let role, let isAudible): [isAudible ? "unmute" : "mute", role]
        case .enabled(let role, let isEnabled): [isEnabled ? "enable" : "disable", role]
        case .format(let role, let size, let rate):
            ["format", role, "\(size)" + (rate.map { "@\($0)" } ?? "")]
        case .recorded(let role, let isRecorded): [isRecorded ? "begin" : "end", role]
        case .removed(let role): ["remove", role]
        }
    }

    /// The words of the change, separated by spaces.
    public var description: String { words.joined(separator: " ") }

    /// Reads a size such as `1280x720`, or a size and a rate such as `1280x720@30`.
    private static func format(_ word: String) -> (size: FrameSize, rate: FrameRate?)? {
        let parts = word.split(separator: "@", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count),
            let size = SizePreset(rawValue: String(parts[0]))?.size ?? FrameSize(String(parts[0]))
        else { return nil }
        guard parts.count == 2 else { return (size, nil) }
        return FrameRate(String(parts[1])).map { (size, $0) }
    }

    /// How each change is written, and what it does.
    public static let vocabulary: [(usage: String, help: String)] = [
        ("swap [ROLE]", "the main camera and another exchange their places"),
        ("show ROLE…", "these cameras, the first as the main one"),
        ("inset ROLE", "this camera as the first inset; the one that was there makes room"),
        ("layout LAYOUT", "pip, side-by-side, grid or single"),
        ("corner CORNER", "top-left, top-right, bottom-left or bottom-right, for insets"),
        ("scale SHARE", "an inset's width as a share of the program's, 0.05 to 1"),
        (
            "arrange FIELD=VALUE…",
            "several at once: layout=pip main=desk inset=face,wide corner=top-left scale=0.3 margin=0.02 border=4"
        ),
        ("scene NAME", "what the profile or `keep-scene` calls so"),
        ("undo", "the program as it was before its last change; again: that change"),
        ("hide ROLE", "take a camera out of the program; its track goes on"),
        ("unhide ROLE", "show it again"),
        ("rotate ROLE DEGREES", "turn a camera clockwise in the program: 0, 90, 180 or 270"),
        ("mirror ROLE on|off", "mirror a camera in the program"),
        ("zoom ROLE FACTOR", "show a camera so many times larger in the program, 1 to 8"),
        ("pan ROLE POSITION", "what is seen of it then: -1 (left) to 1 (right)"),
        ("tilt ROLE POSITION", "what is seen of it up and down: -1 (down) to 1 (up)"),
        ("gain ROLE DECIBELS", "how loud a microphone is in the program, -60 to 30"),
        ("mute ROLE", "take a microphone out of the program's audio; its track goes on"),
        ("unmute ROLE", "let it be heard again"),
        (
            "disable ROLE",
            "switch a camera off, for which a slate stands in, or a microphone, which is silent"
        ),
        ("enable ROLE", "switch it on again"),
        ("format ROLE WIDTHxHEIGHT[@RATE]", "have a camera deliver another size, or rate"),
        ("end ROLE", "finish a camera's or microphone's own track now; the device goes on"),
        ("begin ROLE", "begin another track of it"),
        ("remove ROLE", "take a camera or microphone out: its track ends, and it delivers nothing"),
    ]

    /// Reads a change from its words; `nil` where the first word names no change.
    ///
    /// - Parameter words: A change's name and its arguments, as in `vocabulary`.
    /// - Throws: `SessionChangeError` when the words after the first are wrong.
    public init?(words: [String]) throws(SessionChangeError) {
        guard let name = words.first,
            let usage = Self.vocabulary.first(where: { $0.usage.split(separator: " ").first ?? "" == name })?
                .usage
        else { return nil }
        let rest = Array(words.dropFirst())
        func fail(_ expected: String) -> SessionChangeError {
            SessionChangeError(
                "`\(words.joined(separator: " ").printable())`: expected `\(usage)`\(expected.isEmpty ? "" : ", \(expected)")."
            )
        }
        func need(_ count: Int) throws(SessionChangeError) {
            guard rest.count == count else { throw fail("") }
        }
        switch name {
        case "swap":
            guard rest.count <= 1 else { throw fail("") }
            self = .swap(with: rest.first)
        case "show":
            guard !rest.isEmpty else { throw fail("") }
            self = .show(rest)
        case "layout":
            try need(1)
            guard let layout = ProgramSettings.Layout(rawValue: rest[0]) else {
                throw fail(
                    "with one of \(ProfileValue.list(ProgramSettings.Layout.allCases.map(\.rawValue), nearestTo: rest[0]))"
                )
            }
            self = .layout(layout)
        case "corner":
            try need(1)
            guard let corner = ProgramSettings.Corner(rawValue: rest[0]) else {
                throw fail(
                    "with one of \(ProfileValue.list(ProgramSettings.Corner.allCases.map(\.rawValue), nearestTo: rest[0]))"
                )
            }
            self = .corner(corner)
        case "scale":
            try need(1)
            guard let share = Double(rest[0]), share.isFinite else { throw fail("a number such as 0.25") }
            self = .insetShare(share)
        case "inset":
            try need(1)
            self = .inset(rest[0])
        case "arrange":
            guard let several = ArrangementChange(words: rest) else {
                throw fail("each field once, with a value of its kind")
            }
            self = .arrange(several)
        case "scene":
            // A name may be several words.
            guard !rest.isEmpty else { throw fail("") }
            self = .scene(rest.joined(separator: " "))
        case "undo":
            try need(0)
            self = .undo
        case "hide", "unhide":
            try need(1)
            self = .visible(role: rest[0], name == "unhide")
        case "rotate":
            try need(2)
            guard let degrees = Int(rest[1]), let rotation = Rotation(rawValue: degrees) else {
                throw fail("with 0, 90, 180 or 270")
            }
            self = .rotation(role: rest[0], rotation)
        case "mirror":
            try need(2)
            guard rest[1] == "on" || rest[1] == "off" else { throw fail("") }
            self = .mirrored(role: rest[0], rest[1] == "on")
        case "zoom", "pan", "tilt":
            try need(2)
            guard let number = Double(rest[1]), number.isFinite else {
                throw fail("a number such as \(name == "zoom" ? "1.5" : "0.5")")
            }
            self =
                switch name {
                case "zoom": .zoom(role: rest[0], number)
                case "pan": .pan(role: rest[0], number)
                default: .tilt(role: rest[0], number)
                }
        case "gain":
            try need(2)
            guard let decibels = Double(rest[1]), decibels.isFinite else {
                throw fail("a number such as -6")
            }
            self = .gain(role: rest[0], decibels: decibels)
        case "disable", "enable":
            try need(1)
            self = .enabled(role: rest[0], name == "enable")
        case "end", "begin":
            try need(1)
            self = .recorded(role: rest[0], name == "begin")
        case "remove":
            try need(1)
            self = .removed(role: rest[0])
        case "format":
            try need(2)
            guard let (size, rate) = Self.format(rest[1]) else { throw fail("for example 1280x720@30") }
            self = .format(role: rest[0], size, rate)
        default:
            try need(1)
            self = .audible(role: rest[0], name == "unmute")
        }
    }
}
