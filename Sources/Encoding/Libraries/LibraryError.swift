internal import CMedia
import Media

extension EncodingError {
    /// Makes an error with the library's text for a libav* error code.
    init(_ subject: String, _ operation: String, code: Int32) {
        var text = [CChar](repeating: 0, count: 128)
        av_strerror(code, &text, text.count)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        self.init(subject: subject, operation: operation, reason: String(decoding: bytes, as: UTF8.self))
    }

    static func outOfMemory(_ subject: String, _ operation: String) -> Self {
        Self(subject: subject, operation: operation, reason: "out of memory")
    }
}
