/// A second folder that a recording is written into at the same time, best on another disk. What happens to the one is
/// nothing to the other.
public struct SafetyCopy: Sendable, Equatable {
    public enum Content: String, Sendable, CaseIterable {
        /// Every file of the recording.
        case all
        /// The program alone, with manifest and events.
        case program
    }

    /// Where its session folder is made, of the same name as the recording's own.
    public var parentFolder: String
    public var content: Content

    public init(parentFolder: String, content: Content = .all) {
        self.parentFolder = parentFolder
        self.content = content
    }
}
