internal import CSoup
internal import Glibc
internal import Media

/// One WebSocket (RFC 6455). Belongs to the thread of the web loop.
final class WebSocketLink {
    private let connection: OpaquePointer
    private let transport: WebConnection?
    /// When the page answered a ping last, and bytes of text that were sent since then.
    private var answered = MonotonicClock().now
    private var unanswered = 0
    /// Called for each text message.
    var received: (String) -> Void = { _ in }
    /// Called for each binary message, with bytes that are there during the call.
    var receivedBytes: (UnsafeRawBufferPointer) -> Void = { _ in }
    /// Called once when the connection has ended.
    var closed: () -> Void = {}

    /// Most bytes of a message from a page.
    static let longestMessage = 1 << 14
    /// Most bytes of a message from a phone that is a camera.
    static let longestPhoneMessage = 4 << 20
    /// Seconds from one ping of ours to the next.
    private static let keepAlive: guint = 5
    /// A page that answers none for this long has stalled, or is gone. libsoup itself would wait for as long as the connection lasts.
    private static let patience = Nanoseconds.seconds(15)
    /// Most bytes of text that wait for a page: frames wait in bounds of their own.
    private static let mostUnanswered = 1 << 23

    /// Takes a connection, and holds it as long as this object lives.
    ///
    /// - Parameters:
    ///   - connection: libsoup's WebSocket.
    ///   - transport: The TCP connection below it.
    ///   - longest: Most bytes of a message from the other side; a longer one ends the connection.
    init(_ connection: OpaquePointer, over transport: WebConnection?, longest: Int = longestMessage) {
        g_object_ref(UnsafeMutableRawPointer(connection))
        (self.connection, self.transport) = (connection, transport)
        soup_websocket_connection_set_max_incoming_payload_size(connection, guint64(longest))
        soup_websocket_connection_set_keepalive_interval(connection, Self.keepAlive)
        soup_web_observe_socket(
            connection,
            { _, type, bytes, context in
                guard let context, let bytes else { return }
                let link = Unmanaged<WebSocketLink>.fromOpaque(context).takeUnretainedValue()
                var count: gsize = 0
                let start = g_bytes_get_data(bytes, &count)
                let content = UnsafeRawBufferPointer(start: start, count: Int(count))
                if type == Int32(SOUP_WEBSOCKET_DATA_TEXT.rawValue) {
                    link.received(String(decoding: content, as: UTF8.self))
                } else {
                    link.receivedBytes(content)
                }
            },
            { _, context in
                guard let context else { return }
                Unmanaged<WebSocketLink>.fromOpaque(context).takeUnretainedValue().closed()
            },
            { _, _, context in
                guard let context else { return }
                Unmanaged<WebSocketLink>.fromOpaque(context).takeUnretainedValue().noteAnswer()
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        soup_web_forget(UnsafeMutableRawPointer(connection), Unmanaged.passUnretained(self).toOpaque())
        g_object_unref(UnsafeMutableRawPointer(connection))
    }

    private var isOpen: Bool { soup_websocket_connection_get_state(connection) == SOUP_WEBSOCKET_STATE_OPEN }

    /// Answers come in the order of what they answer: all that was sent before this ping has been read.
    private func noteAnswer() { (answered, unanswered) = (MonotonicClock().now, 0) }

    /// Ends the connection at once when the page has answered no ping for a while: it would never read what waits for it.
    func endIfStalled(at now: ClockTime) {
        if now - answered > Self.patience || unanswered > Self.mostUnanswered { disconnect() }
    }

    /// Sends text.
    func send(_ text: String) {
        guard isOpen else { return }
        unanswered += text.utf8.count
        soup_websocket_connection_send_text(connection, text)
    }

    /// Sends bytes, which are copied.
    func send(_ bytes: UnsafeRawBufferPointer) {
        if isOpen { soup_websocket_connection_send_binary(connection, bytes.baseAddress, gsize(bytes.count)) }
    }

    /// Ends the connection with a reason.
    ///
    /// - Parameters:
    ///   - code: As RFC 6455, section 7.4.1, such as 1001 for "going away", 1013 for "try again later".
    ///   - reason: A short sentence.
    func close(_ code: UInt16, _ reason: String) {
        if isOpen { soup_websocket_connection_close(connection, code, reason) }
    }

    /// Ends the connection at once, without a word.
    func disconnect() { transport?.disconnect() }
}
