public import Media
public import Plan

/// What became of devices and, by that or by somebody's choice, of those that are preferred: in the order in which it happened.
public enum ChoiceEvent: Sendable, Equatable {
    case device(DeviceChange)
    /// The best camera to use is another one now; `nil` when there is none.
    case camera(PreferredDevice?)
    /// `default` means another microphone now; `nil` when it means none.
    case microphone(PreferredDevice?)
}
