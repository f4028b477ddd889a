internal import CMulticamNATS
internal import Glibc

/// Access to the persistent data on the broker: the stream of events and the store of recordings. Safe to use
/// from any thread, because libnats is thread-safe.
final class JetStream: @unchecked Sendable {
    // The handle never changes, and libnats synchronizes access to the object behind it.
    private let handle: OpaquePointer
    /// Keeps the connection alive during this object's lifetime.
    private let connection: BrokerConnection
    private let subjects: GroupSubjects

    /// Result of sending an event to the broker.
    enum Outcome {
        /// The broker has stored the event on disk.
        case stored
        /// The event wasn't stored, because the last event in the stream isn't the expected one. Events have
        /// been sent or lost in the meantime.
        case sequenceMismatch
        /// The broker doesn't respond or its disk is full.
        case failed(String)
    }

    /// Creates the JetStream context without sending any data.
    ///
    /// - Throws: `GroupError` if libnats returns an error.
    init(of connection: BrokerConnection, group: String) throws(GroupError) {
        let prefix = connection.isNode ? GroupSubjects.nodeStore : nil
        // libnats copies the string.
        let prefixText = prefix.flatMap { strdup($0) }
        defer { free(prefixText) }
        var context: OpaquePointer?
        var options = jsOptions()
        try BrokerFault.check(jsOptions_Init(&options), "the data store of the broker cannot be accessed")
        options.Wait = 3000
        if let prefixText { options.Prefix = UnsafePointer(prefixText) }
        try BrokerFault.check(
            natsConnection_JetStream(&context, connection.handle, &options),
            "the data store of the broker cannot be accessed")
        guard let context else { throw GroupError("the data store of the broker cannot be accessed.") }
        handle = context
        self.connection = connection
        subjects = GroupSubjects(group: group)
    }

    deinit { jsCtx_Destroy(handle) }

    // MARK: Stream and bucket creation

    /// Creates the stream of events and the store of recordings, or updates them if an earlier version created them.
    ///
    /// Members can't delete, purge, or roll up the stored data. The events of one node can't displace those
    /// of another node, because the stream keeps at most `mostEvents` events per node, each at most
    /// `longestEvent` bytes long.
    ///
    /// - Throws: `GroupError` if the broker refuses the request.
    func createStreams() throws(GroupError) {
        try createStream(
            subjects.stream, of: subjects.event(of: "*"), "the event stream on the broker cannot be created"
        ) { stream in
            stream.MaxBytes = 2 << 30
            stream.MaxMsgsPerSubject = Self.mostEvents
            stream.MaxMsgSize = Self.longestEvent
            stream.Discard = js_DiscardOld
        }
        // The bucket has the settings that libnats's key-value functions expect, except that roll-up isn't
        // allowed (`kvStore` in libnats's kv.c).
        try createStream(
            "KV_" + GroupSubjects.bucket, of: "$KV.\(GroupSubjects.bucket).>",
            "the recording store on the broker cannot be created"
        ) { stream in
            stream.MaxMsgsPerSubject = 8
            stream.MaxMsgSize = Self.longestEvent
            stream.Discard = js_DiscardNew
            stream.AllowDirect = true
        }
    }

    private static let mostEvents: Int64 = 8192
    private static let longestEvent: Int32 = 128 << 10

    private func createStream(
        _ name: String, of subject: String, _ failure: String, _ configure: (inout jsStreamConfig) -> Void
    ) throws(GroupError) {
        var configuration = jsStreamConfig()
        try BrokerFault.check(jsStreamConfig_Init(&configuration), failure)
        let status = name.withCString { name in
            subject.withCString { subject in
                var list: UnsafePointer<CChar>? = subject
                return withUnsafeMutablePointer(to: &list) { list in
                    configuration.Name = name
                    configuration.Subjects = list
                    configuration.SubjectsLen = 1
                    configuration.Storage = js_FileStorage
                    configuration.Replicas = 1
                    configuration.DenyDelete = true
                    configuration.DenyPurge = true
                    configure(&configuration)
                    var fault = jsErrCode(0)
                    var details: UnsafeMutablePointer<jsStreamInfo>?
                    defer { jsStreamInfo_Destroy(details) }
                    guard js_GetStreamInfo(&details, handle, name, nil, &fault) == NATS_OK else {
                        return js_AddStream(&details, handle, &configuration, nil, &fault)
                    }
                    guard let present = details?.pointee.Config?.pointee,
                        !present.DenyPurge || present.AllowRollup
                            || present.MaxMsgSize != configuration.MaxMsgSize
                    else { return NATS_OK }
                    jsStreamInfo_Destroy(details)
                    details = nil
                    return js_UpdateStream(&details, handle, &configuration, nil, &fault)
                }
            }
        }
        try BrokerFault.check(status, failure)
    }

    // MARK: Events

    /// Returns a node's last event in the stream, including its sequence number.
    ///
    /// - Returns: The event; `nil` if the stream doesn't contain any for the node.
    /// - Throws: `GroupError` if the broker doesn't respond.
    func lastEvent(of node: String) throws(GroupError) -> BrokerMessage? {
        var (message, fault): (OpaquePointer?, jsErrCode) = (nil, jsErrCode(0))
        let status = js_GetLastMsg(&message, handle, subjects.stream, subjects.event(of: node), nil, &fault)
        if status == NATS_OK, let message { return BrokerMessage(owning: message) }
        if status == NATS_NOT_FOUND { return nil }
        throw GroupError("the event stream on the broker cannot be read: \(BrokerFault.reason(status)).")
    }

    /// Sends an event and waits until the broker has stored it on disk.
    ///
    /// - Parameters:
    ///   - text: The event as text.
    ///   - node: The node that recorded the event.
    ///   - last: Sequence number of the node's last event in the stream; `nil` for the first event.
    /// - Returns: The outcome, and the sequence number of the stored event.
    func publish(_ text: String, of node: String, after last: UInt64?) -> (
        outcome: Outcome, place: UInt64
    ) {
        var options = jsPubOptions()
        guard jsPubOptions_Init(&options) == NATS_OK else {
            return (.failed("libnats rejected the publishing options"), 0)
        }
        options.MaxWait = 3000
        if let last { options.ExpectLastSubjectSeq = last } else { options.ExpectNoMessage = true }
        let bytes = Array(text.utf8)
        var (ack, fault): (UnsafeMutablePointer<jsPubAck>?, jsErrCode) = (nil, jsErrCode(0))
        defer { jsPubAck_Destroy(ack) }
        // The header `Nats-Msg-Id` isn't set. The broker compares this ID with those of all nodes' messages,
        // so another node could cause an event to be dropped as a duplicate. The expected last sequence
        // number already prevents an event from being stored twice.
        let status = bytes.withUnsafeBytes {
            js_Publish(
                &ack, handle, subjects.event(of: node), $0.baseAddress, Int32(clamping: $0.count), &options,
                &fault)
        }
        if status == NATS_OK, let ack { return (.stored, ack.pointee.Sequence) }
        if fault == JSStreamWrongLastSequenceErr { return (.sequenceMismatch, 0) }
        return (.failed(BrokerFault.reason(status)), 0)
    }

    // MARK: Recording state

    /// Returns the value of a key and its revision.
    ///
    /// - Returns: The value and revision; `nil` if the key doesn't exist.
    /// - Throws: `GroupError` if the broker doesn't respond.
    func value(of key: String) throws(GroupError) -> (bytes: [UInt8], revision: UInt64)? {
        let store = try KeyValueStore(handle)
        return try store.value(of: key)
    }

    /// Stores a value under a key, unless another client has changed it in the meantime.
    ///
    /// - Parameters:
    ///   - key: The key to change.
    ///   - text: The new value.
    ///   - revision: Revision of the value to replace; `nil` requires that the key doesn't exist.
    /// - Returns: Whether the value was stored.
    /// - Throws: `GroupError` if the broker doesn't respond.
    func replace(_ key: String, by text: String, revision: UInt64?) throws(GroupError) -> Bool {
        let store = try KeyValueStore(handle)
        return try store.replace(key, by: text, revision: revision)
    }
}
