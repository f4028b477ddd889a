/// A failure to decode, convert, compose or encode.
public struct EncodingError: Error, Sendable, Equatable {
    /// The track, file or format that was being worked on.
    public let subject: String
    /// The action that failed, to stand before “failed” in the message, for example `decoding`.
    public let operation: String
    /// Why it failed, as the end of a sentence without a full stop.
    public let reason: String

    /// Makes an error from the parts of its message.
    public init(subject: String, operation: String, reason: String) {
        self.subject = subject
        self.operation = operation
        self.reason = reason
    }
}

extension EncodingError: CustomStringConvertible {
    /// The whole message for a user: the subject, the operation and the reason.
    public var description: String { "\(subject.printable()): \(operation) failed: \(reason.printable())." }
}
