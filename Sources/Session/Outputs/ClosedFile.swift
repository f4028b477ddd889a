internal import Containers

/// A file of media that was finished and read again.
struct ClosedFile: Sendable, Equatable {
    let relativePath: String
    let byteCount: Int64
    /// `nil` where it could not be told.
    let checksum: FileChecksum?
    /// What is wrong with it, as a sentence; `nil` when nothing is.
    let fault: String?
}
