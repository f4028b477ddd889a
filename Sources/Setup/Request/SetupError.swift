public import Media
public import Plan
public import Profiles

/// Why a session cannot be set up: before any device streams.
public enum SetupError: Error, Sendable, Equatable {
    /// A selector or a role that makes no sense.
    case usage(String)
    case profile(ProfileError)
    case device(DeviceError)
    /// The plan needs more than its budget allows, and may not or cannot be reduced far enough.
    case overBudget(PlanReduction)
}

extension SetupError {
    /// The same, with what a program that has the device does, where that is a recorder of this user's.
    ///
    /// - Parameter activity: Asks the process.
    /// - Returns: With what it answered, where it did.
    func naming(_ activity: (_ process: Int32) -> String?) -> SetupError {
        guard case .device(let error) = self, case .busy(var holder?) = error.reason else { return self }
        holder.activity = activity(holder.process)
        return .device(
            DeviceError(device: error.device, operation: error.operation, reason: .busy(by: holder)))
    }
}

extension SetupError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .usage(let sentence): sentence
        case .profile(let error): error.description
        case .device(let error): error.description
        case .overBudget(let reduction): reduction.refusal
        }
    }
}
