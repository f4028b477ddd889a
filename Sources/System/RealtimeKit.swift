internal import CMulticamDBus
internal import Glibc
internal import MulticamMedia

/// Client of RealtimeKit on the system D-Bus. Sound servers use this service to raise the priority of their
/// threads (rtkit-daemon(8)).
///
/// RealtimeKit raises the priority of at most 25 threads per user.
package struct RealtimeKit: PriorityService {
    private static let name = "org.freedesktop.RealtimeKit1"
    private static let object = "/org/freedesktop/RealtimeKit1"
    /// Timeout of a D-Bus request in milliseconds.
    private static let requestTimeout: Int32 = 2000

    private let address: String?

    /// Creates a RealtimeKit client. The client opens a D-Bus connection for each request.
    ///
    /// - Parameter address: D-Bus address of the message bus; `nil` for the system bus.
    package init(bus address: String? = nil) { self.address = address }

    /// Raises the priority of a thread of this process. This method blocks until RealtimeKit has responded,
    /// for at most a few seconds.
    ///
    /// - Parameters:
    ///   - thread: The thread ID (gettid(2)).
    ///   - nice: The requested nice value.
    /// - Returns: The reason why the request was rejected; `nil` on success.
    package func raise(thread: Int32, toNice nice: Int32) -> String? {
        var error = DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard let connection = connect(&error) else {
            return Self.text(of: error, else: "the system's D-Bus can't be reached")
        }
        defer {
            dbus_connection_close(connection)
            dbus_connection_unref(connection)
        }
        guard
            let call = dbus_message_new_method_call(
                Self.name, Self.object, Self.name, "MakeThreadHighPriorityWithPID")
        else { return "out of memory" }
        defer { dbus_message_unref(call) }
        var arguments = DBusMessageIter()
        dbus_message_iter_init_append(call, &arguments)
        var (process, number, priority) = (UInt64(getpid()), UInt64(thread), nice)
        dbus_message_iter_append_basic(&arguments, Int32(UInt8(ascii: "t")), &process)
        dbus_message_iter_append_basic(&arguments, Int32(UInt8(ascii: "t")), &number)
        dbus_message_iter_append_basic(&arguments, Int32(UInt8(ascii: "i")), &priority)
        guard
            let answer = dbus_connection_send_with_reply_and_block(
                connection, call, Self.requestTimeout, &error)
        else { return Self.text(of: error, else: "RealtimeKit did not respond") }
        dbus_message_unref(answer)
        return nil
    }

    private func connect(_ error: inout DBusError) -> OpaquePointer? {
        guard let address else {
            let connection = dbus_bus_get_private(DBUS_BUS_SYSTEM, &error)
            // By default, libdbus terminates the process when the bus disconnects.
            if let connection { dbus_connection_set_exit_on_disconnect(connection, 0) }
            return connection
        }
        guard let connection = dbus_connection_open_private(address, &error) else { return nil }
        guard dbus_bus_register(connection, &error) != 0 else {
            dbus_connection_close(connection)
            dbus_connection_unref(connection)
            return nil
        }
        dbus_connection_set_exit_on_disconnect(connection, 0)
        return connection
    }

    private static func text(of error: DBusError, else fallback: String) -> String {
        guard let message = error.message else { return fallback }
        return "RealtimeKit: \(String(cString: message).printable(limit: 200).trimmingFullStop)"
    }
}
