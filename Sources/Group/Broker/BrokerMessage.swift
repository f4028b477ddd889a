internal import CNATS

/// A message from the broker, freed with its last reference. One thread uses it.
final class BrokerMessage {
    private let handle: OpaquePointer

    /// Takes a message that libnats has handed over.
    init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { natsMsg_Destroy(handle) }

    /// What it says; empty when it says nothing.
    var bytes: [UInt8] {
        let count = Int(natsMsg_GetDataLength(handle))
        guard count > 0, let data = natsMsg_GetData(handle) else { return [] }
        return UnsafeBufferPointer(start: data, count: count).map { UInt8(bitPattern: $0) }
    }

    /// Its subject.
    var subject: String { natsMsg_GetSubject(handle).map { String(cString: $0) } ?? "" }

    /// The subject on which an answer is awaited; `nil` when none is.
    var reply: String? { natsMsg_GetReply(handle).map { String(cString: $0) } }

    /// Its place in the stream that it was read from.
    var sequence: UInt64 { natsMsg_GetSequence(handle) }
}
