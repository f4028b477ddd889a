internal import CMulticamSoup
internal import Glibc
internal import MulticamMedia

/// A connection to the desktop's session bus (D-Bus) with a deadline for every reply. Use this type only on the thread
/// that creates it.
///
/// Values are written in GVariant's text format and read by type.
final class DesktopBus {
    /// The reason why a call failed.
    enum Failure: Error {
        /// The bus name isn't owned, or its owner lacks this interface, method, or property.
        case unknown
        /// Another error, with the message from the bus or the callee.
        case other(String)
    }

    private let connection: OpaquePointer
    private let context: OpaquePointer
    private var subscriptions: [UInt32] = []

    /// Timeout of a call, in milliseconds.
    private static let callTimeout: Int32 = 5000

    /// Connects to the bus that the environment names.
    ///
    /// - Throws: `Failure.other` if there is no bus.
    init() throws(Failure) {
        let context: OpaquePointer = g_main_context_new()
        // GIO delivers signals to the context that is the thread's default when the subscription is made.
        g_main_context_push_thread_default(context)
        var error: UnsafeMutablePointer<GError>?
        var opened: OpaquePointer?
        let deadline = BusDeadline(.milliseconds(Int64(Self.callTimeout)))
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
        // The main context completes the unsubscription from the signals.
        handleSignals()
        g_main_context_pop_thread_default(context)
        g_main_context_unref(context)
    }

    /// This connection's name on the bus, such as `:1.42`.
    var ownName: String { g_dbus_connection_get_unique_name(connection).map { String(cString: $0) } ?? "" }

    /// Whether the bus has ended the connection.
    var isClosed: Bool { g_dbus_connection_is_closed(connection) != 0 }

    /// Calls a D-Bus method. The call blocks for a few seconds at most.
    ///
    /// - Parameters:
    ///   - method: The interface and the method, separated by a period.
    ///   - path: Path of the object.
    ///   - name: Bus name of the object's owner.
    ///   - arguments: A tuple in GVariant's text format.
    ///   - returnsDescriptor: Whether to return a file descriptor that comes with the reply.
    /// - Returns: The reply, and the descriptor, which the caller owns; `nil` if there is no descriptor.
    /// - Throws: `Failure` if the call fails.
    func call(
        _ method: String, of path: String, at name: String, _ arguments: String,
        returnsDescriptor: Bool = false
    ) throws(Failure) -> (answer: DesktopValue, descriptor: Int32?) {
        var error: UnsafeMutablePointer<GError>?
        guard let given = g_variant_parse(nil, arguments, nil, nil, &error) else { throw Self.failure(error) }
        defer { g_variant_unref(given) }
        let point = method.lastIndex(of: ".") ?? method.startIndex
        var descriptors: UnsafeMutablePointer<GUnixFDList>?
        let answer = g_dbus_connection_call_with_unix_fd_list_sync(
            connection, name, path, String(method[..<point]), String(method[point...].dropFirst()), given,
            nil,
            G_DBUS_CALL_FLAGS_NONE, Self.callTimeout, nil, &descriptors, nil, &error)
        defer { if let descriptors { g_object_unref(descriptors) } }
        guard let answer else { throw Self.failure(error) }
        let value = DesktopValue(owning: answer)
        guard returnsDescriptor, let descriptors, g_unix_fd_list_get_length(descriptors) > 0 else {
            return (value, nil)
        }
        let descriptor = g_unix_fd_list_get(descriptors, 0, nil)
        return (value, descriptor < 0 ? nil : descriptor)
    }

    /// Subscribes to a signal until the connection ends.
    ///
    /// - Parameters:
    ///   - signal: The interface and the signal, separated by a period.
    ///   - path: Path of the object that sends the signal.
    ///   - name: Bus name of the object's owner.
    ///   - box: Receives the signal's value. `handleSignals` fills the box.
    func subscribe(to signal: String, of path: String, at name: String, into box: DesktopSignal) {
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

    /// Fills the boxes of signals that have arrived. This method doesn't block.
    func handleSignals() { while g_main_context_iteration(context, 0) != 0 {} }

    private static func failure(_ error: UnsafeMutablePointer<GError>?) -> Failure {
        guard let error else { return .other("the session bus is not responding") }
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

/// Cancels a GIO call that takes too long, because GIO doesn't limit the time for connecting to a bus. A
/// separate thread waits for the deadline.
final class BusDeadline: @unchecked Sendable {
    // The cancellable is written once, and GIO's cancellables are thread-safe.
    /// The cancellable to pass to the call.
    let cancellable: UnsafeMutablePointer<GCancellable> = g_cancellable_new()
    private let isOver = ConditionLock(false)

    /// Starts the deadline.
    ///
    /// - Parameter limit: Maximum duration of the call.
    init(_ limit: Nanoseconds) {
        MediaThread.startWhenPossible(name: "portal:deadline") { [self] in
            let ended = isOver.wait(until: MonotonicClock().now + limit) { $0 ? true : nil }
            if ended == nil { g_cancellable_cancel(cancellable) }
        }
    }

    deinit { g_object_unref(cancellable) }

    /// Ends the deadline after the call has returned.
    func end() { isOver.broadcast { $0 = true } }
}

/// A D-Bus value. Accessors return `nil` for missing or unexpected content, because the content comes from
/// another process.
final class DesktopValue {
    private let handle: OpaquePointer

    /// Takes ownership of a reference.
    init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { g_variant_unref(handle) }

    private var kind: String { String(cString: g_variant_get_type_string(handle)) }

    /// Returns an element of a tuple or an array, unwrapped if it is a variant; `nil` if it doesn't exist.
    subscript(index: Int) -> DesktopValue? {
        guard g_variant_is_container(handle) != 0, index >= 0, UInt(index) < g_variant_n_children(handle)
        else {
            return nil
        }
        return DesktopValue(owning: g_variant_get_child_value(handle, UInt(index))).unpacked
    }

    /// Returns an entry of a dictionary from strings to variants; `nil` if it doesn't exist.
    subscript(key: String) -> DesktopValue? {
        guard kind == "a{sv}" else { return nil }
        return g_variant_lookup_value(handle, key, nil).map { DesktopValue(owning: $0) }
    }

    private var unpacked: DesktopValue {
        kind == "v" ? DesktopValue(owning: g_variant_get_variant(handle)) : self
    }

    /// The number, if the value is a uint32; otherwise `nil`.
    var number: UInt32? { kind == "u" ? g_variant_get_uint32(handle) : nil }

    /// The text, if the value is a string or an object path; otherwise `nil`.
    var text: String? {
        ["s", "o"].contains(kind) ? g_variant_get_string(handle, nil).map { String(cString: $0) } : nil
    }

    /// Quotes a text for GVariant's text format.
    static func quoted(_ text: String) -> String {
        let value = DesktopValue(owning: g_variant_ref_sink(g_variant_new_string(text)))
        let printed = g_variant_print(value.handle, 0)
        defer { g_free(printed) }
        return printed.map { String(cString: $0) } ?? "''"
    }
}

/// Receives the value of a desktop bus signal. Use this type only on the connection's thread.
final class DesktopSignal {
    /// Value of the signal; `nil` before it arrives.
    var value: DesktopValue?
}
