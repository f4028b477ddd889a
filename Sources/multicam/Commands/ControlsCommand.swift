import MulticamArguments
import MulticamControl
import MulticamMedia
import MulticamSessionFolder
import MulticamSetup

/// `multicam controls`: shows and sets the controls of a camera, and stores their values as presets.
struct ControlsCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "controls",
        summary: "Show and set camera controls such as exposure, focus, white balance, and zoom.",
        notes: [
            "CAMERA is part of a camera name, /dev/video0, usb:PATH, serial:SERIAL, or position:front, as for `record`. "
                + "Controls can also be set while another program uses the camera. "
                + "VALUE is a number, `on`, `off`, a menu item such as `50 Hz`, or `default`.",
            "Automatic modes are set before the controls that depend on them, regardless of their order on the command line. "
                + "If any value is invalid, nothing is set. "
                + "Cameras lose their settings when they are unplugged; recordings then reapply the profile's `controls:` or `preset:`.",
            "--reset, --load, and NAME=VALUE are applied in this order. --save is applied last.",
            "Exit status 1: the camera rejected or changed a value.",
        ],
        positionals: [
            PositionalSpec(
                "CAMERA", help: "Part of the camera's name, or a device node such as /dev/video0."),
            PositionalSpec(
                "NAME=VALUE", isOptional: true, isRepeatable: true, help: "Control to set and its value."),
        ],
        options: [
            OptionSpec("json", help: "Print JSON."),
            OptionSpec("reset", help: "First reset all controls to the camera's defaults."),
            OptionSpec("load", "NAME", help: "Load a saved preset of this camera."),
            OptionSpec("save", "NAME", help: "Save the resulting values as a preset for this camera."),
            OptionSpec("delete", "NAME", help: "Delete a preset."),
        ])

    private let camera: String
    private let words: [(name: String, value: String)]
    private let resets: Bool
    private let load: String?
    private let save: String?
    private let delete: String?
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        camera = arguments.positionals[0]
        words = try Self.words(arguments)
        resets = arguments.flag("reset")
        load = try Self.name("load", arguments)
        save = try Self.name("save", arguments)
        delete = try Self.name("delete", arguments)
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
                throw arguments.spec.error(
                    "`\(parts[0].description.printable())` was specified more than once. Specify it only once."
                )
            }
            words.append((String(parts[0]), String(parts[1])))
        }
        return words
    }

    /// Returns the preset name that an option specifies; `nil` if the option isn't present. The name must be
    /// valid, because it appears in messages, profiles, and a state file.
    private static func name(_ option: String, _ arguments: ParsedArguments) throws(UsageError) -> String? {
        guard let name = arguments.optional(option) else { return nil }
        guard (1...64).contains(name.utf8.count), name.printable() == name else {
            throw arguments.spec.error(
                "`--\(option) \(name.printable())`: expected a name of at most 64 bytes without control characters."
            )
        }
        return name
    }

    func run() async throws -> ExitStatus {
        let controls = try CameraControls(of: camera)
        // Presets are loaded before any control is set, so that an unknown preset doesn't change the camera.
        let loaded = try load.map { try controls.requests(ofPreset: $0) } ?? []
        let isChecked = !resets && loaded.isEmpty
        var requests = isChecked ? try controls.requests(for: words) : []
        var outcomes: [ControlOutcome] = []
        if resets { outcomes += try controls.reset() }
        outcomes += try controls.set(loaded)
        // A reset or a preset can turn automatic modes on or off, which changes the set of controls that can
        // be set. Other values are therefore checked afterward.
        if !isChecked { requests = try controls.requests(for: words) }
        outcomes += try controls.set(requests)
        var warning: String?
        if let save { warning = try controls.save(as: save) }
        if let delete { warning = try controls.delete(delete) }
        let (presets, unreadable) = controls.presets()
        for sentence in [warning, unreadable].compactMap({ $0 }) { Output.message(sentence) }
        try show(controls, outcomes, presets)
        return outcomes.allSatisfy(\.matchesRequest) ? .done : .failed
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
            // If controls were set, only these controls are shown. Otherwise, all controls are shown.
            let shown = names.isEmpty ? all : all.filter { names.contains($0.name) }
            for line in ControlsText.lines(shown, of: all) { Output.data(line) }
            if all.isEmpty { Output.message("\(controls.device.node.printable()) has no controls.") }
            if names.isEmpty, !presets.isEmpty {
                Output.message(
                    "Presets of this camera: \(presets.map { $0.printable() }.joined(separator: ", ")).")
            }
        }
    }
}

/// Formats controls as text and as JSON. Control characters are removed from strings that devices report.
enum ControlsText {
    /// Formats controls as lines with aligned columns.
    ///
    /// - Parameters:
    ///   - controls: The controls to show.
    ///   - all: All controls of the camera, including automatic modes that affect the shown controls.
    /// - Returns: One line for each control in `controls`.
    static func lines(_ controls: [DeviceControl], of all: [DeviceControl]) -> [String] {
        let names = controls.map { $0.name.printable() }
        let values = controls.map(value)
        let nameWidth = names.map(\.count).max() ?? 0
        let valueWidth = values.map(\.count).max() ?? 0
        return controls.indices.map { index in
            [
                padded(names[index], nameWidth), padded(values[index], valueWidth),
                facts(of: controls[index], among: all),
            ].joined(separator: "  ")
        }
    }

    /// Formats the value of a control, with the name of a menu item: `3 (Aperture Priority Mode)`.
    private static func value(_ control: DeviceControl) -> String {
        if control.kind == .boolean { return control.value == 0 ? "off" : "on" }
        guard let item = control.menu[control.value] else { return String(control.value) }
        return "\(control.value) (\(item.printable()))"
    }

    private static func facts(of control: DeviceControl, among all: [DeviceControl]) -> String {
        var facts: [String] = []
        if control.kind == .boolean {
            facts.append("on or off, default \(control.defaultValue == 0 ? "off" : "on")")
        } else if control.menu.isEmpty {
            let steps = control.step > 1 ? " in steps of \(control.step)" : ""
            facts.append("\(control.minimum)…\(control.maximum)\(steps), default \(control.defaultValue)")
        } else {
            let items = control.menu.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.printable())" }
            facts.append("\(items.joined(separator: ", ")); default \(control.defaultValue)")
        }
        if control.isReadOnly { facts.append("read-only") }
        if case .governed(let governor?, _) = all.governingFault(for: control.name, alongside: []) {
            facts.append("controlled by \(governor)")
        } else if control.isInactive {
            facts.append("currently inactive")
        }
        if control.isVolatile { facts.append("changed by the camera") }
        return facts.joined(separator: "; ")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    static func json(_ control: DeviceControl) -> JSONValue {
        .object([
            "name": .string(control.name.printable()), "kind": .string(control.kind.rawValue),
            "value": .integer(control.value),
            "minimum": .integer(control.minimum), "maximum": .integer(control.maximum),
            "step": .integer(control.step), "default": .integer(control.defaultValue),
            "read_only": .boolean(control.isReadOnly), "inactive": .boolean(control.isInactive),
            "volatile": .boolean(control.isVolatile),
            "menu": .object(
                Dictionary(
                    uniqueKeysWithValues: control.menu.map { ("\($0.key)", .string($0.value.printable())) })),
        ])
    }
}
