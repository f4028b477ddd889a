import Arguments
import Control
import Media
import SessionFolder
import Setup

/// `multicam controls`: shows and sets the controls of a camera, and stores their values under names.
struct ControlsCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "controls",
        summary: "Show and set the controls of a camera: exposure, focus, white balance, zoom…",
        notes: [
            "CAMERA is a part of a name, /dev/video0, usb:PATH, serial:SERIAL or position:front, as for `record`; also while "
                + "another program uses it. VALUE is a number, on or off, an item of a menu (`50 Hz`), or default.",
            "What is automatic is switched before what it governs, in whatever order both are given. Nothing is set where "
                + "one of the values is not possible. A camera forgets all of it when it is unplugged: what a profile's "
                + "`controls:` or `preset:` say is set again.",
            "--reset, --load and NAME=VALUE are carried out in this order, --save at the end.",
            "Exit status 1: the camera refused something, or made another value of it.",
        ],
        positionals: [
            PositionalSpec("CAMERA", help: "A part of the camera's name, or a node such as /dev/video0."),
            PositionalSpec("NAME=VALUE", isOptional: true, isRepeatable: true, help: "What to set."),
        ],
        options: [
            OptionSpec("json", help: "Print JSON."),
            OptionSpec("reset", help: "Set everything to the camera's defaults first."),
            OptionSpec("load", "NAME", help: "Set what was kept of this camera under a name."),
            OptionSpec("save", "NAME", help: "Keep everything as it is then, for this camera, under a name."),
            OptionSpec("forget", "NAME", help: "Forget what was kept under a name."),
        ])

    private let camera: String
    private let words: [(name: String, value: String)]
    private let resets: Bool
    private let load: String?
    private let save: String?
    private let forget: String?
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        camera = arguments.positionals[0]
        words = try Self.words(arguments)
        resets = arguments.flag("reset")
        load = try Self.name("load", arguments)
        save = try Self.name("save", arguments)
        forget = try Self.name("forget", arguments)
        wantsJSON = arguments.flag("json")
    }

    private static func words(_ arguments: ParsedArguments) throws(UsageError) -> [(
        name: String, value: String
    )] {
        var words: [(name: String, value: String)] = []
        for word in arguments.positionals.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw arguments.spec.error(
                    "`\(word.printable())`: expected NAME=VALUE, for example brightness=128.")
            }
            guard !words.contains(where: { $0.name == parts[0] }) else {
                throw arguments.spec.error("`\(parts[0].description.printable())` is set twice; set it once.")
            }
            words.append((String(parts[0]), String(parts[1])))
        }
        return words
    }

    /// The preset's name that an option gives; `nil` when it is not given. It appears in messages, profiles and a state file.
    private static func name(_ option: String, _ arguments: ParsedArguments) throws(UsageError) -> String? {
        guard let name = arguments.optional(option) else { return nil }
        guard (1...64).contains(name.utf8.count), name.printable() == name else {
            throw arguments.spec.error(
                "`--\(option) \(name.printable())`: expected a name of at most 64 bytes that can be shown.")
        }
        return name
    }

    func run() async throws -> ExitStatus {
        let controls = try CameraControls(of: camera)
        // Presets are looked up before anything is set.
        let loaded = try load.map { try controls.requests(ofPreset: $0) } ?? []
        let isChecked = !resets && loaded.isEmpty
        var requests = isChecked ? try controls.requests(for: words) : []
        var outcomes: [ControlOutcome] = []
        if resets { outcomes += try controls.reset() }
        outcomes += try controls.set(loaded)
        // A reset or a preset may switch automatic modes, which decides which controls can be set.
        if !isChecked { requests = try controls.requests(for: words) }
        outcomes += try controls.set(requests)
        var warning: String?
        if let save { warning = try controls.save(as: save) }
        if let forget { warning = try controls.forget(forget) }
        let (presets, unreadable) = controls.presets()
        for sentence in [warning, unreadable].compactMap({ $0 }) { Output.message(sentence) }
        try show(controls, outcomes, presets)
        return outcomes.allSatisfy(\.isAsAsked) ? .done : .failed
    }

    private func show(
        _ controls: CameraControls, _ outcomes: [ControlOutcome], _ presets: [String]
    ) throws {
        let all = try controls.all()
        for remark in outcomes.compactMap(\.remark) {
            Output.message("\(controls.device.node.printable()): \(remark.printable(limit: 1000))")
        }
        if wantsJSON {
            Output.data(
                JSONText.line(ControlsReport(controls.device, all, outcomes, presets: presets)))
        } else {
            let names = Set(words.map(\.name))
            // After setting controls only those are shown, else all.
            let shown = names.isEmpty ? all : all.filter { names.contains($0.name) }
            for line in ControlsText.lines(shown, of: all) { Output.data(line) }
            if all.isEmpty { Output.message("\(controls.device.node.printable()) has no controls.") }
            if names.isEmpty, !presets.isEmpty {
                Output.message(
                    "kept of this camera: \(presets.map { $0.printable() }.joined(separator: ", ")).")
            }
        }
    }
}
