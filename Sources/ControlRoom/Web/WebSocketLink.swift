internal import CSoup
internal import Foundation
internal import Media

/// One WebSocket (RFC 6455). Belongs to the thread of the web loop.
final class WebSocketLink {
    private let connection: OpaquePointer
    /// Called for each text message.
    var received: (String) -> Void = { _ in }
    /// Called once when the connection has ended.
    var closed: () -> Void = {}

    /// Most bytes of a message from a page.
    private static let longestMessage: guint64 = 1 << 14
    /// A page that does not answer a ping for this long, in seconds, is gone.
    private static let keepAlive: guint = 5

    /// Takes a connection, and holds it as long as this object lives.
    init(_ connection: OpaquePointer) {
        g_object_ref(UnsafeMutableRawPointer(connection))
        self.connection = connection
        soup_websocket_connection_set_max_incoming_payload_size(connection, Self.longestMessage)
        soup_websocket_connection_set_keepalive_interval(connection, Self.keepAlive)
        soup_web_observe_socket(
            connection,
            { _, type, bytes, context in
                guard let context, let bytes, type == Int32(SOUP_WEBSOCKET_DATA_TEXT.rawValue) else { return }
                var count: gsize = 0
                let start = g_bytes_get_data(bytes, &count)
                let text = String(
                    decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
                Unmanaged<WebSocketLink>.fromOpaque(context).takeUnretainedValue().received(text)
            },
            { _, context in
                guard let context else { return }
                Unmanaged<WebSocketLink>.fromOpaque(context).takeUnretainedValue().closed()
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        soup_web_forget(UnsafeMutableRawPointer(connection), Unmanaged.passUnretained(self).toOpaque())
        g_object_unref(UnsafeMutableRawPointer(connection))
    }

    private var isOpen: Bool { soup_websocket_connection_get_state(connection) == SOUP_WEBSOCKET_STATE_OPEN }

    /// Sends text.
    func send(_ text: String) {
        if isOpen { soup_websocket_connection_send_text(connection, text) }
    }

    /// Sends bytes, which are copied.
    func send(_ bytes: UnsafeRawBufferPointer) {
        if isOpen { soup_websocket_connection_send_binary(connection, bytes.baseAddress, gsize(bytes.count)) }
    }

    /// Ends the connection.
    ///
    /// - Parameters:
    ///   - code: As RFC 6455, section 7.4.1, such as 1001 for "going away", 1008 for "policy".
    ///   - reason: A short sentence.
    func close(_ code: UInt16, _ reason: String) {
        if isOpen { soup_websocket_connection_close(connection, code, reason) }
    }
}
