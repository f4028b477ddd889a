internal import CTLS
internal import Glibc

/// A certificate, freed with its last reference. One thread uses it.
final class Certificate {
    /// What a certificate is for.
    enum Use {
        case authority
        case broker
        case member
    }

    let handle: gnutls_x509_crt_t

    /// Reads a certificate.
    ///
    /// - Parameters:
    ///   - bytes: The certificate.
    ///   - format: PEM or DER.
    /// - Throws: `GroupError` when it is none.
    init(_ bytes: [UInt8], format: gnutls_x509_crt_fmt_t = GNUTLS_X509_FMT_PEM) throws(GroupError) {
        handle = try Self.empty()
        let code = TLSBytes.with(bytes) { gnutls_x509_crt_import(handle, &$0, format) }
        try TLSFault.check(code, "a certificate cannot be read")
    }

    /// Makes and signs a certificate.
    ///
    /// - Parameters:
    ///   - use: What it is for.
    ///   - name: The common name.
    ///   - alternative: The DNS name of a broker, the mail name of a member; `nil` for an authority.
    ///   - lifetime: Seconds from now until it expires; negative for one that has expired.
    ///   - key: The key that it is of, or the request that has it.
    ///   - issuer: Who signs; `nil` signs with the key itself.
    /// - Throws: `GroupError` when GnuTLS refuses.
    init(
        _ use: Use, named name: String, alternative: String?, lifetime: Int, of key: Key,
        by issuer: (certificate: Certificate, key: PrivateKey)?
    ) throws(GroupError) {
        func check(_ code: Int32) throws(GroupError) {
            try TLSFault.check(code, "a certificate cannot be made")
        }
        handle = try Self.empty()
        try check(gnutls_x509_crt_set_version(handle, 3))
        var generator = SystemRandomNumberGenerator()
        // A positive number of 64 bits (RFC 5280, section 4.1.2.2).
        let serial = withUnsafeBytes(of: (generator.next() as UInt64 >> 1 | 1).bigEndian) { Array($0) }
        try check(gnutls_x509_crt_set_serial(handle, serial, serial.count))
        let now = time(nil)
        try check(gnutls_x509_crt_set_activation_time(handle, min(now, now + lifetime) - 86_400))
        try check(gnutls_x509_crt_set_expiration_time(handle, now + lifetime))
        switch key {
        case .own(let key): try check(gnutls_x509_crt_set_key(handle, key.handle))
        case .request(let pem): try Self.take(pem, into: handle)
        }
        try check(
            gnutls_x509_crt_set_dn_by_oid(
                handle, GNUTLS_OID_X520_COMMON_NAME, 0, name, UInt32(clamping: name.utf8.count)))
        if let alternative {
            try check(
                gnutls_x509_crt_set_subject_alt_name(
                    handle, use == .broker ? GNUTLS_SAN_DNSNAME : GNUTLS_SAN_RFC822NAME, alternative,
                    UInt32(clamping: alternative.utf8.count), UInt32(GNUTLS_FSAN_APPEND)))
        }
        try check(gnutls_x509_crt_set_basic_constraints(handle, use == .authority ? 1 : 0, -1))
        let usage = use == .authority ? GNUTLS_KEY_KEY_CERT_SIGN : GNUTLS_KEY_DIGITAL_SIGNATURE
        try check(gnutls_x509_crt_set_key_usage(handle, UInt32(usage)))
        switch use {
        case .authority: break
        case .broker: try check(gnutls_x509_crt_set_key_purpose_oid(handle, GNUTLS_KP_TLS_WWW_SERVER, 0))
        case .member: try check(gnutls_x509_crt_set_key_purpose_oid(handle, GNUTLS_KP_TLS_WWW_CLIENT, 0))
        }
        if let issuer {
            try check(
                gnutls_x509_crt_sign2(
                    handle, issuer.certificate.handle, issuer.key.handle, GNUTLS_DIG_SHA256, 0))
        } else if case .own(let key) = key {
            try check(gnutls_x509_crt_sign2(handle, handle, key.handle, GNUTLS_DIG_SHA256, 0))
        }
    }

    deinit { gnutls_x509_crt_deinit(handle) }

    /// The key of a certificate that is made.
    enum Key {
        /// A key that this process has.
        case own(PrivateKey)
        /// A request for a certificate as PEM, whose key another computer has.
        case request(String)
    }

    private static func empty() throws(GroupError) -> gnutls_x509_crt_t {
        var handle: gnutls_x509_crt_t?
        try TLSFault.check(gnutls_x509_crt_init(&handle), "a certificate cannot be made")
        guard let handle else { throw GroupError("a certificate cannot be made.") }
        return handle
    }

    /// Takes the public key of a request, which must be signed by it.
    private static func take(_ pem: String, into handle: gnutls_x509_crt_t) throws(GroupError) {
        func check(_ code: Int32) throws(GroupError) {
            try TLSFault.check(code, "the request for a certificate is not valid")
        }
        var requestHandle: gnutls_x509_crq_t?
        try check(gnutls_x509_crq_init(&requestHandle))
        guard let request = requestHandle else { return }
        defer { gnutls_x509_crq_deinit(request) }
        try check(
            TLSBytes.with(Array(pem.utf8)) { gnutls_x509_crq_import(request, &$0, GNUTLS_X509_FMT_PEM) })
        try check(gnutls_x509_crq_verify(request, 0))
        // The key alone: what else a request says must not be in the certificate.
        var publicHandle: gnutls_pubkey_t?
        try check(gnutls_pubkey_init(&publicHandle))
        guard let publicKey = publicHandle else { return }
        defer { gnutls_pubkey_deinit(publicKey) }
        try check(gnutls_pubkey_import_x509_crq(publicKey, request, 0))
        try check(gnutls_x509_crt_set_pubkey(handle, publicKey))
    }

    /// The certificate as PEM.
    ///
    /// - Throws: `GroupError` when GnuTLS refuses.
    func pem() throws(GroupError) -> String {
        var bytes = gnutls_datum_t()
        try TLSFault.check(
            gnutls_x509_crt_export2(handle, GNUTLS_X509_FMT_PEM, &bytes), "a certificate cannot be written")
        return TLSBytes.take(bytes)
    }

    /// The first half of its SHA-256, which a pairing code has; empty when GnuTLS refuses.
    var fingerprint: [UInt8] {
        var (digest, count) = ([UInt8](repeating: 0, count: 32), 32)
        guard gnutls_x509_crt_get_fingerprint(handle, GNUTLS_DIG_SHA256, &digest, &count) == 0 else {
            return []
        }
        return Array(digest.prefix(16))
    }

    /// Seconds until it expires; negative when it has.
    var secondsLeft: Int { gnutls_x509_crt_get_expiration_time(handle) - time(nil) }

    /// Whether an authority has signed it, and it is valid now.
    func isIssued(by authority: Certificate) -> Bool {
        var (result, issuer): (UInt32, gnutls_x509_crt_t?) = (0, authority.handle)
        return gnutls_x509_crt_verify(handle, &issuer, 1, 0, &result) == 0 && result == 0
    }

    /// Whether it is that of a host.
    func names(host: String) -> Bool { gnutls_x509_crt_check_hostname(handle, host) != 0 }
}
