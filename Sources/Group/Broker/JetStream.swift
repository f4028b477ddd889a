internal import CNATS

/// What the broker keeps: the stream of events, and the store of recordings. Safe to use from any thread, since libnats is.
final class JetStream: @unchecked Sendable {
    // The handle never changes, and libnats guards what is behind it.
    private let handle: OpaquePointer
    /// Keeps the connection for as long as this is.
    private let connection: BrokerConnection
    private let subjects: GroupSubjects

    /// What became of an event that was sent.
    enum Outcome {
        /// The broker has it on its disk.
        case kept
        /// Another event than the expected one was the last: events were sent or lost meanwhile.
        case otherLast
        /// The broker does not answer, or has no room.
        case failed(String)
    }

    /// Creates it; nothing is sent.
    ///
    /// - Throws: `GroupError` when libnats refuses.
    init(of connection: BrokerConnection, group: String) throws(GroupError) {
        var context: OpaquePointer?
        var options = jsOptions()
        try BrokerFault.check(jsOptions_Init(&options), "the broker's store cannot be used")
        options.Wait = 3000
        try BrokerFault.check(
            natsConnection_JetStream(&context, connection.handle, &options),
            "the broker's store cannot be used")
        guard let context else { throw GroupError("the broker's store cannot be used.") }
        handle = context
        self.connection = connection
        subjects = GroupSubjects(group: group)
    }

    deinit { jsCtx_Destroy(handle) }

    // MARK: Making it

    /// Makes stream and store, unless they are there.
    ///
    /// - Throws: `GroupError` when the broker refuses.
    func make() throws(GroupError) {
        try makeStream()
        var configuration = kvConfig()
        try BrokerFault.check(kvConfig_Init(&configuration), "the broker's store cannot be made")
        let status = GroupSubjects.bucket.withCString { bucket in
            configuration.Bucket = bucket
            configuration.History = 8
            configuration.StorageType = js_FileStorage
            configuration.Replicas = 1
            var store: OpaquePointer?
            defer { kvStore_Destroy(store) }
            if js_KeyValue(&store, handle, bucket) == NATS_OK { return NATS_OK }
            return js_CreateKeyValue(&store, handle, &configuration)
        }
        try BrokerFault.check(status, "the broker's store cannot be made")
    }

    private func makeStream() throws(GroupError) {
        var configuration = jsStreamConfig()
        try BrokerFault.check(jsStreamConfig_Init(&configuration), "the broker's stream cannot be made")
        let status = subjects.stream.withCString { name in
            (subjects.prefix + "event.*").withCString { subject in
                var list: UnsafePointer<CChar>? = subject
                return withUnsafeMutablePointer(to: &list) { list in
                    configuration.Name = name
                    configuration.Subjects = list
                    configuration.SubjectsLen = 1
                    configuration.Storage = js_FileStorage
                    configuration.Replicas = 1
                    configuration.MaxBytes = 2 << 30
                    configuration.Discard = js_DiscardOld
                    var fault = jsErrCode(0)
                    var details: UnsafeMutablePointer<jsStreamInfo>?
                    defer { jsStreamInfo_Destroy(details) }
                    if js_GetStreamInfo(&details, handle, name, nil, &fault) == NATS_OK { return NATS_OK }
                    return js_AddStream(&details, handle, &configuration, nil, &fault)
                }
            }
        }
        try BrokerFault.check(status, "the broker's stream cannot be made")
    }

    // MARK: Events

    /// The last event that the stream has of a node, with its place.
    ///
    /// - Returns: `nil` when there is none.
    /// - Throws: `GroupError` when the broker does not answer.
    func lastEvent(of node: String) throws(GroupError) -> BrokerMessage? {
        var (message, fault): (OpaquePointer?, jsErrCode) = (nil, jsErrCode(0))
        let status = js_GetLastMsg(&message, handle, subjects.stream, subjects.event(of: node), nil, &fault)
        if status == NATS_OK, let message { return BrokerMessage(owning: message) }
        if status == NATS_NOT_FOUND { return nil }
        throw GroupError("the broker's stream cannot be read: \(BrokerFault.reason(status)).")
    }

    /// Sends an event, and waits until the broker has it on its disk.
    ///
    /// - Parameters:
    ///   - text: The event.
    ///   - id: What it is known by; the broker drops another of the same.
    ///   - node: Whose it is.
    ///   - last: The place of the node's last event in the stream; `nil` when there is none.
    /// - Returns: What became of it, and its place.
    func send(_ text: String, id: String, of node: String, after last: UInt64?) -> (
        outcome: Outcome, place: UInt64
    ) {
        var options = jsPubOptions()
        guard jsPubOptions_Init(&options) == NATS_OK else { return (.failed("libnats refuses"), 0) }
        options.MaxWait = 3000
        if let last { options.ExpectLastSubjectSeq = last } else { options.ExpectNoMessage = true }
        let bytes = Array(text.utf8)
        var (ack, fault): (UnsafeMutablePointer<jsPubAck>?, jsErrCode) = (nil, jsErrCode(0))
        defer { jsPubAck_Destroy(ack) }
        let status = id.withCString { id in
            options.MsgId = id
            return bytes.withUnsafeBytes {
                js_Publish(
                    &ack, handle, subjects.event(of: node), $0.baseAddress, Int32(clamping: $0.count),
                    &options,
                    &fault)
            }
        }
        if status == NATS_OK, let ack { return (.kept, ack.pointee.Sequence) }
        if fault == JSStreamWrongLastSequenceErr { return (.otherLast, 0) }
        return (.failed(BrokerFault.reason(status)), 0)
    }

    // MARK: The recording

    /// What the store has under a key, and its revision.
    ///
    /// - Returns: `nil` when there is nothing.
    /// - Throws: `GroupError` when the broker does not answer.
    func value(of key: String) throws(GroupError) -> (bytes: [UInt8], revision: UInt64)? {
        let store = try KeyValueStore(handle)
        return try store.value(of: key)
    }

    /// Stores a value under a key, provided that nobody else did meanwhile.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - text: The value.
    ///   - revision: That of the value that it replaces; `nil` when there must be none.
    /// - Returns: Whether it was stored.
    /// - Throws: `GroupError` when the broker does not answer.
    func replace(_ key: String, by text: String, revision: UInt64?) throws(GroupError) -> Bool {
        let store = try KeyValueStore(handle)
        return try store.replace(key, by: text, revision: revision)
    }
}
