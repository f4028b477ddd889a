internal import CNATS
internal import Media

/// A connection to the group's broker, closed with its last reference. It connects again by itself. Safe to use from any thread, since
/// libnats is.
final class BrokerConnection: @unchecked Sendable {
    // The handles never change, and libnats guards what is behind them.
    let handle: OpaquePointer
    private let options: OpaquePointer

    /// The longest message that is sent, in bytes; the broker's own limit is a MiB.
    static let longestMessage = 512 << 10

    /// Connects. Blocks for at most some seconds.
    ///
    /// - Parameters:
    ///   - folder: The group's folder with certificates.
    ///   - identity: Who connects.
    ///   - patience: Milliseconds to wait for the broker.
    /// - Throws: `GroupError` with the reason.
    init(
        _ folder: GroupFolder, as identity: (name: String, certificate: String, key: String),
        patience: Int64 = 3000
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
            { natsOptions_SetTimeout(options, patience) },
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
                "the broker of the group \(group) does not answer at \(broker): run `multicam group serve` on the computer that made the group, and look at the network and its firewall."
            )
        case NATS_SSL_ERROR, NATS_IO_ERROR, NATS_CONNECTION_CLOSED, NATS_CONNECTION_AUTH_FAILED,
            NATS_NOT_PERMITTED:
            GroupError(
                "the broker at \(broker) does not let this computer in: its certificate is not one of the group \(group), or was taken back there. `multicam group invite` there and `multicam node join CODE` here make a new one. (\(detail))"
            )
        default:
            GroupError(
                "the broker at \(broker) cannot be reached: \(BrokerFault.reason(status)) (\(detail)).")
        }
    }

    /// Whether the broker can be spoken to now.
    var isConnected: Bool { natsConnection_Status(handle) == NATS_CONN_STATUS_CONNECTED }

    /// Says something that nobody need hear: nothing is kept while the broker is away.
    func tell(_ text: String, on subject: String) {
        guard isConnected else { return }
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes {
            natsConnection_Publish(handle, subject, $0.baseAddress, Int32(clamping: $0.count))
        }
    }

    /// Asks one of the group, and waits for the answer.
    ///
    /// - Parameters:
    ///   - text: The question.
    ///   - subject: Whom.
    ///   - patience: Milliseconds to wait.
    /// - Returns: The answer.
    /// - Throws: `GroupError` when no answer came.
    func ask(_ text: String, on subject: String, patience: Int64) throws(GroupError) -> BrokerMessage {
        var message: OpaquePointer?
        let bytes = Array(text.utf8)
        let status = bytes.withUnsafeBytes {
            natsConnection_Request(
                &message, handle, subject, $0.baseAddress, Int32(clamping: $0.count), patience)
        }
        if status == NATS_OK, let message { return BrokerMessage(owning: message) }
        throw GroupError(
            status == NATS_NO_RESPONDERS
                ? "it is not there"
                : status == NATS_TIMEOUT ? "it does not answer" : BrokerFault.reason(status))
    }

    /// Listens to a subject.
    ///
    /// - Throws: `GroupError` when the connection is lost.
    func subscribe(to subject: String) throws(GroupError) -> BrokerSubscription {
        var subscription: OpaquePointer?
        try BrokerFault.check(
            natsConnection_SubscribeSync(&subscription, handle, subject),
            "nothing can be heard from the broker")
        guard let subscription else { throw GroupError("nothing can be heard from the broker.") }
        _ = natsConnection_FlushTimeout(handle, 2000)
        return BrokerSubscription(owning: subscription, of: self)
    }
}
