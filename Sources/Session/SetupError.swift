public import MulticamMedia
public import MulticamPlan
public import MulticamProfiles

/// The reason why a session can't be set up. Except for `refused`, problems are detected before any device
/// streams.
public enum SetupError: Error, Sendable, Equatable {
    /// A selector, a role, or another argument is invalid, or the call doesn't suit the session. The text contains the
    /// reason.
    case usage(String)
    /// The profile can't be read, or doesn't match its devices.
    case profile(ProfileError)
    /// A device is missing, busy, or failing, or access to it is denied.
    case device(DeviceError)
    /// The plan exceeds its budget and can't be reduced enough, or reduction isn't allowed.
    case overBudget(PlanReduction)
    /// The running session rejects the device.
    case refused(SessionChangeError)
}

extension SetupError: CustomStringConvertible {
    /// The error as a sentence for the user.
    public var description: String {
        switch self {
        case .usage(let sentence): sentence
        case .profile(let error): error.description
        case .device(let error): error.description
        case .overBudget(let reduction): reduction.refusal
        case .refused(let error): error.description
        }
    }
}
