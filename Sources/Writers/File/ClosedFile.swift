package import Containers

/// A file of media that was finished and read again.
package struct ClosedFile: Sendable, Equatable {
    package let relativePath: String
    package let byteCount: Int64
    /// `nil` where it could not be told.
    package let checksum: FileChecksum?
    /// What is wrong with it, as a sentence; `nil` when nothing is.
    package let fault: String?
}
