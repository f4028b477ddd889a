/// An adjustable property of a camera, identified by its V4L2 name in snake case
/// (`focus_automatic_continuous`).
public struct DeviceControl: Sendable, Hashable, Codable {
    /// Value type of a control.
    public enum Kind: String, Sendable, Codable {
        case integer, boolean, menu, bitmask
        /// Menu with numeric items; the value is the index of an item.
        case integerMenu = "integer-menu"
    }

    /// The V4L2 name in snake case.
    public let name: String
    /// Value type of the control.
    public let kind: Kind
    /// Current value in the control's own units.
    public let value: Int64
    /// The lowest value that the control accepts.
    public let minimum: Int64
    /// The highest value that the control accepts; for a bitmask, all of its bits.
    public let maximum: Int64
    /// Step between valid values, counted from `minimum`.
    public let step: Int64
    /// Default value reported by the driver.
    public let defaultValue: Int64
    /// Menu items by value; empty for controls that aren't menus.
    public let menu: [Int64: String]
    /// Whether the control is read-only.
    public let isReadOnly: Bool
    /// Whether the control is currently ineffective because another control governs it, for example focus
    /// during autofocus.
    public let isInactive: Bool
    /// Whether the camera itself changes the value, so that successive readings can differ.
    public let isVolatile: Bool

    /// Creates a control from the values that its driver reports.
    public init(
        name: String, kind: Kind = .integer, value: Int64, minimum: Int64, maximum: Int64, step: Int64 = 1,
        defaultValue: Int64, menu: [Int64: String] = [:], isReadOnly: Bool = false, isInactive: Bool = false,
        isVolatile: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.value = value
        self.minimum = minimum
        self.maximum = maximum
        self.step = step
        self.defaultValue = defaultValue
        self.menu = menu
        self.isReadOnly = isReadOnly
        self.isInactive = isInactive
        self.isVolatile = isVolatile
    }

    /// Returns a copy of the control with a new current value and, if given, a new `isInactive`.
    package func with(value: Int64, isInactive: Bool? = nil) -> Self {
        Self(
            name: name, kind: kind, value: value, minimum: minimum, maximum: maximum, step: step,
            defaultValue: defaultValue, menu: menu, isReadOnly: isReadOnly,
            isInactive: isInactive ?? self.isInactive, isVolatile: isVolatile)
    }
}

extension DeviceControl {
    /// Converts user input to a control value. The input can be a number, `on` or `off` for a switch, the
    /// name of a menu item or the beginning of the name, or `default`.
    ///
    /// - Throws: `ControlFault` if the input is meaningless for this control, or stands for a value that the
    ///   control can't have.
    package func value(of word: String) throws(ControlFault) -> Int64 {
        if word.lowercased() == "default" { return defaultValue }
        if let number = Int64(word) {
            try check(number)
            return number
        }
        switch kind {
        case .boolean:
            switch word.lowercased() {
            case "on", "true", "yes": return 1
            case "off", "false", "no": return 0
            default: throw .invalidNumber(word, expected: "on or off")
            }
        case .menu, .integerMenu:
            let wanted = word.lowercased()
            if let item = menu.first(where: { $0.value.lowercased() == wanted }) { return item.key }
            // The input `manual` matches the item "Manual Mode" if no other item begins with that word.
            let beginning = menu.filter { $0.value.lowercased().hasPrefix(wanted) }
            if beginning.count == 1, let item = beginning.first { return item.key }
            throw .invalidChoice(word, choices: choices)
        case .integer, .bitmask: throw .invalidNumber(word, expected: "a whole number")
        }
    }

    /// Checks whether a value is valid for the control, regardless of the camera's current state.
    ///
    /// - Throws: `ControlFault` if the control is read-only, or if the value isn't a menu item, has unknown
    ///   bits, is out of range, or is between steps.
    package func check(_ value: Int64) throws(ControlFault) {
        if isReadOnly { throw .readOnly }
        if !menu.isEmpty {
            guard menu[value] == nil else { return }
            throw .invalidChoice(String(value), choices: choices)
        }
        if kind == .bitmask {
            guard value >= 0, value & ~maximum == 0 else { throw .invalidBits(value, of: maximum) }
            return
        }
        let (distance, overflows) = value.subtractingReportingOverflow(minimum)
        guard !overflows, value >= minimum, value <= maximum, distance % max(step, 1) == 0 else {
            throw .outOfRange(value, minimum, maximum, step: max(step, 1))
        }
    }

    /// Returns the valid control value that is nearest to the requested value.
    package func nearest(to requested: Int64) -> Int64 {
        if !menu.isEmpty {
            return menu.keys.min { (distance(requested, $0), $0) < (distance(requested, $1), $1) }
                ?? defaultValue
        }
        let inside = min(max(requested, minimum), max(minimum, maximum))
        let step = max(step, 1)
        let (offset, overflows) = inside.subtractingReportingOverflow(minimum)
        guard !overflows else { return inside }
        let below = minimum + offset / step * step
        return inside - below > step / 2 && below <= maximum - step ? below + step : below
    }

    private func distance(_ one: Int64, _ other: Int64) -> UInt64 {
        one > other ? UInt64(bitPattern: one &- other) : UInt64(bitPattern: other &- one)
    }

    /// Menu items in readable form: `0 (Disabled)`.
    private var choices: [String] {
        menu.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
    }
}

/// A camera control and the value to set.
public struct ControlRequest: Sendable, Hashable, Codable {
    /// Origin of the request.
    package enum Origin: String, Sendable, Hashable, Codable {
        /// The user requested the value in a profile, on the command line, or through the library.
        case asked
        /// The request comes from a saved preset that a profile references.
        case preset
        /// The request keeps the camera from lowering its frame rate in low light.
        case rateLock = "rate-lock"
        /// The value was measured by another camera, or is the focus distance at which the camera's autofocus
        /// settled.
        case match
        /// Automatic framing turns the camera.
        case framing
    }

    /// The control's V4L2 name in snake case (`focus_absolute`).
    public let name: String
    /// The value to set, in the control's own units.
    public let value: Int64
    /// Origin of the request.
    package let origin: Origin

    /// Creates a request; the default origin is the user.
    package init(name: String, value: Int64, origin: Origin = .asked) {
        self.name = name
        self.value = value
        self.origin = origin
    }

    /// Whether the camera may still be used if it rejects the value, because the user didn't explicitly
    /// request the value.
    package var isOptional: Bool { origin != .asked }
}

/// Result of setting a control: the value that was read back, or the reason for the failure.
public struct ControlOutcome: Sendable, Equatable {
    /// The control request that led to this result.
    public let request: ControlRequest
    /// The control's value after the request; `nil` if the value couldn't be read.
    public let value: Int64?
    /// Reason why the camera rejected the value; `nil` if the camera accepted the value.
    package let fault: ControlFault?

    /// Creates the result of a source that the application provides.
    ///
    /// - Parameters:
    ///   - request: The control request.
    ///   - value: The value that was read back; `nil` if the source doesn't have this control.
    public init(request: ControlRequest, value: Int64?) {
        self.init(
            request: request, value: value,
            fault: value == nil ? .unknownControl(request.name, names: []) : nil)
    }

    /// Creates a result from the value that was read back and the fault, if any.
    package init(request: ControlRequest, value: Int64?, fault: ControlFault?) {
        self.request = request
        self.value = value
        self.fault = fault
    }

    /// Whether the camera's control has exactly the requested value.
    public var matchesRequest: Bool { fault == nil && value == request.value }

    /// Sentence for the user about any difference from the request, without the camera's name; `nil` if the
    /// request was fulfilled exactly.
    public var remark: String? {
        if let fault { return "\(request.name) was not set to \(request.value): \(fault)" }
        guard let value else {
            return "\(request.name) was set to \(request.value), but the value could not be read back."
        }
        guard value != request.value else { return nil }
        return "\(request.name) was set to \(request.value), but the camera changed it to \(value)."
    }
}

/// Reason why a control can't be set.
package enum ControlFault: Error, Sendable, Equatable {
    /// The camera doesn't have a control with this name; `names` lists all of its controls.
    case unknownControl(String, names: [String])
    /// The value is out of range or between steps. The first three numbers are the value, the minimum, and
    /// the maximum.
    case outOfRange(Int64, Int64, Int64, step: Int64)
    /// The value has bits that aren't in the control's mask; `of` is the complete mask.
    case invalidBits(Int64, of: Int64)
    /// The input isn't an item of the menu; `choices` lists the items in readable form.
    case invalidChoice(String, choices: [String])
    /// The input isn't a valid value of this control; `expected` describes valid values.
    case invalidNumber(String, expected: String)
    /// The control is read-only.
    case readOnly
    /// An automatic control governs this control. `by` is the automatic control's name, and `manual` is the
    /// value that disables it, if known.
    case governed(by: String?, manual: Int64?)
    /// The camera returned an error although it reports the value as valid.
    case refused(Int64)
    /// No preset with this name is saved for the camera; the array lists the saved presets.
    case unknownPreset([String])

    /// Whether the request itself is invalid, so that retrying it later would also fail.
    package var isUsageError: Bool {
        switch self {
        case .unknownControl, .outOfRange, .invalidBits, .invalidChoice, .invalidNumber, .readOnly, .governed,
            .unknownPreset:
            true
        case .refused: false
        }
    }
}

extension ControlFault: CustomStringConvertible {
    /// Explanation in one or two sentences, shown after "setting … failed:" in the message.
    package var description: String {
        switch self {
        case .unknownControl(let name, let names):
            let near = Self.similarNames(to: name, among: names)
            if names.isEmpty { return "this camera has no controls." }
            if near.count == names.count {
                return
                    "this camera does not have this control. Available controls: \(names.joined(separator: ", "))."
            }
            return
                "this camera does not have this control. Similar controls: \(near.joined(separator: ", "))."
        case .outOfRange(let value, let minimum, let maximum, let step):
            let steps = step > 1 ? " in steps of \(step)" : ""
            return "\(value) is out of range. Choose \(minimum) to \(maximum)\(steps)."
        case .invalidBits(let value, let all):
            return "\(value) is not a valid value. Choose a combination of the bits in \(all)."
        case .invalidChoice(let word, let choices):
            return "\(word.printable()) is not a valid choice. Choose \(choices.joined(separator: ", "))."
        case .invalidNumber(let word, let expected):
            return "\(word.printable()) is not a valid value. Choose \(expected)."
        case .readOnly: return "this control is read-only."
        case .governed(let governor?, let manual?):
            return "this control is set automatically by \(governor). Also set \(governor)=\(manual)."
        case .governed(let governor?, nil):
            return "this control is set automatically by \(governor). Also turn off \(governor)."
        case .governed(nil, _):
            return
                "this control can't be set now. Turn off the automatic control that manages it, or stop the recording."
        case .unknownPreset(let names):
            let list = names.map { $0.printable() }.joined(separator: ", ")
            return "this camera does not have a preset with this name. "
                + (names.isEmpty
                    ? onCommandLine(
                        "Save one with `multicam controls CAMERA --save NAME`.",
                        otherwise: "No preset is saved for it.") : "Available: \(list).")
        case .refused(let value): return "the camera rejected \(value). Try another value."
        }
    }

    /// Returns up to five names that the user may have meant: the name with the closest spelling, then those
    /// that share the beginning of a word. Returns all names if none is similar.
    package static func similarNames(to name: String, among names: [String]) -> [String] {
        func stems(_ name: String) -> Set<String> {
            Set(name.lowercased().split(separator: "_").filter { $0.count > 2 }.map { String($0.prefix(4)) })
        }
        let wanted = stems(name)
        let alike = [name.nearest(among: names)].compactMap { $0 }
        let related = names.filter { !alike.contains($0) && !stems($0).isDisjoint(with: wanted) }
        let near = (alike + related).prefix(5)
        return near.isEmpty ? names : Array(near)
    }
}
