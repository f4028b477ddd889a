internal import CSoup

/// The TCP connection of a request or a WebSocket, which can be ended at once. It does not keep the connection open: libsoup closes that by letting go of
/// it. Belongs to the thread of the web loop.
final class WebConnection {
    private let socket = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)

    /// Refers to the connection of a message.
    init(of message: OpaquePointer) {
        g_weak_ref_init(socket, soup_server_message_get_socket(message))
    }

    deinit {
        g_weak_ref_clear(socket)
        socket.deallocate()
    }

    /// Whether libsoup has not closed it.
    var isOpen: Bool {
        guard let held = g_weak_ref_get(socket) else { return false }
        defer { g_object_unref(held) }
        return g_socket_is_closed(held.assumingMemoryBound(to: GSocket.self)) == 0
    }

    /// Ends it at once.
    func disconnect() {
        guard let held = g_weak_ref_get(socket) else { return }
        g_socket_shutdown(held.assumingMemoryBound(to: GSocket.self), 1, 1, nil)
        g_object_unref(held)
    }
}
