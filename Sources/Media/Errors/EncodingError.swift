internal import Glibc

/// Failure to decode, convert, compose, or encode audio or video.
public struct EncodingError: Error, Sendable, Equatable {
    /// The track, file, or format that was being processed.
    package let subject: String
    /// The action that failed, as a gerund phrase or the name of a library function, for example `decoding`.
    /// The action appears before "failed" in the error message.
    package let operation: String
    /// Reason for the failure, as the end of a sentence without a period.
    package let reason: String

    /// Creates an error from the parts of its message.
    package init(subject: String, operation: String, reason: String) {
        self.subject = subject
        self.operation = operation
        self.reason = reason
    }

    /// Creates an error for an encoder or decoder after the system refused to create its thread.
    package init(subject: String, _ error: ThreadError) {
        self.init(
            subject: subject, operation: "starting a thread", reason: error.limit.explanation.trimmingFullStop
        )
    }

    /// Creates an error for a media file that can't be opened.
    package init(file error: FileError) {
        let reason = error.errno == 0 ? error.detail : String(cString: strerror(error.errno))
        self.init(subject: error.path, operation: "opening", reason: reason.trimmingFullStop)
    }
}

extension EncodingError: CustomStringConvertible {
    /// The complete message for the user: the subject, the operation, and the reason.
    public var description: String { "\(subject.printable()): \(operation) failed: \(reason.printable())." }
}
