internal import CMulticamSoup
internal import Glibc
internal import MulticamMedia

/// HTTP and WebSocket server, based on libsoup. Used only on the web loop's thread.
///
/// The server limits the resources that clients can use before their requests are checked: the number of
/// connections, the time until a request is complete, and the length of a body. If there are too many
/// connections, the server drops the oldest connection without a complete request, never the newest
/// connection.
final class WebServer {
    private let server: OpaquePointer
    private var accessPolicy: WebAccessPolicy
    private let respond: (WebRequest) -> Void
    private let admit: (WebSocketConnection, WebRequest) -> Void
    /// Requests that are being read or answered. Incomplete and refused requests have a deadline.
    private var requests: [OpaquePointer: OpenRequest] = [:]
    /// Number of requests received.
    private var count = 0

    /// Path of the WebSocket for pages.
    static let socketPath = "/api/v1/socket"
    /// Path of the WebSocket for phones.
    static let phonePath = "/api/v1/phone-socket"
    private static let mostRequests = 256
    /// Number of most recent connections that stay open when another connection arrives, even if their TLS
    /// handshake takes longer than `patience`.
    private static let handshakes = (most: 8, patience: Nanoseconds.seconds(1))
    /// Maximum number of connections waiting to be accepted.
    private static let maxBacklog: gint = 1024
    /// Receive buffer of each connection in bytes. The buffer is small, so that little data is left when a flooding
    /// page is disconnected.
    private static let receiveBufferSize: gint = 1 << 16
    /// Maximum time from the first byte of a request to its last.
    private static let requestTimeout = Nanoseconds.seconds(10)
    /// Time from a refusal until the connection is closed.
    private static let refusalTimeout = Nanoseconds.seconds(2)

    /// Creates a server that doesn't listen yet.
    ///
    /// - Parameters:
    ///   - certificate: Certificate and key for TLS; `nil` for plain HTTP.
    ///   - guardian: The access policy.
    ///   - respond: Answers a request that the policy allows.
    ///   - admit: Accepts a WebSocket that the policy allows.
    init(
        _ certificate: WebCertificate?, _ guardian: WebAccessPolicy, respond: @escaping (WebRequest) -> Void,
        admit: @escaping (WebSocketConnection, WebRequest) -> Void
    ) {
        server = OpaquePointer(soup_web_server(certificate?.handle))
        (self.accessPolicy, self.respond, self.admit) = (guardian, respond, admit)
        connectSignals()
    }

    deinit {
        soup_server_disconnect(pointer)
        soup_web_forget(UnsafeMutableRawPointer(server), Unmanaged.passUnretained(self).toOpaque())
        g_object_unref(UnsafeMutableRawPointer(server))
    }

    private var pointer: UnsafeMutablePointer<SoupServer> { UnsafeMutablePointer(server) }

    /// Starts listening for connections.
    ///
    /// - Parameters:
    ///   - address: An IP address of this machine.
    ///   - port: The port; 0 for any free port.
    /// - Returns: The listening port.
    /// - Throws: `WebError` with a sentence that names the relevant option.
    func listen(address: String, port: Int) throws(WebError) -> Int {
        guard let place = g_inet_socket_address_new_from_string(address, guint(port)) else {
            throw WebError(
                "`--listen \(address.printable())`: expected an IP address of this computer, or 0.0.0.0 for all addresses."
            )
        }
        defer { g_object_unref(place) }
        var error: UnsafeMutablePointer<GError>?
        let options =
            accessPolicy.isEncrypted ? SOUP_SERVER_LISTEN_HTTPS : SoupServerListenOptions(rawValue: 0)
        // The socket is created here because GLib's sockets have a backlog of ten. An eleventh client would be ignored,
        // and would retry a second later.
        let socket = g_socket_new(
            g_socket_address_get_family(place), G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, &error)
        defer { if let socket { g_object_unref(socket) } }
        if let socket {
            g_socket_set_listen_backlog(socket, Self.maxBacklog)
            g_socket_set_option(socket, gint(SOL_SOCKET), gint(SO_RCVBUF), Self.receiveBufferSize, nil)
        }
        guard let socket, g_socket_bind(socket, place, 1, &error) != 0, g_socket_listen(socket, &error) != 0,
            soup_server_listen_socket(pointer, socket, options, &error) != 0
        else {
            let reason = error.map { String(cString: $0.pointee.message) } ?? "unknown error"
            let isBusy = error.map { $0.pointee.code == Int32(G_IO_ERROR_ADDRESS_IN_USE.rawValue) } ?? false
            g_clear_error(&error)
            throw WebError(
                isBusy
                    ? "port \(port) is in use by another program. Choose another port with `--port NUMBER`, or any free port with `--port 0`."
                    : "the control room cannot listen on \(address.printable()), port \(port): \(reason.printable())."
            )
        }
        let addresses = soup_server_get_uris(pointer)
        defer { g_slist_free_full(addresses) { g_uri_unref(OpaquePointer($0)) } }
        guard let first = addresses?.pointee.data else {
            throw WebError("the control room is not listening on any port.")
        }
        accessPolicy.port = Int(g_uri_get_port(OpaquePointer(first)))
        return accessPolicy.port
    }

    /// Closes the connections of incomplete requests after their deadline. Also closes connections of refused
    /// requests, because libsoup would otherwise read their bodies to the end. Call this function about once
    /// per second.
    func closeExpiredRequests(at now: ClockTime) {
        if accessPolicy.isEncrypted { dropStalledHandshakes(at: now) }
        for (message, request) in requests where request.deadline.map({ $0 < now }) ?? false {
            request.disconnect()
            requests[message] = nil
        }
    }

    // MARK: libsoup signal handlers

    private func connectSignals() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        soup_web_observe(
            pointer, "request-started",
            { _, message, context in WebServer.of(context)?.requestStarted(message) }, context)
        soup_web_observe(
            pointer, "request-read",
            { _, message, context in
                if let message { WebServer.of(context)?.requests[message]?.markRead() }
            }, context)
        for signal in ["request-finished", "request-aborted"] {
            soup_web_observe(
                pointer, signal, { _, message, context in WebServer.of(context)?.requestEnded(message) },
                context)
        }
        // libsoup calls only the early handler of the best-matching path, so each path with a handler needs
        // an early handler.
        for path in ["/", Self.socketPath, Self.phonePath] {
            soup_server_add_early_handler(
                pointer, path,
                { _, message, _, _, context in
                    if let message { WebServer.of(context)?.checkHeaders(of: message) }
                }, context, nil)
        }
        soup_server_add_handler(
            pointer, "/",
            { _, message, _, _, context in
                if let message { WebServer.of(context)?.dispatch(message) }
            }, context, nil)
        for path in [Self.socketPath, Self.phonePath] {
            soup_server_add_handler(
                pointer, path,
                { _, message, _, _, context in
                    if let message { WebServer.of(context)?.upgrade(message) }
                }, context, nil)
        }
    }

    private static func of(_ context: gpointer?) -> WebServer? {
        context.map { Unmanaged<WebServer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func requestStarted(_ message: OpaquePointer?) {
        guard let message else { return }
        count += 1
        let now = MonotonicClock().now
        let request = OpenRequest(message, number: count, accepted: now, until: now + Self.requestTimeout)
        // libsoup 3.2.3 leaks the descriptor of a connection that ends between two requests, so each connection serves
        // one request.
        soup_message_headers_replace(soup_server_message_get_response_headers(message), "Connection", "close")
        // libsoup doesn't report the end of a request if it rejects the headers.
        if requests.count >= Self.mostRequests { requests = requests.filter { $0.value.connection.isOpen } }
        guard requests.count < Self.mostRequests || dropOldest() else { return request.disconnect() }
        requests[message] = request
    }

    /// Makes room for the TLS handshake of a new connection. GLib runs handshakes on ten threads, and each
    /// thread blocks until its client answers. Without this function, a few silent clients would block all
    /// other clients.
    private func dropStalledHandshakes(at now: ClockTime) {
        let unread = requests.filter { !$0.value.isRead }.sorted { $0.value.number < $1.value.number }
        for (message, request) in unread.dropLast(Self.handshakes.most)
        where now - request.accepted > Self.handshakes.patience {
            request.disconnect()
            requests[message] = nil
        }
    }

    /// Makes room for a new request, so that slow clients without a token can't lock others out. Drops the oldest
    /// request that hasn't been read completely. If all requests have been read, drops the oldest one that is only
    /// waiting for its client to read the response.
    ///
    /// - Returns: Whether a request was dropped. Requests that are being answered are never dropped.
    private func dropOldest() -> Bool {
        let waiting = requests.filter { $0.value.deadline != nil }
        let unread = waiting.filter { !$0.value.isRead }
        let oldest = (unread.isEmpty ? waiting : unread).min { $0.value.number < $1.value.number }
        guard let oldest else { return false }
        oldest.value.disconnect()
        requests[oldest.key] = nil
        return true
    }

    private func requestEnded(_ message: OpaquePointer?) {
        if let message { requests[message] = nil }
    }

    /// Checks a request after its headers have arrived, before the body is read.
    private func checkHeaders(of message: OpaquePointer) {
        let request = WebRequest(message, requests[message])
        if let refusal = accessPolicy.refusal(of: request.head)
            ?? accessPolicy.refusal(ofBodyOf: request.head)
        {
            refuse(request, refusal)
        }
    }

    /// Accepts a WebSocket request, without compression (permessage-deflate, RFC 7692), because a message of 1 MB could
    /// decompress to 1 GB.
    private func upgrade(_ message: OpaquePointer) {
        let request = WebRequest(message, requests[message])
        guard !request.isAnswered else { return }
        soup_web_open_socket(
            message, guint64(Self.longestMessage(of: request)), guint64(WebSocketConnection.longestMessage),
            { message, connection, context in
                guard let message, let connection else { return }
                WebServer.of(context)?.open(message, connection)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Passes a WebSocket to `admit`. From this point on, libsoup doesn't report any events of the request.
    private func open(_ message: OpaquePointer, _ connection: OpaquePointer) {
        let open = requests.removeValue(forKey: message)
        let request = WebRequest(message, open)
        admit(
            WebSocketConnection(
                connection, over: open?.connection, longest: Self.longestMessage(of: request)),
            request)
    }

    private static func longestMessage(of request: WebRequest) -> Int {
        request.head.path == phonePath
            ? WebSocketConnection.longestPhoneMessage : WebSocketConnection.longestMessage
    }

    /// Passes a complete request to `respond`.
    private func dispatch(_ message: OpaquePointer) {
        let request = WebRequest(message, requests[message])
        let isRefused = request.isAnswered
        respond(request)
        if !request.isPaused, !isRefused { requests[message]?.startResponseDeadline() }
    }

    /// Answers immediately, discards the body, and closes the connection once the response is sent.
    private func refuse(_ request: WebRequest, _ answer: WebResponse) {
        var answer = answer
        answer.headers.merge(accessPolicy.headers) { mine, _ in mine }
        request.refuse(answer)
        requests[request.message]?.deadline = MonotonicClock().now + Self.refusalTimeout
    }
}

/// The TCP connection of a request or WebSocket, so that it can be closed immediately. Holds only a weak reference,
/// because libsoup closes a connection by releasing it. Used only on the web loop's thread.
final class WebConnection {
    private let socket = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)

    /// Creates a reference to a message's connection.
    init(of message: OpaquePointer) {
        g_weak_ref_init(socket, soup_server_message_get_socket(message))
    }

    deinit {
        g_weak_ref_clear(socket)
        socket.deallocate()
    }

    /// Whether the connection is still open in libsoup.
    var isOpen: Bool {
        guard let held = g_weak_ref_get(socket) else { return false }
        defer { g_object_unref(held) }
        return g_socket_is_closed(held.assumingMemoryBound(to: GSocket.self)) == 0
    }

    /// Closes the connection immediately.
    func disconnect() {
        guard let held = g_weak_ref_get(socket) else { return }
        g_socket_shutdown(held.assumingMemoryBound(to: GSocket.self), 1, 1, nil)
        g_object_unref(held)
    }
}

/// A TLS certificate with its key.
final class WebCertificate {
    let handle: UnsafeMutablePointer<GTlsCertificate>

    /// Reads a PEM file with certificate and key.
    ///
    /// - Throws: `WebError` with the reason and the relevant option.
    init(_ path: String) throws(WebError) {
        var error: UnsafeMutablePointer<GError>?
        guard let handle = g_tls_certificate_new_from_file(path, &error) else {
            let reason = error.map { String(cString: $0.pointee.message) } ?? "unknown error"
            g_clear_error(&error)
            throw WebError(
                "`--certificate \(path.printable())` cannot be used: \(reason.printable()). Expected a PEM file with a certificate and its private key."
            )
        }
        self.handle = handle
    }

    deinit { g_object_unref(handle) }
}

/// The reason why the control room can't be served, as a sentence for the user.
package struct WebError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The message: what failed, where, why, and what to do.
    package let description: String

    init(_ description: String) { self.description = description }
}
