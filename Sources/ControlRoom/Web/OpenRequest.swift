internal import CSoup
internal import Media

/// A request that libsoup works on. Holds its message, since libsoup does not tell the end of each, and its address would be another's
/// then. Belongs to the thread of the web loop.
final class OpenRequest {
    private let message: OpaquePointer
    /// Its connection, of which a message knows nothing any more when it has become a WebSocket.
    let connection: WebConnection
    /// When its connection is ended, whatever it does; `nil` for never.
    var deadline: ClockTime?

    /// Holds a message of libsoup until `deadline`.
    init(_ message: OpaquePointer, until deadline: ClockTime) {
        g_object_ref(UnsafeMutableRawPointer(message))
        self.message = message
        self.deadline = deadline
        connection = WebConnection(of: message)
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(message)) }

    /// The answer is whole: whoever does not read it within a minute does not get the rest.
    func answered() { deadline = MonotonicClock().now + Self.patience }

    private static let patience = Nanoseconds.seconds(60)

    /// Ends the connection at once.
    func disconnect() { connection.disconnect() }
}
