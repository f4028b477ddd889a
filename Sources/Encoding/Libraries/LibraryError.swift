internal import CMulticamMedia
import MulticamMedia

extension EncodingError {
    /// Creates an error with FFmpeg's message for an error code of one of its libraries.
    init(_ subject: String, _ operation: String, code: Int32) {
        self.init(subject: subject, operation: operation, reason: Self.text(code))
    }

    /// Returns FFmpeg's message for an error code.
    static func text(_ code: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        av_strerror(code, &text, text.count)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func outOfMemory(_ subject: String, _ operation: String) -> Self {
        Self(subject: subject, operation: operation, reason: "out of memory")
    }
}

/// Silences the FFmpeg libraries and x264, which otherwise write messages to standard error. This program
/// reports the errors of these libraries itself.
enum LibraryLog {
    /// Silences the libraries for the whole process, once.
    static let silenced: Void = av_log_set_level(AV_LOG_QUIET)
}
