public import Media

/// A camera control and what a profile sets it to.
public struct ControlSetting: Sendable, Equatable {
    public enum Value: Sendable, Equatable {
        case number(Int64)
        case flag(Bool)
        /// An item of a menu, by its words.
        case word(String)
    }

    /// As V4L2 names it, in snake case: `focus_automatic_continuous`.
    public var name: String
    public var value: Value
    /// Who wants it: `asked`, or `preset` where a saved one was named.
    public var origin: ControlRequest.Origin

    public init(name: String, value: Value, origin: ControlRequest.Origin = .asked) {
        self.name = name
        self.value = value
        self.origin = origin
    }

    /// The number that the value means to a control.
    ///
    /// - Throws: When the control has no such value.
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

    /// The number where the control's own words are not known.
    package var plainNumber: Int64? {
        switch value {
        case .number(let number): number
        case .flag(let isOn): isOn ? 1 : 0
        case .word: nil
        }
    }
}
