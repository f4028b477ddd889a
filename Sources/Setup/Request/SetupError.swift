public import Media
public import Plan
public import Profiles

/// Why a session cannot be set up, found before any device streams.
public enum SetupError: Error, Sendable, Equatable {
    /// A selector or a role is invalid; the sentence says why.
    case usage(String)
    /// The profile cannot be read, or contradicts its devices.
    case profile(ProfileError)
    /// A device is missing, busy, not permitted, or fails.
    case device(DeviceError)
    /// The plan exceeds its budget, and may not or cannot be reduced far enough.
    case overBudget(PlanReduction)
    /// The running session refuses the device.
    case refused(SessionChangeError)
}

extension SetupError {
    /// The error with what the program that holds a busy device is doing, when that program is a recorder of this user.
    ///
    /// - Parameter activity: Asks a process, by its identifier, what it is doing.
    /// - Returns: The error with the answer, or unchanged when there is none.
    func naming(_ activity: (_ process: Int32) -> String?) -> SetupError {
        guard case .device(let error) = self, case .busy(var holder?) = error.reason else { return self }
        holder.activity = activity(holder.process)
        return .device(
            DeviceError(device: error.device, operation: error.operation, reason: .busy(by: holder)))
    }
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
