internal import Media

/// A folder that cannot be measured: a sentence says why, and what to do.
public struct SyncCheckError: Error, Sendable, Equatable {
    public let folder: String
    public let reason: String

    public init(folder: String, reason: String) {
        self.folder = folder
        self.reason = reason
    }
}

extension SyncCheckError: CustomStringConvertible {
    public var description: String { "\(folder.printable(limit: 1000)): \(reason)" }
}
