internal import CMulticamTLS
internal import Glibc
internal import MulticamMedia

/// A TLS connection over a connected socket. The connection carries one line of text in each direction. The
/// connection is closed when its last reference is released. Use it from a single thread.
final class TLSSession {
    private let session: gnutls_session_t
    private let credentials: gnutls_certificate_credentials_t
    private let socket: Int32

    /// Timeout in seconds for the handshake and for each read of a line.
    private static let timeoutSeconds = 10
    /// Maximum length of a line in bytes.
    private static let longestLine = 1 << 16

    /// Starts TLS on a socket and takes ownership of it. Blocks for a few seconds at most.
    ///
    /// - Parameters:
    ///   - socket: A connected socket.
    ///   - identity: Certificate chain and key as PEM for a server; `nil` for a client.
    /// - Throws: `GroupError` if the peer doesn't support TLS or refuses the connection.
    init(over socket: Int32, as identity: (certificate: [UInt8], key: [UInt8])?) throws(GroupError) {
        self.socket = socket
        var (sessionHandle, credentialsHandle): (gnutls_session_t?, gnutls_certificate_credentials_t?)
        guard gnutls_certificate_allocate_credentials(&credentialsHandle) == 0,
            let credentials = credentialsHandle
        else {
            close(socket)
            throw GroupError("a TLS connection cannot be established.")
        }
        let flags = UInt32(identity == nil ? GNUTLS_CLIENT : GNUTLS_SERVER)
        guard gnutls_init(&sessionHandle, flags) == 0, let session = sessionHandle else {
            gnutls_certificate_free_credentials(credentials)
            close(socket)
            throw GroupError("a TLS connection cannot be established.")
        }
        (self.session, self.credentials) = (session, credentials)
        var time = timeval(tv_sec: Self.timeoutSeconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        let sentence = "a TLS connection cannot be established"
        if let identity {
            let code = TLSBytes.with(identity.certificate) { certificate in
                TLSBytes.with(identity.key) { key in
                    gnutls_certificate_set_x509_key_mem(credentials, &certificate, &key, GNUTLS_X509_FMT_PEM)
                }
            }
            try TLSFault.check(code, sentence)
        }
        try TLSFault.check(gnutls_set_default_priority(session), sentence)
        try TLSFault.check(
            gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials)),
            sentence)
        gnutls_transport_set_int2(session, socket, socket)
        gnutls_handshake_set_timeout(session, UInt32(Self.timeoutSeconds * 1000))
        var code: Int32
        repeat { code = gnutls_handshake(session) } while code < 0 && gnutls_error_is_fatal(code) == 0
        try TLSFault.check(code, sentence)
    }

    deinit {
        gnutls_deinit(session)
        gnutls_certificate_free_credentials(credentials)
        close(socket)
    }

    /// Returns the peer's certificate chain, leaf certificate first.
    ///
    /// - Throws: `GroupError` if a certificate can't be read.
    func peerCertificates() throws(GroupError) -> [Certificate] {
        var count: UInt32 = 0
        guard let list = gnutls_certificate_get_peers(session, &count) else { return [] }
        var certificates: [Certificate] = []
        for index in 0..<Int(min(count, 8)) {
            let bytes = Array(UnsafeBufferPointer(start: list[index].data, count: Int(list[index].size)))
            certificates.append(try Certificate(bytes, format: GNUTLS_X509_FMT_DER))
        }
        return certificates
    }

    /// Sends a line and shuts down the sending side.
    ///
    /// - Throws: `GroupError` if the connection is lost.
    func send(_ line: String) throws(GroupError) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { gnutls_record_send(session, $0.baseAddress, $0.count) }
            if count < 0, gnutls_error_is_fatal(Int32(clamping: count)) == 0, errno != EAGAIN { continue }
            guard count > 0 else { throw GroupError("the connection was lost.") }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for a line from the peer.
    ///
    /// - Throws: `GroupError` if no line arrives in time, or the line is too long.
    func receive() throws(GroupError) -> [UInt8] {
        var (line, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4096))
        while line.count < Self.longestLine {
            let count = gnutls_record_recv(session, &buffer, buffer.count)
            if count == Int(GNUTLS_E_REHANDSHAKE) || count == Int(GNUTLS_E_INTERRUPTED) { continue }
            guard count > 0 else { throw GroupError("the connection was lost before a response arrived.") }
            line += buffer[..<count]
            if let end = line.firstIndex(of: UInt8(ascii: "\n")) { return Array(line[..<end]) }
        }
        throw GroupError("the message from the other computer is too long.")
    }
}

/// Converts byte arrays to and from GnuTLS data types.
enum TLSBytes {
    /// Calls a function with a temporary `gnutls_datum_t` that refers to the bytes.
    static func with<Result>(_ bytes: [UInt8], _ body: (inout gnutls_datum_t) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { buffer in
            var datum = gnutls_datum_t(
                data: UnsafeMutablePointer(mutating: buffer.baseAddress), size: UInt32(clamping: buffer.count)
            )
            return body(&datum)
        }
    }

    /// Returns a text that GnuTLS has allocated, and frees GnuTLS's memory.
    static func string(consuming datum: gnutls_datum_t) -> String {
        defer { tls_free(datum.data) }
        return String(decoding: UnsafeBufferPointer(start: datum.data, count: Int(datum.size)), as: UTF8.self)
    }

    /// Returns the SHA-256 digest of the given bytes.
    static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var (digest, count) = ([UInt8](repeating: 0, count: 32), 32)
        let code = with(bytes) { gnutls_fingerprint(GNUTLS_DIG_SHA256, &$0, &digest, &count) }
        // SHA-256 is always available. An all-zero digest doesn't match any real one.
        return code == 0 ? digest : [UInt8](repeating: 0, count: 32)
    }
}

/// Converts GnuTLS error codes into user-facing errors.
enum TLSFault {
    /// Throws if a call has failed.
    ///
    /// - Parameters:
    ///   - code: Return value of the call; negative on failure.
    ///   - sentence: Description of the failure as a sentence, without a period.
    /// - Throws: `GroupError` that contains the sentence and the reason.
    static func check(_ code: Int32, _ sentence: String) throws(GroupError) {
        guard code < 0 else { return }
        throw GroupError("\(sentence): \(String(cString: gnutls_strerror(code))).")
    }
}
