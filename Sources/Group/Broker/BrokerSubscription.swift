internal import CNATS

/// Messages of a subject, one after the other. One thread uses it.
final class BrokerSubscription {
    private let handle: OpaquePointer
    /// Keeps the connection for as long as its subscription is.
    private let connection: BrokerConnection

    init(owning handle: OpaquePointer, of connection: BrokerConnection) {
        (self.handle, self.connection) = (handle, connection)
    }

    deinit { natsSubscription_Destroy(handle) }

    /// Waits for the next message.
    ///
    /// - Parameter patience: Milliseconds to wait.
    /// - Returns: `nil` when none came.
    /// - Throws: `GroupError` when the connection is closed.
    func next(patience: Int64) throws(GroupError) -> BrokerMessage? {
        var message: OpaquePointer?
        let status = natsSubscription_NextMsg(&message, handle, patience)
        if status == NATS_OK, let message { return BrokerMessage(owning: message) }
        // A consumer that was slow has lost messages, and goes on; commands are asked again, states are old.
        guard status == NATS_TIMEOUT || status == NATS_SLOW_CONSUMER else {
            throw GroupError("nothing more comes from the broker: \(BrokerFault.reason(status)).")
        }
        return nil
    }
}
