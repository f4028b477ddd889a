internal import CMulticamTLS
internal import Glibc

/// An X.509 certificate, freed when its last reference is released. Use it from a single thread.
final class Certificate {
    /// Purpose of a certificate.
    enum Use {
        case authority
        case broker
        case member
    }

    let handle: gnutls_x509_crt_t

    /// Creates a certificate object from its encoded bytes.
    ///
    /// - Parameters:
    ///   - bytes: The encoded certificate.
    ///   - format: Encoding of the certificate: PEM or DER.
    /// - Throws: `GroupError` if the bytes aren't a certificate.
    init(_ bytes: [UInt8], format: gnutls_x509_crt_fmt_t = GNUTLS_X509_FMT_PEM) throws(GroupError) {
        handle = try Self.makeHandle()
        let code = TLSBytes.with(bytes) { gnutls_x509_crt_import(handle, &$0, format) }
        try TLSFault.check(code, "a certificate cannot be read")
    }

    /// Creates a certificate and signs it.
    ///
    /// - Parameters:
    ///   - use: Purpose of the certificate.
    ///   - name: The certificate's common name.
    ///   - alternative: DNS name of a broker, or email address of a member; `nil` for an authority.
    ///   - lifetime: Validity in seconds from now; negative for an expired certificate.
    ///   - key: Source of the certificate's public key.
    ///   - issuer: Issuer that signs the certificate; `nil` for a self-signed certificate.
    /// - Throws: `GroupError` if GnuTLS fails.
    init(
        _ use: Use, named name: String, alternative: String?, lifetime: Int, of key: Key,
        by issuer: (certificate: Certificate, key: PrivateKey)?
    ) throws(GroupError) {
        func check(_ code: Int32) throws(GroupError) {
            try TLSFault.check(code, "a certificate cannot be created")
        }
        handle = try Self.makeHandle()
        try check(gnutls_x509_crt_set_version(handle, 3))
        var generator = SystemRandomNumberGenerator()
        // The serial number is a positive 64-bit number (RFC 5280, section 4.1.2.2).
        let serial = withUnsafeBytes(of: (generator.next() as UInt64 >> 1 | 1).bigEndian) { Array($0) }
        try check(gnutls_x509_crt_set_serial(handle, serial, serial.count))
        let now = time(nil)
        try check(gnutls_x509_crt_set_activation_time(handle, min(now, now + lifetime) - 86_400))
        try check(gnutls_x509_crt_set_expiration_time(handle, now + lifetime))
        switch key {
        case .own(let key): try check(gnutls_x509_crt_set_key(handle, key.handle))
        case .request(let pem): try Self.copyPublicKey(from: pem, into: handle)
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

    /// Source of the public key for a new certificate.
    enum Key {
        /// A private key that this process holds.
        case own(PrivateKey)
        /// A certificate signing request (PEM) for a private key that another computer holds.
        case request(String)
    }

    private static func makeHandle() throws(GroupError) -> gnutls_x509_crt_t {
        var handle: gnutls_x509_crt_t?
        try TLSFault.check(gnutls_x509_crt_init(&handle), "a certificate cannot be created")
        guard let handle else { throw GroupError("a certificate cannot be created.") }
        return handle
    }

    /// Copies the public key from a certificate signing request, after verifying that the request is signed with that
    /// key.
    private static func copyPublicKey(from pem: String, into handle: gnutls_x509_crt_t) throws(GroupError) {
        func check(_ code: Int32) throws(GroupError) {
            try TLSFault.check(code, "the certificate request is invalid")
        }
        var requestHandle: gnutls_x509_crq_t?
        try check(gnutls_x509_crq_init(&requestHandle))
        guard let request = requestHandle else { return }
        defer { gnutls_x509_crq_deinit(request) }
        try check(
            TLSBytes.with(Array(pem.utf8)) { gnutls_x509_crq_import(request, &$0, GNUTLS_X509_FMT_PEM) })
        try check(gnutls_x509_crq_verify(request, 0))
        // Only the public key is copied from the request. Other data in the request must not appear in the
        // certificate.
        var publicHandle: gnutls_pubkey_t?
        try check(gnutls_pubkey_init(&publicHandle))
        guard let publicKey = publicHandle else { return }
        defer { gnutls_pubkey_deinit(publicKey) }
        try check(gnutls_pubkey_import_x509_crq(publicKey, request, 0))
        try check(gnutls_x509_crt_set_pubkey(handle, publicKey))
    }

    /// Returns the certificate as PEM.
    ///
    /// - Throws: `GroupError` if GnuTLS fails.
    func pem() throws(GroupError) -> String {
        var bytes = gnutls_datum_t()
        try TLSFault.check(
            gnutls_x509_crt_export2(handle, GNUTLS_X509_FMT_PEM, &bytes), "a certificate cannot be written")
        return TLSBytes.string(consuming: bytes)
    }

    /// First half of the certificate's SHA-256 digest, as used in pairing codes; empty if GnuTLS fails.
    var fingerprint: [UInt8] {
        var (digest, count) = ([UInt8](repeating: 0, count: 32), 32)
        guard gnutls_x509_crt_get_fingerprint(handle, GNUTLS_DIG_SHA256, &digest, &count) == 0 else {
            return []
        }
        return Array(digest.prefix(16))
    }

    /// Number of seconds until the certificate expires; negative if it has already expired.
    var secondsLeft: Int { gnutls_x509_crt_get_expiration_time(handle) - time(nil) }

    /// Whether the certificate was signed by the given authority and is currently valid.
    func isIssued(by authority: Certificate) -> Bool {
        var (result, issuer): (UInt32, gnutls_x509_crt_t?) = (0, authority.handle)
        return gnutls_x509_crt_verify(handle, &issuer, 1, 0, &result) == 0 && result == 0
    }

    /// Whether the certificate is valid for the given host name.
    func matches(host: String) -> Bool { gnutls_x509_crt_check_hostname(handle, host) != 0 }
}

/// A private key on the P-256 curve, freed when its last reference is released. Use it from a single thread.
final class PrivateKey {
    let handle: gnutls_x509_privkey_t

    /// Generates a new key.
    ///
    /// - Throws: `GroupError` if GnuTLS fails.
    init() throws(GroupError) {
        handle = try Self.makeHandle()
        let bits = gnutls_sec_param_to_pk_bits(GNUTLS_PK_ECDSA, GNUTLS_SEC_PARAM_HIGH)
        try TLSFault.check(
            gnutls_x509_privkey_generate(handle, GNUTLS_PK_ECDSA, bits, 0), "a private key cannot be created")
    }

    /// Parses a private key.
    ///
    /// - Parameter pem: The private key as PEM.
    /// - Throws: `GroupError` if the text isn't a valid key.
    init(pem: String) throws(GroupError) {
        handle = try Self.makeHandle()
        let code = TLSBytes.with(Array(pem.utf8)) {
            gnutls_x509_privkey_import(handle, &$0, GNUTLS_X509_FMT_PEM)
        }
        try TLSFault.check(code, "a private key cannot be read")
    }

    deinit { gnutls_x509_privkey_deinit(handle) }

    private static func makeHandle() throws(GroupError) -> gnutls_x509_privkey_t {
        var handle: gnutls_x509_privkey_t?
        try TLSFault.check(gnutls_x509_privkey_init(&handle), "a private key cannot be created")
        guard let handle else { throw GroupError("a private key cannot be created.") }
        return handle
    }

    /// Returns the private key as PEM (PKCS #8, unencrypted).
    ///
    /// - Throws: `GroupError` if GnuTLS fails.
    func pem() throws(GroupError) -> String {
        var bytes = gnutls_datum_t()
        let code = gnutls_x509_privkey_export2_pkcs8(
            handle, GNUTLS_X509_FMT_PEM, nil, UInt32(GNUTLS_PKCS_PLAIN.rawValue), &bytes)
        try TLSFault.check(code, "a private key cannot be written")
        return TLSBytes.string(consuming: bytes)
    }

    /// Creates a certificate signing request for this key, as PEM (PKCS #10).
    ///
    /// - Parameter name: The common name in the request.
    /// - Returns: The request.
    /// - Throws: `GroupError` if GnuTLS fails.
    func request(named name: String) throws(GroupError) -> String {
        var handle: gnutls_x509_crq_t?
        try TLSFault.check(gnutls_x509_crq_init(&handle), "a certificate request cannot be created")
        guard let request = handle else { throw GroupError("a certificate request cannot be created.") }
        defer { gnutls_x509_crq_deinit(request) }
        var bytes = gnutls_datum_t()
        for code in [
            gnutls_x509_crq_set_version(request, 1),
            gnutls_x509_crq_set_dn_by_oid(
                request, GNUTLS_OID_X520_COMMON_NAME, 0, name, UInt32(clamping: name.utf8.count)),
            gnutls_x509_crq_set_key(request, self.handle),
            gnutls_x509_crq_sign2(request, self.handle, GNUTLS_DIG_SHA256, 0),
            gnutls_x509_crq_export2(request, GNUTLS_X509_FMT_PEM, &bytes),
        ] { try TLSFault.check(code, "a certificate request cannot be created") }
        return TLSBytes.string(consuming: bytes)
    }
}
