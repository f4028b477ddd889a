internal import CSoup
internal import Media

/// A request that libsoup works on. Holds its message, since libsoup does not tell the end of each, and its address would be another's
/// then. Belongs to the thread of the web loop.
final class OpenRequest {
    private let message: OpaquePointer
    /// When its connection is ended, whatever it does; `nil` for never.
    var deadline: ClockTime?

    /// Holds a message of libsoup until `deadline`.
    init(_ message: OpaquePointer, until deadline: ClockTime) {
        g_object_ref(UnsafeMutableRawPointer(message))
        self.message = message
        self.deadline = deadline
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(message)) }

    /// Ends the connection at once.
    func disconnect() {
        if let socket = soup_server_message_get_socket(message) { g_socket_shutdown(socket, 1, 1, nil) }
    }
}
