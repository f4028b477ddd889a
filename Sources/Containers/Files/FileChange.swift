/// One change to a recording's file. Tests replay changes up to any byte, as a crash would leave the file.
package enum FileChange: Sendable, Equatable {
    /// Bytes were written at an offset in bytes.
    case write([UInt8], at: Int64)
    /// The file was truncated or extended to a size in bytes.
    case end(Int64)
    /// The changes before this one would survive a power cut.
    case durable
    /// The file's name would survive a power cut.
    case nameDurable
}
