internal import Media

/// Why a folder cannot be measured.
public struct SyncCheckError: Error, Sendable, Equatable {
    /// Path of the session folder.
    public let folder: String
    /// A sentence that says what is wrong and what to do.
    public let reason: String
    /// Whether the process lacks the permission to read.
    public let isPermission: Bool

    /// Creates an error for a folder; `reason` is a sentence that follows its path.
    public init(folder: String, reason: String, isPermission: Bool = false) {
        self.folder = folder
        self.reason = reason
        self.isPermission = isPermission
    }
}

extension SyncCheckError: CustomStringConvertible {
    /// The folder and the reason, for people.
    public var description: String { "\(folder.printable(limit: 1000)): \(reason)" }
}
