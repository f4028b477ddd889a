internal import CMulticamSoup
internal import MulticamMedia

/// A continuous response from a web server, read by libsoup with a deadline for every call. Use this type only on the
/// thread that creates it.
///
/// The stream doesn't follow redirects, doesn't store cookies, and trusts the system's certificates.
final class WebStream {
    private let session: UnsafeMutablePointer<SoupSession>
    private let message: OpaquePointer
    private let stream: UnsafeMutablePointer<GInputStream>
    private let monitor: WebMonitor
    private let address: SourceAddress
    /// Content type of the response.
    let contentType: String

    private static let connectTimeout = Nanoseconds.seconds(8)
    private static let readTimeout = Nanoseconds.seconds(3)

    /// Requests the stream.
    init(_ address: SourceAddress, _ cancellation: Cancellation) throws(SourceError) {
        self.address = address
        guard let message = soup_message_new("GET", address.text) else {
            throw .refused("\(address) is not a valid URL.")
        }
        let session: UnsafeMutablePointer<SoupSession> = soup_session_new()
        soup_session_set_user_agent(session, "multicam")
        soup_message_add_flags(message, SOUP_MESSAGE_NO_REDIRECT)
        let watch = WebMonitor(cancellation)
        watch.allow(Self.connectTimeout)
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
            throw refusal ?? .lost("\(address) is not responding.")
        }
        (self.session, self.message, self.monitor) = (session, message, watch)
        (stream, contentType) = (opened, type.printable(limit: 100))
    }

    deinit {
        g_cancellable_cancel(monitor.cancellable)
        monitor.end()
        soup_session_abort(session)
        g_object_unref(stream)
        g_object_unref(UnsafeMutableRawPointer(message))
        g_object_unref(session)
    }

    /// Reads the available bytes, at least one.
    func read(into buffer: inout [UInt8]) throws(SourceError) -> Int {
        monitor.allow(Self.readTimeout)
        var error: UnsafeMutablePointer<GError>?
        let count = g_input_stream_read(stream, &buffer, gsize(buffer.count), monitor.cancellable, &error)
        if count > 0 { return Int(count) }
        if count == 0 { throw .lost("\(address) ended the stream.") }
        if monitor.isOver {
            if let error { g_error_free(error) }
            throw .lost("no data was received from \(address) for 3 s.")
        }
        throw Self.failure(error, address)
    }

    private static func refusal(_ status: Int, _ address: SourceAddress) -> SourceError? {
        switch status {
        case 200: nil
        case 401, 403:
            .refused(
                "\(address) rejected the user name or password. Specify both in the address: http://USER:PASSWORD@…"
            )
        case 404:
            .refused(
                "\(address) reports that the path does not exist. Look up the path in the camera's settings or manual."
            )
        case 300..<400:
            .refused(
                "\(address) redirects to another address. Redirects are not followed. Use the other address instead."
            )
        case 500..<600: .lost("\(address) reported a server error (HTTP \(status)).")
        default: .refused("\(address) responded with HTTP \(status).")
        }
    }

    private static func failure(_ error: UnsafeMutablePointer<GError>?, _ address: SourceAddress)
        -> SourceError
    {
        guard let error else { return .lost("\(address) is not responding.") }
        defer { g_error_free(error) }
        let (domain, code) = (error.pointee.domain, UInt32(bitPattern: error.pointee.code))
        if domain == g_io_error_quark(), code == G_IO_ERROR_CANCELLED.rawValue {
            return .lost("\(address) did not respond in time.")
        }
        if domain == g_io_error_quark(), code == G_IO_ERROR_CONNECTION_REFUSED.rawValue {
            return .lost("\(address) refused the connection.")
        }
        if domain == g_tls_error_quark(), code == G_TLS_ERROR_BAD_CERTIFICATE.rawValue {
            return .refused(
                "the certificate of \(address) is not trusted, because it is for a different host name, has expired, or has an unknown issuer."
            )
        }
        return .lost("\(address): \(String(cString: error.pointee.message).printable(limit: 200)).")
    }
}

/// Cancels libsoup calls at a deadline, or when their result is no longer needed.
final class WebMonitor: @unchecked Sendable {
    // A GCancellable is thread-safe.
    let cancellable = g_cancellable_new()
    private let deadline: ConditionLock<ClockTime>
    private let ended = Cancellation()

    private static let pause = Nanoseconds.milliseconds(50)

    init(_ cancellation: Cancellation) {
        deadline = ConditionLock(MonotonicClock().now + .seconds(60))
        MediaThread.startWhenPossible(name: "source:watch") { [self] in
            while !ended.wait(until: MonotonicClock().now + Self.pause) {
                guard cancellation.isCancelled || isOver else { continue }
                return g_cancellable_cancel(cancellable)
            }
        }
    }

    deinit { g_object_unref(cancellable) }

    /// Sets the time limit for the next call.
    func allow(_ time: Nanoseconds) { deadline.withLock { $0 = MonotonicClock().now + time } }

    /// Whether the current call has exceeded its time limit.
    var isOver: Bool { MonotonicClock().now >= deadline.withLock { $0 } }

    /// Ends the monitoring of calls.
    func end() { ended.cancel() }
}
