internal import CSoup
internal import Media

/// The answer of a web server that goes on, read by libsoup with a deadline for every call. Belongs to the thread that makes it.
///
/// It follows no redirection, keeps no cookies, and trusts the certificates that the system trusts.
final class WebStream {
    private let session: UnsafeMutablePointer<SoupSession>
    private let message: OpaquePointer
    private let stream: UnsafeMutablePointer<GInputStream>
    private let watch: WebWatch
    private let address: SourceAddress
    /// The content type of the answer.
    let contentType: String

    private static let greeting = Nanoseconds.seconds(8)
    private static let silence = Nanoseconds.seconds(3)

    /// Asks for the stream.
    init(_ address: SourceAddress, _ cancellation: Cancellation) throws(SourceError) {
        self.address = address
        guard let message = soup_message_new("GET", address.text) else {
            throw .refused("\(address) is no URL.")
        }
        let session: UnsafeMutablePointer<SoupSession> = soup_session_new()
        soup_session_set_user_agent(session, "multicam")
        soup_message_add_flags(message, SOUP_MESSAGE_NO_REDIRECT)
        let watch = WebWatch(cancellation)
        watch.allow(Self.greeting)
        var error: UnsafeMutablePointer<GError>?
        let opened = soup_session_send(session, message, watch.cancellable, &error)
        let status = Int(soup_message_get_status(message).rawValue)
        let headers = soup_message_get_response_headers(message)
        let type = soup_message_headers_get_one(headers, "Content-Type").map { String(cString: $0) } ?? ""
        let refusal = opened == nil ? Self.failure(error, address) : Self.refusal(status, address)
        guard let opened, refusal == nil else {
            if let opened { g_object_unref(opened) }
            g_object_unref(UnsafeMutableRawPointer(message))
            soup_session_abort(session)
            g_object_unref(session)
            watch.end()
            throw refusal ?? .lost("\(address) does not answer.")
        }
        (self.session, self.message, self.watch) = (session, message, watch)
        (stream, contentType) = (opened, type.printable(limit: 100))
    }

    deinit {
        g_cancellable_cancel(watch.cancellable)
        watch.end()
        soup_session_abort(session)
        g_object_unref(stream)
        g_object_unref(UnsafeMutableRawPointer(message))
        g_object_unref(session)
    }

    /// Reads what comes next, at least a byte.
    func read(into buffer: inout [UInt8]) throws(SourceError) -> Int {
        watch.allow(Self.silence)
        var error: UnsafeMutablePointer<GError>?
        let count = g_input_stream_read(stream, &buffer, gsize(buffer.count), watch.cancellable, &error)
        if count > 0 { return Int(count) }
        if count == 0 { throw .lost("\(address) has ended the stream.") }
        if watch.isOver {
            if let error { g_error_free(error) }
            throw .lost("nothing has come from \(address) for 3 s.")
        }
        throw Self.failure(error, address)
    }

    private static func refusal(_ status: Int, _ address: SourceAddress) -> SourceError? {
        switch status {
        case 200: nil
        case 401, 403:
            .refused(
                "\(address) wants another user or password: write them into the address, as http://USER:PASSWORD@…"
            )
        case 404: .refused("\(address) has no such path: look at what the camera's pages call it.")
        case 300..<400:
            .refused("\(address) sends its callers to another address, which is not followed: give that one.")
        case 500..<600: .lost("\(address) has a fault of its own (\(status)).")
        default: .refused("\(address) answers with status \(status).")
        }
    }

    private static func failure(_ error: UnsafeMutablePointer<GError>?, _ address: SourceAddress)
        -> SourceError
    {
        guard let error else { return .lost("\(address) does not answer.") }
        defer { g_error_free(error) }
        let (domain, code) = (error.pointee.domain, UInt32(bitPattern: error.pointee.code))
        if domain == g_io_error_quark(), code == G_IO_ERROR_CANCELLED.rawValue {
            return .lost("\(address) does not answer in time.")
        }
        if domain == g_io_error_quark(), code == G_IO_ERROR_CONNECTION_REFUSED.rawValue {
            return .lost("nobody listens at \(address).")
        }
        if domain == g_tls_error_quark(), code == G_TLS_ERROR_BAD_CERTIFICATE.rawValue {
            return .refused(
                "the certificate of \(address) is not to be trusted: it is for another name, too old, or nobody known has issued it."
            )
        }
        return .lost("\(address): \(String(cString: error.pointee.message).printable(limit: 200)).")
    }
}
