internal import CSoup
internal import Glibc
internal import Media

/// Serves HTTP and WebSockets by libsoup. Belongs to the thread of the web loop.
///
/// It bounds what anybody may make it do, before a request is looked at: the number of connections, the time until a request is whole,
/// the length of a body.
final class WebServer {
    private let server: OpaquePointer
    private var guardian: WebGuard
    private let respond: (WebRequest) -> Void
    private let admit: (WebSocketLink, WebRequest) -> Void
    /// The requests that are read or answered now. Those that are not whole, or refused, have a deadline.
    private var requests: [OpaquePointer: OpenRequest] = [:]

    /// Address of the WebSocket.
    static let socketPath = "/api/v1/socket"
    /// Address of the WebSocket of phones.
    static let phonePath = "/api/v1/phone-socket"
    private static let mostRequests = 256
    /// Most connections that wait for the loop to take them.
    private static let mostWaiting: gint = 1024
    /// Bytes that wait for the loop to read them, of each connection: a page that floods the server is cut off with little behind it.
    private static let mostUnread: gint = 1 << 16
    /// Time from the first byte of a request to its last.
    private static let patience = Nanoseconds.seconds(10)
    /// Time from a refusal to the end of its connection.
    private static let refusalPatience = Nanoseconds.seconds(2)

    /// Creates a server that listens nowhere yet.
    ///
    /// - Parameters:
    ///   - certificate: With its key, for TLS; `nil` for none.
    ///   - guardian: Decides who may ask for what.
    ///   - respond: Answers a request that may be asked.
    ///   - admit: Takes a WebSocket that may be opened.
    init(
        _ certificate: WebCertificate?, _ guardian: WebGuard, respond: @escaping (WebRequest) -> Void,
        admit: @escaping (WebSocketLink, WebRequest) -> Void
    ) {
        server = OpaquePointer(soup_web_server(certificate?.handle))
        (self.guardian, self.respond, self.admit) = (guardian, respond, admit)
        observe()
    }

    deinit {
        soup_server_disconnect(pointer)
        soup_web_forget(UnsafeMutableRawPointer(server), Unmanaged.passUnretained(self).toOpaque())
        g_object_unref(UnsafeMutableRawPointer(server))
    }

    private var pointer: UnsafeMutablePointer<SoupServer> { UnsafeMutablePointer(server) }

    /// Listens for connections.
    ///
    /// - Parameters:
    ///   - address: An IP address of this machine.
    ///   - port: The port; 0 for a free one.
    /// - Returns: The port.
    /// - Throws: `WebError` with a sentence that names the option that helps.
    func listen(address: String, port: Int) throws(WebError) -> Int {
        guard let place = g_inet_socket_address_new_from_string(address, guint(port)) else {
            throw WebError(
                "`--listen \(address.printable())`: expected an IP address of this machine, such as 0.0.0.0 for all."
            )
        }
        defer { g_object_unref(place) }
        var error: UnsafeMutablePointer<GError>?
        let options = guardian.isEncrypted ? SOUP_SERVER_LISTEN_HTTPS : SoupServerListenOptions(rawValue: 0)
        // A socket of our own, since GLib's keep ten waiting: who comes eleventh is not heard, and tries again a second later.
        let socket = g_socket_new(
            g_socket_address_get_family(place), G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, &error)
        defer { if let socket { g_object_unref(socket) } }
        if let socket {
            g_socket_set_listen_backlog(socket, Self.mostWaiting)
            g_socket_set_option(socket, gint(SOL_SOCKET), gint(SO_RCVBUF), Self.mostUnread, nil)
        }
        guard let socket, g_socket_bind(socket, place, 1, &error) != 0, g_socket_listen(socket, &error) != 0,
            soup_server_listen_socket(pointer, socket, options, &error) != 0
        else {
            let reason = error.map { String(cString: $0.pointee.message) } ?? "the system does not say why"
            let isBusy = error.map { $0.pointee.code == Int32(G_IO_ERROR_ADDRESS_IN_USE.rawValue) } ?? false
            g_clear_error(&error)
            throw WebError(
                isBusy
                    ? "port \(port) is taken by another program: choose another one with `--port NUMBER`, or a free one with `--port 0`."
                    : "the control room cannot listen at \(address.printable()), port \(port): \(reason.printable())."
            )
        }
        let addresses = soup_server_get_uris(pointer)
        defer { g_slist_free_full(addresses) { g_uri_unref(OpaquePointer($0)) } }
        guard let first = addresses?.pointee.data else {
            throw WebError("the control room listens at no port.")
        }
        guardian.port = Int(g_uri_get_port(OpaquePointer(first)))
        return guardian.port
    }

    /// Ends connections whose request is not whole in time, and those of refused requests, whose bodies libsoup would read to their
    /// end. Called every second or so.
    func endLateRequests(at now: ClockTime) {
        for (message, request) in requests where request.deadline.map({ $0 < now }) ?? false {
            request.disconnect()
            requests[message] = nil
        }
    }

    // MARK: Signals of libsoup

    private func observe() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        soup_web_observe(
            pointer, "request-started",
            { _, message, context in WebServer.of(context)?.started(message) }, context)
        soup_web_observe(
            pointer, "request-read",
            { _, message, context in
                // What was refused before it was read keeps its deadline.
                guard let message, soup_server_message_get_status(message) == 0 else { return }
                WebServer.of(context)?.requests[message]?.deadline = nil
            }, context)
        for signal in ["request-finished", "request-aborted"] {
            soup_web_observe(
                pointer, signal, { _, message, context in WebServer.of(context)?.ended(message) }, context)
        }
        // libsoup asks the early handler of the one handler whose path fits best, so each path that has a handler has an early one.
        for path in ["/", Self.socketPath, Self.phonePath] {
            soup_server_add_early_handler(
                pointer, path,
                { _, message, _, _, context in
                    if let message { WebServer.of(context)?.examine(message) }
                }, context, nil)
        }
        soup_server_add_handler(
            pointer, "/",
            { _, message, _, _, context in
                if let message { WebServer.of(context)?.answer(message) }
            }, context, nil)
        for path in [Self.socketPath, Self.phonePath] {
            soup_server_add_websocket_handler(
                pointer, path, nil, nil,
                { _, message, _, connection, context in
                    guard let message, let connection, let server = WebServer.of(context) else { return }
                    server.open(message, connection)
                }, context, nil)
        }
    }

    private static func of(_ context: gpointer?) -> WebServer? {
        context.map { Unmanaged<WebServer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func started(_ message: OpaquePointer?) {
        guard let message else { return }
        let request = OpenRequest(message, until: MonotonicClock().now + Self.patience)
        // libsoup 3.2.3 keeps the descriptor of a connection that ends between two requests, so each connection has one.
        soup_message_headers_replace(soup_server_message_get_response_headers(message), "Connection", "close")
        // libsoup does not tell the end of a request whose head it refuses.
        if requests.count >= Self.mostRequests { requests = requests.filter { $0.value.connection.isOpen } }
        guard requests.count < Self.mostRequests else { return request.disconnect() }
        requests[message] = request
    }

    private func ended(_ message: OpaquePointer?) {
        if let message { requests[message] = nil }
    }

    /// Looks at a request whose headers are there and whose body is not.
    private func examine(_ message: OpaquePointer) {
        let request = WebRequest(message, requests[message])
        if let refusal = guardian.refusal(of: request.head) ?? guardian.refusal(ofBodyOf: request.head) {
            refuse(request, refusal)
        }
    }

    /// Hands a WebSocket over. The connection is a WebSocket's from here on; libsoup tells nothing more of the request.
    private func open(_ message: OpaquePointer, _ connection: OpaquePointer) {
        let open = requests.removeValue(forKey: message)
        let request = WebRequest(message, open)
        let longest =
            request.head.path == Self.phonePath
            ? WebSocketLink.longestPhoneMessage : WebSocketLink.longestMessage
        admit(WebSocketLink(connection, over: open?.connection, longest: longest), request)
    }

    /// Has a request answered that is whole.
    private func answer(_ message: OpaquePointer) {
        let request = WebRequest(message, requests[message])
        let isRefused = request.isAnswered
        respond(request)
        if !request.isPaused, !isRefused { requests[message]?.answered() }
    }

    /// Answers at once, keeps nothing of the body, and ends the connection once the answer is sent.
    private func refuse(_ request: WebRequest, _ answer: WebAnswer) {
        var answer = answer
        answer.headers.merge(guardian.headers) { mine, _ in mine }
        request.refuse(answer)
        requests[request.message]?.deadline = MonotonicClock().now + Self.refusalPatience
    }
}
