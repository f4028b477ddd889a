/// One adjustable property of a camera, by its V4L2 name in snake case (`focus_automatic_continuous`).
public struct DeviceControl: Sendable, Hashable, Codable {
    public enum Kind: String, Sendable, Codable {
        case integer, boolean, menu, bitmask
        /// A menu whose items are numbers.
        case integerMenu = "integer-menu"
    }

    public let name: String
    public let kind: Kind
    public let value: Int64
    public let minimum: Int64
    public let maximum: Int64
    public let step: Int64
    public let defaultValue: Int64
    /// Choices of a menu control by their index.
    public let menu: [Int64: String]
    public let isReadOnly: Bool
    /// Whether it has no effect now, as another control governs it: a focus while the automatic focus is on.
    public let isInactive: Bool
    /// Whether the camera itself changes it, so that each reading may be another.
    public let isVolatile: Bool

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

    /// The same with another value.
    public func with(value: Int64, isInactive: Bool? = nil) -> Self {
        Self(
            name: name, kind: kind, value: value, minimum: minimum, maximum: maximum, step: step,
            defaultValue: defaultValue, menu: menu, isReadOnly: isReadOnly,
            isInactive: isInactive ?? self.isInactive, isVolatile: isVolatile)
    }
}

extension DeviceControl {
    /// The number that a person's word for a value means: a number, `on` or `off` of a switch, the words of a menu's item or
    /// their beginning, `default`.
    ///
    /// - Throws: When it means nothing, or what this control cannot have.
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

    /// - Throws: When it cannot have a value, whatever the camera does at the moment.
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

    /// The possible value nearest to a wish.
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

    /// `0 (Disabled)`, for each item of a menu.
    private var choices: [String] {
        menu.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
    }
}
