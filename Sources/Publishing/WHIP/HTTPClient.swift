internal import CMulticamSoup
internal import FoundationEssentials
internal import MulticamMedia

/// Sends HTTP requests with libsoup, one at a time. Each request has a deadline. Use an instance only on the
/// thread that created it.
///
/// Redirects aren't followed, cookies aren't stored, and the system's certificate authorities are trusted.
final class HTTPClient {
    private let session: UnsafeMutablePointer<SoupSession>

    init() {
        session = soup_session_new()
        soup_session_set_user_agent(session, "multicam")
    }

    deinit {
        soup_session_abort(session)
        g_object_unref(session)
    }

    /// Sends a request and waits for the complete response.
    ///
    /// - Parameters:
    ///   - method: The HTTP method: `POST` or `DELETE`.
    ///   - endpoint: The request's URL.
    ///   - token: Bearer token; `nil` to send none.
    ///   - offer: Request body, an SDP offer; `nil` for no body.
    ///   - limit: Timeout for the request and its response.
    ///   - cancellation: Cancellation that ends the request immediately.
    /// - Returns: The server's response, regardless of its status.
    /// - Throws: `PublishingError`: `refused` for an untrusted certificate, `lost` for all other network errors.
    func send(
        _ method: String, _ endpoint: WHIPEndpoint, token: Secret?, offer: String? = nil,
        within limit: Nanoseconds, unless cancellation: Cancellation
    ) throws(PublishingError) -> HTTPReply {
        guard let message = soup_message_new(method, endpoint.url.absoluteString) else {
            throw .refused("the address of \(endpoint.printable) is not a valid URL.")
        }
        defer { g_object_unref(UnsafeMutableRawPointer(message)) }
        soup_message_add_flags(message, SOUP_MESSAGE_NO_REDIRECT)
        if let token {
            soup_message_headers_replace(
                soup_message_get_request_headers(message), "Authorization", "Bearer \(token.value)")
        }
        if let offer {
            let body = g_bytes_new(offer, gsize(offer.utf8.count))
            soup_message_set_request_body_from_bytes(message, "application/sdp", body)
            g_bytes_unref(body)
        }
        let watch = RequestMonitor(until: MonotonicClock().now + limit, or: cancellation)
        defer { watch.end() }
        var error: UnsafeMutablePointer<GError>?
        var reply = HTTPReply()
        guard let stream = soup_session_send(session, message, watch.cancellable, &error) else {
            throw failure(error, at: endpoint.printable)
        }
        defer { g_object_unref(stream) }
        var body = [UInt8](repeating: 0, count: SessionDescription.maxBytes + 1)
        var count = gsize(0)
        guard
            g_input_stream_read_all(stream, &body, gsize(body.count), &count, watch.cancellable, &error) != 0
        else { throw failure(error, at: endpoint.printable) }
        reply.body = Array(body.prefix(Int(clamping: count)))
        reply.status = Int(soup_message_get_status(message).rawValue)
        let headers = soup_message_get_response_headers(message)
        reply.location = soup_message_headers_get_one(headers, "Location").map { String(cString: $0) }
        reply.contentType = soup_message_headers_get_content_type(headers, nil).map { String(cString: $0) }
        return reply
    }

    private func failure(_ error: UnsafeMutablePointer<GError>?, at place: String) -> PublishingError {
        guard let error else { return .lost("\(place) is not responding.") }
        defer { g_error_free(error) }
        let (domain, code) = (error.pointee.domain, UInt32(bitPattern: error.pointee.code))
        if domain == g_io_error_quark(), code == G_IO_ERROR_CANCELLED.rawValue {
            return .lost("\(place) did not respond in time.")
        }
        if domain == g_tls_error_quark(), code == G_TLS_ERROR_BAD_CERTIFICATE.rawValue {
            return .refused(
                "the certificate of \(place) is not trusted. Check its host name, its dates, and its issuer."
            )
        }
        return .lost("\(place): \(String(cString: error.pointee.message).printable()).")
    }

    /// Cancels an HTTP request at its deadline, or when the caller requests it.
    private final class RequestMonitor: @unchecked Sendable {
        // A `GCancellable` can be used safely from any thread.
        let cancellable = g_cancellable_new()
        private let ended = Cancellation()
        private let pause = Nanoseconds.milliseconds(50)

        init(until deadline: ClockTime, or cancellation: Cancellation) {
            MediaThread.startWhenPossible(name: "whip:watch") { [self] in
                while !ended.wait(until: min(deadline, MonotonicClock().now + pause)) {
                    guard cancellation.isCancelled || MonotonicClock().now >= deadline else { continue }
                    return g_cancellable_cancel(cancellable)
                }
            }
        }

        deinit { g_object_unref(cancellable) }

        func end() { ended.cancel() }
    }
}

/// The parts of an HTTP response that WHIP requires, without validation.
struct HTTPReply: Equatable {
    var status = 0
    var location: String?
    var contentType: String?
    /// The response body, truncated to `SessionDescription.maxBytes` + 1 bytes.
    var body: [UInt8] = []
}
