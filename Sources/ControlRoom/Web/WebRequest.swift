internal import CSoup
internal import FoundationEssentials
internal import Media

/// One request, and the answer to it. Belongs to the thread of the web loop.
final class WebRequest {
    let message: OpaquePointer
    /// Its first line and headers.
    let head: RequestHead
    private let open: OpenRequest?
    /// Whether the answer waits for `resume`.
    private(set) var isPaused = false

    /// Wraps a message of libsoup, and holds it as long as this object lives.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - open: The request as it is counted, with the bounds of its time.
    init(_ message: OpaquePointer, _ open: OpenRequest?) {
        g_object_ref(UnsafeMutableRawPointer(message))
        (self.message, self.open) = (message, open)
        let address = soup_server_message_get_uri(message)
        let headers = soup_server_message_get_request_headers(message)
        func header(_ name: String) -> String? {
            soup_message_headers_get_one(headers, name).map { String(cString: $0) }
        }
        head = RequestHead(
            method: soup_server_message_get_method(message).map { String(cString: $0) } ?? "",
            path: g_uri_get_path(address).map { String(cString: $0) } ?? "/",
            query: Self.parameters(g_uri_get_query(address).map { String(cString: $0) } ?? ""),
            host: header("Host"), origin: header("Origin"), fetchSite: header("Sec-Fetch-Site"),
            authorization: header("Authorization"),
            cookies: Self.cookies(
                soup_message_headers_get_list(headers, "Cookie").map { String(cString: $0) } ?? ""),
            isUpgrade: header("Upgrade") != nil, isChunked: header("Transfer-Encoding") != nil,
            length: header("Content-Length"), range: header("Range"), ifRange: header("If-Range"))
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(message)) }

    private static func parameters(_ text: String) -> [String: String] {
        var found: [String: String] = [:]
        for pair in text.split(separator: "&").prefix(32) {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard let name = parts.first.flatMap({ String($0).percentDecoded }) else { continue }
            found[name] = parts.count == 2 ? String(parts[1]).percentDecoded ?? "" : ""
        }
        return found
    }

    private static func cookies(_ text: String) -> [String: String] {
        var found: [String: String] = [:]
        for pair in text.split(whereSeparator: { $0 == ";" || $0 == "," }).prefix(64) {
            let parts = pair.trimmed.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { found[String(parts[0])] = String(parts[1]) }
        }
        return found
    }

    /// The whole body. The guard has bounded it by its length.
    var body: Data {
        guard let content = soup_server_message_get_request_body(message),
            let bytes = soup_message_body_flatten(content)
        else { return Data() }
        defer { g_bytes_unref(bytes) }
        var count: gsize = 0
        guard let start = g_bytes_get_data(bytes, &count) else { return Data() }
        return Data(bytes: start, count: Int(count))
    }

    /// Whether somebody has answered already.
    var isAnswered: Bool { soup_server_message_get_status(message) != 0 }

    // MARK: Answers

    /// Answers the request.
    ///
    /// - Parameter answer: Status, headers and content.
    func answer(_ answer: WebAnswer) {
        answer.headers.forEach(replaceHeader)
        soup_server_message_set_status(message, guint(answer.status), nil)
        guard let bytes = answer.bytes else { return }
        let body = soup_server_message_get_response_body(message)
        replaceHeader("Content-Type", answer.type)
        bytes.withUnsafeBytes { content in
            soup_message_body_append(body, SOUP_MEMORY_COPY, content.baseAddress, gsize(content.count))
        }
    }

    /// Answers the request, and keeps nothing of what still comes of its body.
    func refuse(_ answer: WebAnswer) {
        soup_message_body_set_accumulate(soup_server_message_get_request_body(message), 0)
        self.answer(answer)
    }

    private func replaceHeader(_ name: String, _ value: String) {
        soup_message_headers_replace(soup_server_message_get_response_headers(message), name, value)
    }

    /// Lets the answer wait, until `resume`.
    func pause() {
        isPaused = true
        soup_server_message_pause(message)
    }

    /// Sends the answer that waited.
    ///
    /// - Parameter isWhole: Whether nothing follows; who sends an answer in pieces bounds its time.
    func resume(isWhole: Bool = true) {
        soup_server_message_unpause(message)
        if isWhole { open?.answered() }
    }

    /// Ends the connection at once.
    func disconnect() { open?.disconnect() }
}
