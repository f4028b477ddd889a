/// One adjustable property of a camera, by its V4L2 name in snake case (`focus_automatic_continuous`).
public struct DeviceControl: Sendable, Hashable, Codable {
    /// The kind of values that a control has.
    public enum Kind: String, Sendable, Codable {
        case integer, boolean, menu, bitmask
        /// A menu whose items are numbers; the value is the index of one.
        case integerMenu = "integer-menu"
    }

    /// The V4L2 name in snake case.
    public let name: String
    /// The kind of values that the control has.
    public let kind: Kind
    /// The present value, in the control's own units.
    public let value: Int64
    /// The lowest value.
    public let minimum: Int64
    /// The highest value; of a bitmask, all of its bits.
    public let maximum: Int64
    /// The distance between two possible values, counted from `minimum`.
    public let step: Int64
    /// The value that the driver calls the default.
    public let defaultValue: Int64
    /// The items of a menu by their values; empty for other kinds.
    public let menu: [Int64: String]
    /// Whether the control can only be read.
    public let isReadOnly: Bool
    /// Whether it has no effect now, because another control governs it: a focus while the automatic focus is on.
    public let isInactive: Bool
    /// Whether the camera itself changes the value, so that each reading may be another.
    public let isVolatile: Bool

    /// Makes a control from what its driver says.
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

    /// The control with another present value and, where given, another `isInactive`.
    public func with(value: Int64, isInactive: Bool? = nil) -> Self {
        Self(
            name: name, kind: kind, value: value, minimum: minimum, maximum: maximum, step: step,
            defaultValue: defaultValue, menu: menu, isReadOnly: isReadOnly,
            isInactive: isInactive ?? self.isInactive, isVolatile: isVolatile)
    }
}

extension DeviceControl {
    /// The number that a person's word stands for: a number, `on` or `off` for a switch, the name of a menu item or its
    /// beginning, `default`.
    ///
    /// - Throws: `ControlFault` when the word stands for nothing, or for a value that this control cannot have.
    public func value(of word: String) throws(ControlFault) -> Int64 {
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
            default: throw .noNumber(word, expected: "on or off")
            }
        case .menu, .integerMenu:
            let wanted = word.lowercased()
            if let item = menu.first(where: { $0.value.lowercased() == wanted }) { return item.key }
            // `manual` is enough for “Manual Mode”, where nothing else begins so.
            let beginning = menu.filter { $0.value.lowercased().hasPrefix(wanted) }
            if beginning.count == 1, let item = beginning.first { return item.key }
            throw .noChoice(word, choices: choices)
        case .integer, .bitmask: throw .noNumber(word, expected: "a whole number")
        }
    }

    /// Checks that the control can have a value, apart from what the camera does at the moment.
    ///
    /// - Throws: `ControlFault` when it can only be read, or the value is no item, no sum of its bits, out of range or
    ///   between steps.
    public func check(_ value: Int64) throws(ControlFault) {
        if isReadOnly { throw .readOnly }
        if !menu.isEmpty {
            guard menu[value] == nil else { return }
            throw .noChoice(String(value), choices: choices)
        }
        if kind == .bitmask {
            guard value >= 0, value & ~maximum == 0 else { throw .noBits(value, of: maximum) }
            return
        }
        let (distance, overflows) = value.subtractingReportingOverflow(minimum)
        guard !overflows, value >= minimum, value <= maximum, distance % max(step, 1) == 0 else {
            throw .outOfRange(value, minimum, maximum, step: max(step, 1))
        }
    }

    /// The possible value nearest to a wanted one.
    public func nearest(to wish: Int64) -> Int64 {
        if !menu.isEmpty {
            return menu.keys.min { (distance(wish, $0), $0) < (distance(wish, $1), $1) } ?? defaultValue
        }
        let inside = min(max(wish, minimum), max(minimum, maximum))
        let step = max(step, 1)
        let (offset, overflows) = inside.subtractingReportingOverflow(minimum)
        guard !overflows else { return inside }
        let below = minimum + offset / step * step
        return inside - below > step / 2 && below <= maximum - step ? below + step : below
    }

    private func distance(_ one: Int64, _ other: Int64) -> UInt64 {
        one > other ? UInt64(bitPattern: one &- other) : UInt64(bitPattern: other &- one)
    }

    /// The items of a menu as a person reads them: `0 (Disabled)`.
    private var choices: [String] {
        menu.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
    }
}
