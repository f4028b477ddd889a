internal import Media

/// A folder that cannot be measured: a sentence says why, and what to do.
public struct SyncCheckError: Error, Sendable, Equatable {
    public let folder: String
    public let reason: String
    /// Whether the system does not let us read there.
    public let isPermission: Bool

    public init(folder: String, reason: String, isPermission: Bool = false) {
        self.folder = folder
        self.reason = reason
        self.isPermission = isPermission
    }
}

extension SyncCheckError: CustomStringConvertible {
    public var description: String { "\(folder.printable(limit: 1000)): \(reason)" }
}
