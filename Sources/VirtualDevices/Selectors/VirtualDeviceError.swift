public import Media

/// Why a `virtual:` or `file:` selector does not lead to a device.
public enum VirtualDeviceError: Error, Sendable, Equatable {
    /// What was asked is wrong: a usage error. The sentence says what, and what is allowed.
    case usage(selector: String, explanation: String)
    /// The file is missing or does not hold what is needed.
    case device(DeviceError)
}

extension VirtualDeviceError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .usage(let selector, let explanation): "`\(selector.printable())`: \(explanation)"
        case .device(let error): error.description
        }
    }
}
