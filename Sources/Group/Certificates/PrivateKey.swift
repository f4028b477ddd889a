internal import CTLS

/// A private key on the curve P-256, freed with its last reference. One thread uses it.
final class PrivateKey {
    let handle: gnutls_x509_privkey_t

    /// Makes a new key.
    ///
    /// - Throws: `GroupError` when GnuTLS refuses.
    init() throws(GroupError) {
        handle = try Self.empty()
        let bits = gnutls_sec_param_to_pk_bits(GNUTLS_PK_ECDSA, GNUTLS_SEC_PARAM_HIGH)
        try TLSFault.check(
            gnutls_x509_privkey_generate(handle, GNUTLS_PK_ECDSA, bits, 0), "a key cannot be made")
    }

    /// Reads a key.
    ///
    /// - Parameter pem: The key as PEM.
    /// - Throws: `GroupError` when it is none.
    init(pem: String) throws(GroupError) {
        handle = try Self.empty()
        let code = TLSBytes.with(Array(pem.utf8)) {
            gnutls_x509_privkey_import(handle, &$0, GNUTLS_X509_FMT_PEM)
        }
        try TLSFault.check(code, "a private key cannot be read")
    }

    deinit { gnutls_x509_privkey_deinit(handle) }

    private static func empty() throws(GroupError) -> gnutls_x509_privkey_t {
        var handle: gnutls_x509_privkey_t?
        try TLSFault.check(gnutls_x509_privkey_init(&handle), "a key cannot be made")
        guard let handle else { throw GroupError("a key cannot be made.") }
        return handle
    }

    /// The key as PEM (PKCS 8, without a password).
    ///
    /// - Throws: `GroupError` when GnuTLS refuses.
    func pem() throws(GroupError) -> String {
        var bytes = gnutls_datum_t()
        let code = gnutls_x509_privkey_export2_pkcs8(
            handle, GNUTLS_X509_FMT_PEM, nil, UInt32(GNUTLS_PKCS_PLAIN.rawValue), &bytes)
        try TLSFault.check(code, "a key cannot be written")
        return TLSBytes.take(bytes)
    }

    /// A request for a certificate of this key, as PEM (PKCS 10).
    ///
    /// - Parameter name: The common name.
    /// - Returns: The request.
    /// - Throws: `GroupError` when GnuTLS refuses.
    func request(named name: String) throws(GroupError) -> String {
        var handle: gnutls_x509_crq_t?
        try TLSFault.check(gnutls_x509_crq_init(&handle), "a certificate cannot be asked for")
        guard let request = handle else { throw GroupError("a certificate cannot be asked for.") }
        defer { gnutls_x509_crq_deinit(request) }
        var bytes = gnutls_datum_t()
        for code in [
            gnutls_x509_crq_set_version(request, 1),
            gnutls_x509_crq_set_dn_by_oid(
                request, GNUTLS_OID_X520_COMMON_NAME, 0, name, UInt32(clamping: name.utf8.count)),
            gnutls_x509_crq_set_key(request, self.handle),
            gnutls_x509_crq_sign2(request, self.handle, GNUTLS_DIG_SHA256, 0),
            gnutls_x509_crq_export2(request, GNUTLS_X509_FMT_PEM, &bytes),
        ] { try TLSFault.check(code, "a certificate cannot be asked for") }
        return TLSBytes.take(bytes)
    }
}
