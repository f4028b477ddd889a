public import Media

/// Why a `virtual:` or `file:` selector does not lead to a device.
public enum VirtualDeviceError: Error, Sendable, Equatable {
    /// The selector is wrong: a usage error. The explanation says what is wrong and what is allowed.
    case usage(selector: String, explanation: String)
    /// The selector's file is missing or unusable.
    case device(DeviceError)
}

extension VirtualDeviceError: CustomStringConvertible {
    /// The error as a sentence for the user.
    public var description: String {
        switch self {
        case .usage(let selector, let explanation): "`\(selector.printable())`: \(explanation)"
        case .device(let error): error.description
        }
    }
}
