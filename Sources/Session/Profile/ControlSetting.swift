/// A camera control and what a profile sets it to.
public struct ControlSetting: Sendable, Equatable {
    public enum Value: Sendable, Equatable {
        case number(Int64)
        case flag(Bool)
    }

    /// As V4L2 names it, in snake case: `focus_automatic_continuous`.
    public var name: String
    public var value: Value

    public init(name: String, value: Value) {
        self.name = name
        self.value = value
    }

    /// As the driver takes it: a truth is 1 or 0.
    public var number: Int64 {
        switch value {
        case .number(let number): number
        case .flag(let isOn): isOn ? 1 : 0
        }
    }
}
