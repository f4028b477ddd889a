internal import CTLS
internal import Glibc
internal import Media

/// A TLS connection over a connected socket: a line each way. Closed with its last reference; one thread uses it.
final class TLSSession {
    private let session: gnutls_session_t
    private let credentials: gnutls_certificate_credentials_t
    private let socket: Int32

    /// Seconds for the handshake, and for each piece of a line.
    private static let patience = 10
    /// Most bytes of a line.
    private static let longestLine = 1 << 16

    /// Connects over a socket, which it owns from here on. Blocks for at most some seconds.
    ///
    /// - Parameters:
    ///   - socket: A connected socket.
    ///   - identity: Certificate chain and key as PEM for a server; `nil` for a client.
    /// - Throws: `GroupError` when the peer speaks no TLS, or refuses.
    init(over socket: Int32, as identity: (certificate: [UInt8], key: [UInt8])?) throws(GroupError) {
        self.socket = socket
        var (sessionHandle, credentialsHandle): (gnutls_session_t?, gnutls_certificate_credentials_t?)
        guard gnutls_certificate_allocate_credentials(&credentialsHandle) == 0,
            let credentials = credentialsHandle
        else {
            close(socket)
            throw GroupError("no TLS connection can be made.")
        }
        let flags = UInt32(identity == nil ? GNUTLS_CLIENT : GNUTLS_SERVER)
        guard gnutls_init(&sessionHandle, flags) == 0, let session = sessionHandle else {
            gnutls_certificate_free_credentials(credentials)
            close(socket)
            throw GroupError("no TLS connection can be made.")
        }
        (self.session, self.credentials) = (session, credentials)
        var time = timeval(tv_sec: Self.patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        let sentence = "no TLS connection can be made"
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
        gnutls_handshake_set_timeout(session, UInt32(Self.patience * 1000))
        var code: Int32
        repeat { code = gnutls_handshake(session) } while code < 0 && gnutls_error_is_fatal(code) == 0
        try TLSFault.check(code, sentence)
    }

    deinit {
        gnutls_deinit(session)
        gnutls_certificate_free_credentials(credentials)
        close(socket)
    }

    /// The peer's certificates, its own first.
    ///
    /// - Throws: `GroupError` when one cannot be read.
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

    /// Sends a line, and says that no more follows.
    ///
    /// - Throws: `GroupError` when the connection is lost.
    func send(_ line: String) throws(GroupError) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { gnutls_record_send(session, $0.baseAddress, $0.count) }
            if count < 0, gnutls_error_is_fatal(Int32(clamping: count)) == 0, errno != EAGAIN { continue }
            guard count > 0 else { throw GroupError("the connection was lost.") }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for a line.
    ///
    /// - Throws: `GroupError` when none comes in time, or one is too long.
    func receive() throws(GroupError) -> [UInt8] {
        var (line, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4096))
        while line.count < Self.longestLine {
            let count = gnutls_record_recv(session, &buffer, buffer.count)
            if count == Int(GNUTLS_E_REHANDSHAKE) || count == Int(GNUTLS_E_INTERRUPTED) { continue }
            guard count > 0 else { throw GroupError("the connection was lost before there was an answer.") }
            line += buffer[..<count]
            if let end = line.firstIndex(of: UInt8(ascii: "\n")) { return Array(line[..<end]) }
        }
        throw GroupError("the other side says too much.")
    }
}
