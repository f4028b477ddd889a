/// A failure to decode, convert, compose or encode.
public struct EncodingError: Error, Sendable, Equatable {
    /// What was being worked on: a track, a file, a format.
    public let subject: String
    public let operation: String
    public let reason: String

    public init(subject: String, operation: String, reason: String) {
        self.subject = subject
        self.operation = operation
        self.reason = reason
    }
}

extension EncodingError: CustomStringConvertible {
    public var description: String { "\(subject.printable()): \(operation) failed: \(reason.printable())." }
}
