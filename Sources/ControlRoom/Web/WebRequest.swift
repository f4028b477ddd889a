internal import CMulticamSoup
internal import FoundationEssentials
internal import MulticamMedia
internal import MulticamSessionFolder

/// An HTTP request and its response. Used only on the web loop's thread.
final class WebRequest {
    let message: OpaquePointer
    /// The request line and headers.
    let head: RequestHead
    private let open: OpenRequest?
    /// Whether the response is held back until `resume`.
    private(set) var isPaused = false

    /// Wraps a libsoup message, and retains it for the lifetime of this object.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - open: The server's entry for the request, with its deadline.
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

    /// The complete body. The access policy has limited the length of the body.
    var body: Data {
        guard let content = soup_server_message_get_request_body(message),
            let bytes = soup_message_body_flatten(content)
        else { return Data() }
        defer { g_bytes_unref(bytes) }
        var count: gsize = 0
        guard let start = g_bytes_get_data(bytes, &count) else { return Data() }
        return Data(bytes: start, count: Int(count))
    }

    /// Whether a response has already been set.
    var isAnswered: Bool { soup_server_message_get_status(message) != 0 }

    // MARK: Responses

    /// Sets the response.
    ///
    /// - Parameter answer: Status, headers and content.
    func respond(with answer: WebResponse) {
        answer.headers.forEach(replaceHeader)
        soup_server_message_set_status(message, guint(answer.status), nil)
        guard let bytes = answer.bytes else { return }
        let body = soup_server_message_get_response_body(message)
        replaceHeader("Content-Type", answer.type)
        bytes.withUnsafeBytes { content in
            soup_message_body_append(body, SOUP_MEMORY_COPY, content.baseAddress, gsize(content.count))
        }
    }

    /// Sets the response, and discards the rest of the request's body.
    func refuse(_ answer: WebResponse) {
        soup_message_body_set_accumulate(soup_server_message_get_request_body(message), 0)
        self.respond(with: answer)
    }

    private func replaceHeader(_ name: String, _ value: String) {
        soup_message_headers_replace(soup_server_message_get_response_headers(message), name, value)
    }

    /// Holds back the response until `resume`.
    func pause() {
        isPaused = true
        soup_server_message_pause(message)
    }

    /// Sends the paused response.
    ///
    /// - Parameter isWhole: Whether the response is complete. If the response is sent in pieces, the sender must
    ///   enforce a time limit.
    func resume(isWhole: Bool = true) {
        soup_server_message_unpause(message)
        if isWhole { open?.startResponseDeadline() }
    }

    /// Closes the connection immediately.
    func disconnect() { open?.disconnect() }
}

/// A request that libsoup is processing. Retains the libsoup message, because libsoup doesn't report the end
/// of every message, and another message could otherwise reuse the address. Used only on the web loop's
/// thread.
final class OpenRequest {
    private let message: OpaquePointer
    /// The request's connection. A message loses its connection when it becomes a WebSocket.
    let connection: WebConnection
    /// Time when the connection is closed unconditionally; `nil` if there is no deadline.
    var deadline: ClockTime?
    /// Number of the request. Later requests have higher numbers.
    let number: Int
    /// Time when the connection was accepted.
    let accepted: ClockTime
    /// Whether the request has been read completely.
    private(set) var isRead = false

    /// Retains a libsoup message, and sets `deadline`.
    init(_ message: OpaquePointer, number: Int, accepted: ClockTime, until deadline: ClockTime) {
        g_object_ref(UnsafeMutableRawPointer(message))
        self.message = message
        self.number = number
        self.accepted = accepted
        self.deadline = deadline
        connection = WebConnection(of: message)
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(message)) }

    /// Marks the request as completely read. A request that was refused before keeps its deadline.
    func markRead() {
        isRead = true
        if soup_server_message_get_status(message) == 0 { deadline = nil }
    }

    /// Sets a deadline of one minute for the client to read the complete response.
    func startResponseDeadline() { deadline = MonotonicClock().now + Self.responseTimeout }

    private static let responseTimeout = Nanoseconds.seconds(60)

    /// Closes the connection immediately.
    func disconnect() { connection.disconnect() }
}

/// Response to an HTTP request.
struct WebResponse: Sendable {
    /// HTTP status, such as 200.
    var status: Int
    /// Media type of the content.
    var type = "text/plain; charset=utf-8"
    /// The content; `nil` for a response without content.
    var bytes: Data?
    /// Additional headers.
    var headers: [String: String] = [:]

    /// Creates a response with content.
    init(_ status: Int, _ type: String, _ bytes: Data) {
        (self.status, self.type, self.bytes) = (status, type, bytes)
    }

    /// Creates a response from JSON text.
    init(_ status: Int, json: String) { self.init(status, "application/json", Data(json.utf8)) }

    /// Creates a response with a message, as `{"ok":false,"text":"…"}`.
    init(_ status: Int, message sentence: String) {
        struct Refusal: Encodable {
            let ok = false
            let text: String
        }
        self.init(status, json: WebJSON.text(Refusal(text: sentence)))
    }
}

/// JSON coding of messages with partly unknown fields: fields in a newer recorder's status that are unknown
/// to this program are retained.
enum WebJSON {
    /// Encodes a value on one line.
    static func text(_ value: some Encodable) -> String { JSONText.line(value) }

    /// Decodes a value; returns `nil` if it has another type.
    static func value<Value: Decodable>(of json: JSONValue) -> Value? {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(text(json).utf8))
        } catch {
            return nil
        }
    }

    /// Parses an object. Returns `nil` if the text isn't a JSON object.
    static func object(_ text: String) -> [String: JSONValue]? {
        do {
            return try JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
        } catch {
            return nil
        }
    }
}
