/// What is done to a recording's file, in order: tests replay it up to any byte, as a crash would leave it.
package enum FileChange: Sendable, Equatable {
    case write([UInt8], at: Int64)
    case end(Int64)
    /// What was changed before would survive a power cut.
    case durable
    /// The file would be found after a power cut.
    case nameDurable
}
