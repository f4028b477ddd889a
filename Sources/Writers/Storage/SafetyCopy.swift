/// A second session folder that is written at the same time, best on another disk. A failure of one folder does not
/// affect the other.
public struct SafetyCopy: Sendable, Equatable {
    /// Which files the safety copy holds.
    public enum Content: String, Sendable, CaseIterable {
        /// Every file of the recording.
        case all
        /// The program alone, with manifest and events.
        case program
    }

    /// Path of the folder in which its session folder is made, under the name of the recording's own.
    public var parentFolder: String
    /// Which files the safety copy holds.
    public var content: Content

    /// Describes a safety copy; each parameter sets the property of its name.
    public init(parentFolder: String, content: Content = .all) {
        self.parentFolder = parentFolder
        self.content = content
    }
}
