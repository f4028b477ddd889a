internal import CMulticamSoup
internal import Glibc
internal import MulticamMedia

/// A WebSocket connection (RFC 6455). Used only on the web loop's thread.
final class WebSocketConnection {
    private let connection: OpaquePointer
    private let transport: WebConnection?
    /// Time when the page last answered a ping. `unacknowledgedBytes` counts the bytes of text sent since then.
    private var lastPongTime = MonotonicClock().now
    private var unacknowledgedBytes = 0
    /// Called for each text message.
    var textReceived: (String) -> Void = { _ in }
    /// Called for each binary message. The bytes are valid only during the call.
    var bytesReceived: (UnsafeRawBufferPointer) -> Void = { _ in }
    /// Called once after the connection has ended.
    var closed: () -> Void = {}

    /// Maximum size in bytes of a message from a page, or of a text message from a phone, including all its
    /// WebSocket frames.
    static let longestMessage = 1 << 14
    /// Maximum size of a message from a phone camera, in bytes.
    static let longestPhoneMessage = 4 << 20
    /// Interval between pings, in seconds.
    private static let keepAlive: guint = 5
    /// Time without an answer to a ping after which a page counts as stalled or gone. libsoup itself would wait until
    /// the connection ends.
    private static let pongTimeout = Nanoseconds.seconds(15)
    /// Maximum number of bytes of text waiting for a page. Frames have separate limits.
    private static let maxUnacknowledgedBytes = 1 << 23

    /// Wraps a connection, and retains it for the lifetime of this object.
    ///
    /// - Parameters:
    ///   - connection: The libsoup WebSocket.
    ///   - transport: The underlying TCP connection.
    ///   - longest: Maximum size of a received message, in bytes. A longer message ends the connection.
    init(_ connection: OpaquePointer, over transport: WebConnection?, longest: Int = longestMessage) {
        g_object_ref(UnsafeMutableRawPointer(connection))
        (self.connection, self.transport) = (connection, transport)
        // Limits the size of a single WebSocket frame. `WebServer` limits the total size of a message.
        soup_websocket_connection_set_max_incoming_payload_size(connection, guint64(longest))
        soup_websocket_connection_set_keepalive_interval(connection, Self.keepAlive)
        soup_web_observe_socket(
            connection,
            { _, type, bytes, context in
                guard let context, let bytes else { return }
                let link = Unmanaged<WebSocketConnection>.fromOpaque(context).takeUnretainedValue()
                var count: gsize = 0
                let start = g_bytes_get_data(bytes, &count)
                let content = UnsafeRawBufferPointer(start: start, count: Int(count))
                if type == Int32(SOUP_WEBSOCKET_DATA_TEXT.rawValue) {
                    link.textReceived(String(decoding: content, as: UTF8.self))
                } else {
                    link.bytesReceived(content)
                }
            },
            { _, context in
                guard let context else { return }
                Unmanaged<WebSocketConnection>.fromOpaque(context).takeUnretainedValue().closed()
            },
            { _, _, context in
                guard let context else { return }
                Unmanaged<WebSocketConnection>.fromOpaque(context).takeUnretainedValue().recordPong()
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        soup_web_forget(UnsafeMutableRawPointer(connection), Unmanaged.passUnretained(self).toOpaque())
        g_object_unref(UnsafeMutableRawPointer(connection))
    }

    private var isOpen: Bool { soup_websocket_connection_get_state(connection) == SOUP_WEBSOCKET_STATE_OPEN }

    /// Pongs arrive in order, so everything sent before this ping has been read.
    private func recordPong() { (lastPongTime, unacknowledgedBytes) = (MonotonicClock().now, 0) }

    /// Closes the connection immediately if the page hasn't answered a ping for a while, because such a page
    /// would never read the waiting data.
    func endIfStalled(at now: ClockTime) {
        if now - lastPongTime > Self.pongTimeout || unacknowledgedBytes > Self.maxUnacknowledgedBytes {
            disconnect()
        }
    }

    /// Sends a text message.
    func send(_ text: String) {
        guard isOpen else { return }
        unacknowledgedBytes += text.utf8.count
        soup_websocket_connection_send_text(connection, text)
    }

    /// Sends a binary message. The bytes are copied.
    func send(_ bytes: UnsafeRawBufferPointer) {
        if isOpen { soup_websocket_connection_send_binary(connection, bytes.baseAddress, gsize(bytes.count)) }
    }

    /// Closes the connection with a reason.
    ///
    /// - Parameters:
    ///   - code: Status code of RFC 6455, section 7.4.1, such as 1001 for "going away" or 1013 for "try again later".
    ///   - reason: A short sentence.
    func close(_ code: UInt16, _ reason: String) {
        if isOpen { soup_websocket_connection_close(connection, code, reason) }
    }

    /// Closes the connection immediately, without a closing handshake.
    func disconnect() { transport?.disconnect() }
}
