internal import CLinux

/// The value that a question's callback fills. Touched only under the loop's lock.
final class PulseReply<Value> {
    var value: Value
    private(set) var isComplete = false
    private let connection: PulseConnection

    init(_ value: Value, on connection: PulseConnection) {
        self.value = value
        self.connection = connection
    }

    /// Marks the value as complete and wakes the asker.
    func complete() {
        isComplete = true
        connection.wake()
    }

    /// The reply that `PulseConnection.ask` gave as userdata, and keeps alive until no callback can come.
    static func behind(_ userdata: UnsafeMutableRawPointer?) -> PulseReply<Value>? {
        userdata.map { Unmanaged<PulseReply<Value>>.fromOpaque($0).takeUnretainedValue() }
    }
}
