package import Containers

/// A media file that was finished and then read back to verify it.
package struct ClosedFile: Sendable, Equatable {
    /// Path of the file relative to the session folder.
    package let relativePath: String
    /// Size of the finished file in bytes.
    package let byteCount: Int64
    /// Checksum of the finished file, or `nil` when none was computed.
    package let checksum: FileChecksum?
    /// A sentence that says what verification found wrong with the file, or `nil` when the file is as it was written.
    package let fault: String?
}
