package import MulticamMedia

/// A connection of a live output to a server, or an open output device. One thread opens, uses, and closes a
/// connection. After a connection is lost, a new one replaces it.
///
/// Calls may block on the network or the device, but only for a few seconds. If the request's `cancellation`
/// is triggered, blocked calls return immediately. Errors and messages on standard error must not contain
/// secrets from the address.
package protocol LiveOutputConnection: AnyObject, SendableMetatype {
    /// The content that this connection type accepts.
    static var content: PublishedContent { get }

    /// Connects to the receiver of the live output.
    ///
    /// - Parameter request: The address and the streams to send.
    /// - Throws: `PublishingError`, whose kind determines when to retry.
    init(_ request: ConnectionRequest) throws(PublishingError)

    /// Sends an item. The first H.264 packet sent over a connection is a key frame.
    ///
    /// - Throws: `PublishingError` if the connection is lost or the receiver rejects the item.
    func send(_ item: PublishedItem) throws(PublishingError)

    /// Checks whether the connection is alive. The sender calls this method at least twice per second while
    /// it has nothing to send.
    ///
    /// - Throws: `PublishingError` if the connection is lost.
    func check() throws(PublishingError)

    /// Measurements of the connection. The sender reads the measurements after each call of `send` and `check`.
    var statistics: ConnectionStatistics { get }

    /// Closes the connection within half a second. No other method may be called afterwards.
    func close()
}

extension LiveOutputConnection {
    /// The default implementation does nothing, because the next call of `send` detects a lost connection.
    package func check() throws(PublishingError) {}
}

/// Parameters for opening a connection.
package struct ConnectionRequest: Sendable {
    /// Name of the live output, for devices that display a name.
    package let name: String
    /// Address of the receiver. The address's `text` is secret.
    package let address: LiveOutputAddress
    /// Bearer token of a WHIP server; `nil` if the server doesn't need one.
    package let token: Secret?
    /// The streams that the connection sends.
    package let streams: PublishedStreams
    /// A cancellation that is triggered when the live output ends. When the cancellation is triggered,
    /// blocked calls return immediately.
    package let cancellation: Cancellation

    /// Creates a connection request. Each parameter sets the property of the same name.
    package init(
        name: String, address: LiveOutputAddress, token: Secret?, streams: PublishedStreams,
        cancellation: Cancellation
    ) {
        (self.name, self.address, self.token) = (name, address, token)
        (self.streams, self.cancellation) = (streams, cancellation)
    }
}

/// Network measurements of a connection. Counters start at 0 for each connection. Values that a protocol doesn't report
/// are `nil`.
package struct ConnectionStatistics: Sendable, Equatable {
    /// Number of bytes that were sent or passed to the operating system for sending.
    package var sentBytes: Int64 = 0
    /// Round-trip time to the receiver.
    package var roundTrip: Nanoseconds?
    /// Number of sent packets, including retransmitted and lost packets.
    package var sentPackets: Int64?
    /// Number of packets that the receiver missed, including those that arrived after retransmission.
    package var lostPackets: Int64?
    /// Number of packets that the protocol implementation accepted and then dropped because they were late,
    /// plus the number of network overloads. Each time this number increases, the live output drops frames up
    /// to the next key frame.
    package var droppedPackets: Int64 = 0
    /// Age of the oldest bytes that the protocol implementation holds for sending or retransmission.
    package var queuedDuration: Nanoseconds = .zero

    /// Creates the statistics of a new connection.
    package init() {}
}

/// The reason why a connection failed or ended, and when to retry.
package struct PublishingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Kind of failure, which determines when to retry.
    package enum Kind: Sendable, Equatable {
        /// The user must change a setting: a stream key, a name, a certificate, or an address. The connection
        /// is retried after one minute.
        case refused
        /// The server probably refuses the connection, but it may also be restarting. The third consecutive
        /// `ambiguous` error counts as a refusal.
        case ambiguous
        /// The network or the server has failed. The connection is retried soon.
        case lost
    }

    /// The kind of error, which determines when to retry.
    package let kind: Kind
    /// The error message: one sentence that contains no secrets.
    package let description: String

    private init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }

    /// Creates an error that requires user action.
    package static func refused(_ sentence: String) -> Self { Self(.refused, sentence) }
    /// Creates an error for a connection that the server has probably refused, although it may also be
    /// restarting.
    package static func ambiguous(_ sentence: String) -> Self { Self(.ambiguous, sentence) }
    /// Creates an error for a failure of the network or the server.
    package static func lost(_ sentence: String) -> Self { Self(.lost, sentence) }
}
