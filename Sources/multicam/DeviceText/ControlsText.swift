import Media
import SessionFolder

/// Controls for people and as JSON. Texts of devices are printed without control characters.
enum ControlsText {
    /// A line for each control, in columns.
    ///
    /// - Parameters:
    ///   - controls: The controls to show.
    ///   - all: All controls of the camera, which may govern the shown ones.
    /// - Returns: One line for each shown control.
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

    /// The value in words: `3 (Aperture Priority Mode)`.
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
        if control.isReadOnly { facts.append("can only be read") }
        if case .governed(let governor?, _) = all.governing(control.name, beside: []) {
            facts.append("governed by \(governor)")
        } else if control.isInactive {
            facts.append("of no effect now")
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
