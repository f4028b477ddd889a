public import Media
public import Plan

/// A change of the connected devices, of the preferred camera or of the default microphone, reported in order of occurrence.
public enum ChoiceEvent: Sendable, Equatable {
    /// A device arrived, left or changed.
    case device(DeviceChange)
    /// Another camera is the best one to use now; `nil` when there is none.
    case camera(PreferredDevice?)
    /// `default` names another microphone now; `nil` when it names none.
    case microphone(PreferredDevice?)
}
