internal import CNATS

/// What libnats answers, as an error for people.
enum BrokerFault {
    /// Throws where a call has failed.
    ///
    /// - Parameters:
    ///   - status: What the call returned.
    ///   - sentence: What could not be done, without a full stop.
    /// - Throws: `GroupError` with the sentence and the reason.
    static func check(_ status: natsStatus, _ sentence: String) throws(GroupError) {
        guard status != NATS_OK else { return }
        throw GroupError("\(sentence): \(reason(status)).")
    }

    static func reason(_ status: natsStatus) -> String {
        switch status {
        case NATS_TIMEOUT: "the broker did not answer in time"
        case NATS_NO_RESPONDERS: "nobody there answers"
        case NATS_NO_SERVER: "no broker answers at its address"
        case NATS_CONNECTION_DISCONNECTED, NATS_CONNECTION_CLOSED: "the connection to the broker is lost"
        default: String(cString: natsStatus_GetText(status)).lowercased()
        }
    }
}
