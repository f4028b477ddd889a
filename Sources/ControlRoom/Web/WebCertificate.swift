internal import CSoup
internal import Media

/// A certificate with its key, for TLS.
final class WebCertificate {
    let handle: UnsafeMutablePointer<GTlsCertificate>

    /// Reads a PEM file that has both.
    ///
    /// - Throws: `WebError` with the reason, and the option that helps.
    init(_ path: String) throws(WebError) {
        var error: UnsafeMutablePointer<GError>?
        guard let handle = g_tls_certificate_new_from_file(path, &error) else {
            let reason = error.map { String(cString: $0.pointee.message) } ?? "the system does not say why"
            g_clear_error(&error)
            throw WebError(
                "`--certificate \(path.printable())` cannot be used: \(reason.printable()). Expected a PEM file with a certificate and its key."
            )
        }
        self.handle = handle
    }

    deinit { g_object_unref(handle) }
}
