internal import CTLS

/// Bytes on their way to GnuTLS and back.
enum TLSBytes {
    /// Lends bytes to a call.
    static func with<Result>(_ bytes: [UInt8], _ body: (inout gnutls_datum_t) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { buffer in
            var datum = gnutls_datum_t(
                data: UnsafeMutablePointer(mutating: buffer.baseAddress), size: UInt32(clamping: buffer.count)
            )
            return body(&datum)
        }
    }

    /// The text that GnuTLS has allocated, which is freed.
    static func take(_ datum: gnutls_datum_t) -> String {
        defer { tls_free(datum.data) }
        return String(decoding: UnsafeBufferPointer(start: datum.data, count: Int(datum.size)), as: UTF8.self)
    }

    /// SHA-256 of bytes.
    static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var (digest, count) = ([UInt8](repeating: 0, count: 32), 32)
        let code = with(bytes) { gnutls_fingerprint(GNUTLS_DIG_SHA256, &$0, &digest, &count) }
        // SHA-256 is always there; a digest of zeros fits nothing.
        return code == 0 ? digest : [UInt8](repeating: 0, count: 32)
    }
}
