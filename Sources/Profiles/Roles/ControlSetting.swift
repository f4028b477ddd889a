public import Media

/// A camera control and the value that a profile sets it to.
public struct ControlSetting: Sendable, Equatable {
    /// The value of a control, as the profile writes it.
    public enum Value: Sendable, Equatable {
        case number(Int64)
        case flag(Bool)
        /// An item of a menu, by its words.
        case word(String)
    }

    /// The control's name in V4L2, in snake case: `focus_automatic_continuous`.
    public var name: String
    /// The value to set.
    public var value: Value
    /// Where the setting comes from: `asked` for the profile itself, `preset` for a saved set that it names.
    public var origin: ControlRequest.Origin

    /// Creates a setting of a control.
    public init(name: String, value: Value, origin: ControlRequest.Origin = .asked) {
        self.name = name
        self.value = value
        self.origin = origin
    }

    /// The number that the value means to a control.
    ///
    /// - Throws: `ControlFault` when the control has no such value.
    package func number(for control: DeviceControl) throws(ControlFault) -> Int64 {
        switch value {
        case .word(let word): return try control.value(of: word)
        case .number(let number):
            try control.check(number)
            return number
        case .flag(let isOn):
            let number: Int64 = isOn ? 1 : 0
            try control.check(number)
            return number
        }
    }

    /// The number of the value where the control is not known; `nil` for a word, which only the control can translate.
    package var plainNumber: Int64? {
        switch value {
        case .number(let number): number
        case .flag(let isOn): isOn ? 1 : 0
        case .word: nil
        }
    }
}
