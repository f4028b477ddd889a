internal import CMulticamTLS
internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSystem

/// Self-signed certificate, used if the control room serves other computers and no certificate was configured.
///
/// No certificate authority has signed the certificate, so a browser shows a warning once. To verify the certificate,
/// compare its fingerprint with the one that the terminal shows.
enum SelfSignedCertificate {
    /// Validity period in seconds. Browsers refuse certificates valid for more than 825 days (CA/Browser Forum, ballot
    /// 193).
    private static let lifetime = 800 * 24 * 3600
    /// Remaining validity, in seconds, below which the certificate is replaced.
    private static let minRemainingLifetime = 30 * 24 * 3600

    /// Returns the path of a PEM file with certificate and key. Creates the file if no valid certificate
    /// exists.
    ///
    /// - Parameters:
    ///   - folder: Folder of the file, readable only by this user.
    ///   - names: Host names of this machine.
    ///   - addresses: IP addresses of this machine, as text.
    /// - Returns: The path.
    /// - Throws: `WebError` if the certificate can't be created or written.
    static func path(in folder: String, names: [String], addresses: [String]) throws(WebError) -> String {
        let path = "\(folder)/control-room.pem"
        if isValid(path) { return path }
        let text = try make(names: names, addresses: addresses)
        do throws(FileError) {
            try FolderCreation.make(folder, permissions: 0o700)
            try FileReplacement.write(Array(text.utf8), to: path, permissions: 0o600)
        } catch {
            throw WebError("the certificate cannot be saved: \(error)")
        }
        return path
    }

    /// Returns the SHA-256 fingerprint of the certificate in a PEM file, formatted as in browsers; `nil` if the file
    /// doesn't contain a certificate.
    static func fingerprint(_ path: String) -> String? {
        withCertificate(path) { certificate in
            var (digest, count) = ([UInt8](repeating: 0, count: 32), 32)
            guard gnutls_x509_crt_get_fingerprint(certificate, GNUTLS_DIG_SHA256, &digest, &count) == 0 else {
                return nil
            }
            return digest.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined(
                separator: ":"
            ).uppercased()
        }
    }

    private static func isValid(_ path: String) -> Bool {
        withCertificate(path) { certificate in
            gnutls_x509_crt_get_expiration_time(certificate) > time(nil) + minRemainingLifetime ? true : nil
        } ?? false
    }

    private static func withCertificate<Result>(_ path: String, _ body: (gnutls_x509_crt_t) -> Result?)
        -> Result?
    {
        guard let content = FileManager.default.contents(atPath: path) else { return nil }
        var handle: gnutls_x509_crt_t?
        guard gnutls_x509_crt_init(&handle) == 0, let certificate = handle else { return nil }
        defer { gnutls_x509_crt_deinit(certificate) }
        let bytes = Array(content)
        return bytes.withUnsafeBufferPointer { buffer in
            var datum = gnutls_datum_t(
                data: UnsafeMutablePointer(mutating: buffer.baseAddress), size: UInt32(clamping: buffer.count)
            )
            guard gnutls_x509_crt_import(certificate, &datum, GNUTLS_X509_FMT_PEM) == 0 else { return nil }
            return body(certificate)
        }
    }

    // MARK: Certificate generation

    private static func make(names: [String], addresses: [String]) throws(WebError) -> String {
        func check(_ code: Int32) throws(WebError) {
            guard code >= 0 else {
                throw WebError(
                    "the certificate cannot be created: \(String(cString: gnutls_strerror(code))).")
            }
        }
        var (keyHandle, certificateHandle): (gnutls_x509_privkey_t?, gnutls_x509_crt_t?)
        try check(gnutls_x509_privkey_init(&keyHandle))
        defer { gnutls_x509_privkey_deinit(keyHandle) }
        try check(gnutls_x509_crt_init(&certificateHandle))
        defer { gnutls_x509_crt_deinit(certificateHandle) }
        guard let key = keyHandle, let certificate = certificateHandle else { return "" }
        let bits = gnutls_sec_param_to_pk_bits(GNUTLS_PK_ECDSA, GNUTLS_SEC_PARAM_HIGH)
        try check(gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, bits, 0))
        try check(gnutls_x509_crt_set_version(certificate, 3))
        var generator = SystemRandomNumberGenerator()
        // The serial number is a positive 64-bit number (RFC 5280, section 4.1.2.2).
        let serial = withUnsafeBytes(of: (generator.next() as UInt64 >> 1 | 1).bigEndian) { Array($0) }
        try check(gnutls_x509_crt_set_serial(certificate, serial, serial.count))
        try check(gnutls_x509_crt_set_activation_time(certificate, time(nil) - 3600))
        try check(gnutls_x509_crt_set_expiration_time(certificate, time(nil) + lifetime))
        let name = "multicam control room"
        try check(
            gnutls_x509_crt_set_dn_by_oid(
                certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name, UInt32(clamping: name.utf8.count)))
        for name in names {
            try check(
                gnutls_x509_crt_set_subject_alt_name(
                    certificate, GNUTLS_SAN_DNSNAME, name, UInt32(clamping: name.utf8.count),
                    UInt32(GNUTLS_FSAN_APPEND)))
        }
        for address in addresses {
            let bytes = Self.bytes(of: address)
            guard !bytes.isEmpty else { continue }
            try check(
                gnutls_x509_crt_set_subject_alt_name(
                    certificate, GNUTLS_SAN_IPADDRESS, bytes, UInt32(clamping: bytes.count),
                    UInt32(GNUTLS_FSAN_APPEND)))
        }
        try check(gnutls_x509_crt_set_basic_constraints(certificate, 0, -1))
        try check(gnutls_x509_crt_set_key_usage(certificate, UInt32(GNUTLS_KEY_DIGITAL_SIGNATURE)))
        try check(gnutls_x509_crt_set_key_purpose_oid(certificate, GNUTLS_KP_TLS_WWW_SERVER, 0))
        try check(gnutls_x509_crt_set_key(certificate, key))
        try check(gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0))
        var (ofCertificate, ofKey) = (gnutls_datum_t(), gnutls_datum_t())
        try check(gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, &ofCertificate))
        defer { tls_free(ofCertificate.data) }
        try check(
            gnutls_x509_privkey_export2_pkcs8(
                key, GNUTLS_X509_FMT_PEM, nil, UInt32(GNUTLS_PKCS_PLAIN.rawValue), &ofKey))
        defer { tls_free(ofKey.data) }
        return text(ofCertificate) + text(ofKey)
    }

    private static func text(_ datum: gnutls_datum_t) -> String {
        String(decoding: UnsafeBufferPointer(start: datum.data, count: Int(datum.size)), as: UTF8.self)
    }

    private static func bytes(of address: String) -> [UInt8] {
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, address, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
        if inet_pton(AF_INET6, address, &six) == 1 { return withUnsafeBytes(of: &six) { Array($0) } }
        return []
    }
}
