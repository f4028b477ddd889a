internal import CSoup
internal import Glibc
internal import Media

/// A connection with the desktop's session bus (D-Bus), with a deadline for every answer. Belongs to the thread that makes it.
///
/// Values are written as GVariant's text format has them, and read by their types.
final class DesktopBus {
    /// Why a call failed.
    enum Failure: Error {
        /// Nobody has the name, or the name's owner has not this interface, method or property.
        case unknown
        /// Something else, as the bus or the callee says it.
        case other(String)
    }

    private let connection: OpaquePointer
    private let context: OpaquePointer
    private var subscriptions: [UInt32] = []

    /// What a call may take, in milliseconds.
    private static let patience: Int32 = 5000

    /// Connects to the bus that the environment names.
    ///
    /// - Throws: `Failure.other` when there is none.
    init() throws(Failure) {
        let context: OpaquePointer = g_main_context_new()
        // Signals are handed to the context that is the thread's own when they are subscribed to.
        g_main_context_push_thread_default(context)
        var error: UnsafeMutablePointer<GError>?
        var opened: OpaquePointer?
        let deadline = BusDeadline(.milliseconds(Int64(Self.patience)))
        if let place = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SESSION, nil, &error) {
            opened = g_dbus_connection_new_for_address_sync(
                place,
                GDBusConnectionFlags(
                    G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                        | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue),
                nil, deadline.cancellable, &error)
            g_free(place)
        }
        deadline.end()
        guard let opened else {
            g_main_context_pop_thread_default(context)
            g_main_context_unref(context)
            throw Self.failure(error)
        }
        (connection, self.context) = (opened, context)
    }

    deinit {
        for subscription in subscriptions { g_dbus_connection_signal_unsubscribe(connection, subscription) }
        g_dbus_connection_close_sync(connection, nil, nil)
        g_object_unref(UnsafeMutableRawPointer(connection))
        // What an unsubscription leaves is for the context.
        handleSignals()
        g_main_context_pop_thread_default(context)
        g_main_context_unref(context)
    }

    /// This connection's name on the bus, such as `:1.42`.
    var ownName: String { g_dbus_connection_get_unique_name(connection).map { String(cString: $0) } ?? "" }

    /// Whether the bus has ended the connection.
    var isClosed: Bool { g_dbus_connection_is_closed(connection) != 0 }

    /// Calls a method. Blocks for some seconds at most.
    ///
    /// - Parameters:
    ///   - method: The interface and the method, with a point between them.
    ///   - path: The object.
    ///   - name: Who has it.
    ///   - arguments: A tuple in GVariant's text format.
    ///   - takesDescriptor: Whether a descriptor that comes with the answer is wanted.
    /// - Returns: The answer, and the descriptor, which is the caller's; `nil` for none.
    /// - Throws: `Failure`.
    func call(
        _ method: String, of path: String, at name: String, _ arguments: String,
        takesDescriptor: Bool = false
    ) throws(Failure) -> (answer: DesktopValue, descriptor: Int32?) {
        var error: UnsafeMutablePointer<GError>?
        guard let given = g_variant_parse(nil, arguments, nil, nil, &error) else { throw Self.failure(error) }
        defer { g_variant_unref(given) }
        let point = method.lastIndex(of: ".") ?? method.startIndex
        var descriptors: UnsafeMutablePointer<GUnixFDList>?
        let answer = g_dbus_connection_call_with_unix_fd_list_sync(
            connection, name, path, String(method[..<point]), String(method[point...].dropFirst()), given,
            nil,
            G_DBUS_CALL_FLAGS_NONE, Self.patience, nil, &descriptors, nil, &error)
        defer { if let descriptors { g_object_unref(descriptors) } }
        guard let answer else { throw Self.failure(error) }
        let value = DesktopValue(owning: answer)
        guard takesDescriptor, let descriptors, g_unix_fd_list_get_length(descriptors) > 0 else {
            return (value, nil)
        }
        let descriptor = g_unix_fd_list_get(descriptors, 0, nil)
        return (value, descriptor < 0 ? nil : descriptor)
    }

    /// Hears a signal, from now on until the connection ends.
    ///
    /// - Parameters:
    ///   - signal: The interface and the signal, with a point between them.
    ///   - path: The object that sends it.
    ///   - name: Who has it.
    ///   - box: Takes what the signal has. `handleSignals` fills it.
    func hear(_ signal: String, of path: String, at name: String, into box: DesktopSignal) {
        let point = signal.lastIndex(of: ".") ?? signal.startIndex
        let subscription = g_dbus_connection_signal_subscribe(
            connection, name, String(signal[..<point]), String(signal[point...].dropFirst()), path, nil,
            G_DBUS_SIGNAL_FLAGS_NONE,
            { _, _, _, _, _, parameters, context in
                guard let parameters, let context else { return }
                let box = Unmanaged<DesktopSignal>.fromOpaque(context).takeUnretainedValue()
                box.value = DesktopValue(owning: g_variant_ref(parameters))
            }, Unmanaged.passRetained(box).toOpaque(),
            { context in
                if let context { Unmanaged<DesktopSignal>.fromOpaque(context).release() }
            })
        subscriptions.append(subscription)
    }

    /// Fills the boxes of signals that have come. Does not wait.
    func handleSignals() { while g_main_context_iteration(context, 0) != 0 {} }

    private static func failure(_ error: UnsafeMutablePointer<GError>?) -> Failure {
        guard let error else { return .other("the session bus does not answer") }
        defer { g_error_free(error) }
        let unknown = [
            G_DBUS_ERROR_SERVICE_UNKNOWN, G_DBUS_ERROR_NAME_HAS_NO_OWNER, G_DBUS_ERROR_UNKNOWN_METHOD,
            G_DBUS_ERROR_UNKNOWN_INTERFACE, G_DBUS_ERROR_UNKNOWN_OBJECT, G_DBUS_ERROR_UNKNOWN_PROPERTY,
            G_DBUS_ERROR_INVALID_ARGS, G_DBUS_ERROR_SPAWN_SERVICE_NOT_FOUND,
        ]
        if error.pointee.domain == g_dbus_error_quark(),
            unknown.contains(where: { Int32($0.rawValue) == error.pointee.code })
        {
            return .unknown
        }
        g_dbus_error_strip_remote_error(error)
        return .other(String(cString: error.pointee.message).printable(limit: 300).trimmingFullStop)
    }
}
