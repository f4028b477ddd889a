internal import CTLS

/// What GnuTLS answers, as an error for people.
enum TLSFault {
    /// Throws where a call has failed.
    ///
    /// - Parameters:
    ///   - code: What the call returned: negative for a failure.
    ///   - sentence: What could not be done, without a full stop.
    /// - Throws: `GroupError` with the sentence and the reason.
    static func check(_ code: Int32, _ sentence: String) throws(GroupError) {
        guard code < 0 else { return }
        throw GroupError("\(sentence): \(String(cString: gnutls_strerror(code))).")
    }
}
