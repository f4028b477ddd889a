internal import CMulticamNATS
internal import MulticamMedia

/// A connection to the group's broker. The connection is restored automatically after a failure, and closed
/// when its last reference is released. Safe to use from any thread, because libnats is thread-safe.
final class BrokerConnection: @unchecked Sendable {
    // The handles never change, and libnats synchronizes access to the objects behind them.
    let handle: OpaquePointer
    /// Whether this computer is connected as a node, which has a separate account on the broker.
    let isNode: Bool
    private let options: OpaquePointer

    /// Connects to the broker. The initializer blocks for a few seconds at most.
    ///
    /// - Parameters:
    ///   - folder: The group's folder, which contains the certificates for the connection.
    ///   - identity: Name and certificate of this client.
    ///   - timeout: Timeout in milliseconds.
    /// - Throws: `GroupError` with the reason for the failure.
    init(
        _ folder: GroupFolder, as identity: (name: String, certificate: String, key: String),
        timeout: Int64 = 3000
    ) throws(GroupError) {
        let settings = try folder.settings()
        try folder.checkCertificate(identity.certificate)
        var created: OpaquePointer?
        let failure = "the broker of the group \(folder.group) cannot be reached"
        try BrokerFault.check(natsOptions_Create(&created), failure)
        guard let options = created else { throw GroupError("\(failure).") }
        var status = NATS_OK
        for step: () -> natsStatus in [
            { natsOptions_SetURL(options, settings.broker) },
            { natsOptions_SetName(options, identity.name) },
            { natsOptions_SetSecure(options, true) },
            {
                natsOptions_LoadCATrustedCertificates(options, folder.file(GroupFolder.authority.certificate))
            },
            { natsOptions_LoadCertificatesChain(options, identity.certificate, identity.key) },
            { natsOptions_SetExpectedHostname(options, GroupName.broker(of: folder.group)) },
            {
                natsOptions_SetCustomInboxPrefix(
                    options, GroupSubjects(group: folder.group).inbox(of: identity.name))
            },
            { natsOptions_SetTimeout(options, timeout) },
            { natsOptions_SetPingInterval(options, 1000) },
            { natsOptions_SetMaxPingsOut(options, 2) },
            { natsOptions_SetAllowReconnect(options, true) },
            { natsOptions_SetMaxReconnect(options, -1) },
            { natsOptions_SetReconnectWait(options, 250) },
            { natsOptions_SetReconnectJitter(options, 100, 200) },
        ] where status == NATS_OK { status = step() }
        var connected: OpaquePointer?
        if status == NATS_OK { status = natsConnection_Connect(&connected, options) }
        guard status == NATS_OK, let connected else {
            var detail = NATS_OK
            let text = nats_GetLastError(&detail).map { String(cString: $0).printable(limit: 300) } ?? ""
            natsOptions_Destroy(options)
            throw Self.refusal(status, text, settings.broker, folder.group)
        }
        (handle, self.options) = (connected, options)
        isNode = identity.name == settings.node && settings.isCoordinator != true
    }

    deinit {
        natsConnection_Close(handle)
        natsConnection_Destroy(handle)
        natsOptions_Destroy(options)
    }

    private static func refusal(
        _ status: natsStatus, _ detail: String, _ broker: String, _ group: String
    ) -> GroupError {
        switch status {
        case NATS_NO_SERVER, NATS_TIMEOUT:
            GroupError(
                "the broker of the group \(group) is not responding at \(broker). Run `multicam group serve` on the computer that created the group, and check the network and the firewall."
            )
        case NATS_SSL_ERROR, NATS_IO_ERROR, NATS_CONNECTION_CLOSED, NATS_CONNECTION_AUTH_FAILED,
            NATS_NOT_PERMITTED:
            GroupError(
                "the broker at \(broker) rejected this computer: its certificate does not belong to the group \(group), or was revoked. To create a new certificate, run `multicam group invite` on the computer that created the group and `multicam node join CODE` here. (\(detail))"
            )
        default:
            GroupError(
                "the broker at \(broker) cannot be reached: \(BrokerFault.reason(status)) (\(detail)).")
        }
    }

    /// Whether the broker is currently reachable.
    var isConnected: Bool { natsConnection_Status(handle) == NATS_CONN_STATUS_CONNECTED }

    /// Publishes a message without a delivery guarantee. If the broker is unreachable, the message isn't
    /// queued.
    func publish(_ text: String, on subject: String) {
        guard isConnected else { return }
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes {
            natsConnection_Publish(handle, subject, $0.baseAddress, Int32(clamping: $0.count))
        }
    }

    /// Sends a request to a member of the group and waits for the response.
    ///
    /// - Parameters:
    ///   - text: Text of the request.
    ///   - subject: The recipient's subject for requests.
    ///   - timeout: Timeout in milliseconds.
    /// - Returns: The response.
    /// - Throws: `GroupError` if no response arrives in time.
    func request(_ text: String, on subject: String, timeout: Int64) throws(GroupError) -> BrokerMessage {
        var message: OpaquePointer?
        let bytes = Array(text.utf8)
        let status = bytes.withUnsafeBytes {
            natsConnection_Request(
                &message, handle, subject, $0.baseAddress, Int32(clamping: $0.count), timeout)
        }
        if status == NATS_OK, let message { return BrokerMessage(owning: message) }
        throw GroupError(
            status == NATS_NO_RESPONDERS
                ? "the node is offline"
                : status == NATS_TIMEOUT ? "the node did not respond" : BrokerFault.reason(status))
    }

    /// Subscribes to a subject.
    ///
    /// - Throws: `GroupError` if the connection is lost.
    func subscribe(to subject: String) throws(GroupError) -> BrokerSubscription {
        var subscription: OpaquePointer?
        try BrokerFault.check(
            natsConnection_SubscribeSync(&subscription, handle, subject),
            "messages from the broker cannot be received")
        guard let subscription else { throw GroupError("messages from the broker cannot be received.") }
        _ = natsConnection_FlushTimeout(handle, 2000)
        return BrokerSubscription(owning: subscription, of: self)
    }
}

/// A subscription that delivers the messages on a subject in order. Use it from only one thread.
final class BrokerSubscription {
    private let handle: OpaquePointer
    /// Keeps the connection alive during the subscription's lifetime.
    private let connection: BrokerConnection

    init(owning handle: OpaquePointer, of connection: BrokerConnection) {
        (self.handle, self.connection) = (handle, connection)
    }

    deinit { natsSubscription_Destroy(handle) }

    /// Waits for the next message.
    ///
    /// - Parameter timeout: Timeout in milliseconds.
    /// - Returns: The message; `nil` if no message arrives in time.
    /// - Throws: `GroupError` if the connection is closed.
    func next(timeout: Int64) throws(GroupError) -> BrokerMessage? {
        var message: OpaquePointer?
        let status = natsSubscription_NextMsg(&message, handle, timeout)
        if status == NATS_OK, let message { return BrokerMessage(owning: message) }
        // A slow consumer has lost messages but can continue, because coordinators repeat commands, and node
        // states are sent once per second.
        guard status == NATS_TIMEOUT || status == NATS_SLOW_CONSUMER else {
            throw GroupError("the broker stopped sending messages: \(BrokerFault.reason(status)).")
        }
        return nil
    }
}

/// A message from the broker, freed when its last reference is released. Use it from only one thread.
final class BrokerMessage {
    private let handle: OpaquePointer

    /// Takes ownership of a message from libnats.
    init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { natsMsg_Destroy(handle) }

    /// The payload, which may be empty.
    var bytes: [UInt8] {
        let count = Int(natsMsg_GetDataLength(handle))
        guard count > 0, let data = natsMsg_GetData(handle) else { return [] }
        return UnsafeBufferPointer(start: data, count: count).map { UInt8(bitPattern: $0) }
    }

    /// Subject of the message.
    var subject: String { natsMsg_GetSubject(handle).map { String(cString: $0) } ?? "" }

    /// Reply subject; `nil` if the sender doesn't expect a response.
    var reply: String? { natsMsg_GetReply(handle).map { String(cString: $0) } }

    /// Sequence number in the stream that contains the message.
    var sequence: UInt64 { natsMsg_GetSequence(handle) }
}

/// Handle of the broker's key-value store, freed when its last reference is released. Use it from only one
/// thread.
final class KeyValueStore {
    private let handle: OpaquePointer

    /// Opens the store.
    ///
    /// - Parameter context: The JetStream context, which must outlive the store.
    /// - Throws: `GroupError` if the store doesn't exist.
    init(_ context: OpaquePointer) throws(GroupError) {
        var store: OpaquePointer?
        try BrokerFault.check(
            js_KeyValue(&store, context, GroupSubjects.bucket),
            "the recordings stored on the broker cannot be read")
        guard let store else { throw GroupError("the recordings stored on the broker cannot be read.") }
        handle = store
    }

    deinit { kvStore_Destroy(handle) }

    func value(of key: String) throws(GroupError) -> (bytes: [UInt8], revision: UInt64)? {
        var entry: OpaquePointer?
        let status = kvStore_Get(&entry, handle, key)
        guard status != NATS_NOT_FOUND else { return nil }
        try BrokerFault.check(status, "the recordings stored on the broker cannot be read")
        defer { kvEntry_Destroy(entry) }
        let bytes = UnsafeRawBufferPointer(start: kvEntry_Value(entry), count: Int(kvEntry_ValueLen(entry)))
        return (Array(bytes), kvEntry_Revision(entry))
    }

    func replace(_ key: String, by text: String, revision: UInt64?) throws(GroupError) -> Bool {
        var stored: UInt64 = 0
        let status =
            revision.map { kvStore_UpdateString(&stored, handle, key, text, $0) }
            ?? kvStore_CreateString(&stored, handle, key, text)
        if status == NATS_OK { return true }
        // The broker returns a JetStream error if the key's last revision isn't the expected one.
        if status == NATS_ERR { return false }
        throw GroupError("the recording cannot be stored on the broker: \(BrokerFault.reason(status)).")
    }
}

/// Converts libnats status codes into user-facing errors.
enum BrokerFault {
    /// Throws if a call has failed.
    ///
    /// - Parameters:
    ///   - status: Status code that the libnats call returned.
    ///   - sentence: Description of the failure as a sentence, without a period.
    /// - Throws: `GroupError` that contains the sentence and the reason.
    static func check(_ status: natsStatus, _ sentence: String) throws(GroupError) {
        guard status != NATS_OK else { return }
        throw GroupError("\(sentence): \(reason(status)).")
    }

    static func reason(_ status: natsStatus) -> String {
        switch status {
        case NATS_TIMEOUT: "the broker did not respond in time"
        case NATS_NO_RESPONDERS: "no response"
        case NATS_NO_SERVER: "no broker is responding at this address"
        case NATS_CONNECTION_DISCONNECTED, NATS_CONNECTION_CLOSED: "the connection to the broker was lost"
        default: String(cString: natsStatus_GetText(status)).lowercased()
        }
    }
}
