internal import CNATS

/// The broker's key-value store, released with its last reference. One thread uses it.
final class KeyValueStore {
    private let handle: OpaquePointer

    /// Finds the store.
    ///
    /// - Parameter context: The JetStream context, which outlives this.
    /// - Throws: `GroupError` when it is not there.
    init(_ context: OpaquePointer) throws(GroupError) {
        var store: OpaquePointer?
        try BrokerFault.check(
            js_KeyValue(&store, context, GroupSubjects.bucket),
            "the broker's store of recordings cannot be read")
        guard let store else { throw GroupError("the broker's store of recordings cannot be read.") }
        handle = store
    }

    deinit { kvStore_Destroy(handle) }

    func value(of key: String) throws(GroupError) -> (bytes: [UInt8], revision: UInt64)? {
        var entry: OpaquePointer?
        let status = kvStore_Get(&entry, handle, key)
        guard status != NATS_NOT_FOUND else { return nil }
        try BrokerFault.check(status, "the broker's store of recordings cannot be read")
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
        // The broker answers an error of JetStream where another revision is the last.
        if status == NATS_ERR { return false }
        throw GroupError("the recording cannot be noted at the broker: \(BrokerFault.reason(status)).")
    }
}
