package import Media

/// A connection to a server, or an open device. One thread opens, uses, and closes a connection. After a loss, a new
/// connection replaces the old one.
///
/// Calls may block on the network or the device, but only for a few seconds. The calls return immediately after the
/// request's `cancellation` has been triggered. Errors and messages on standard error must not contain secrets from the
/// address.
package protocol LiveOutputConnection: AnyObject, SendableMetatype {
    /// The content that this connection type accepts.
    static var content: PublishedContent { get }

    /// Connects to the receiver.
    ///
    /// - Parameter request: The address and the streams to send.
    /// - Throws: `PublishingError` that indicates whether to retry.
    init(_ request: ConnectionRequest) throws(PublishingError)

    /// Sends an item. The first H.264 packet is a key frame.
    ///
    /// - Throws: `PublishingError` if the connection is lost or the receiver rejects the item.
    func send(_ item: PublishedItem) throws(PublishingError)

    /// Checks whether the connection is alive. The sender calls this method at least twice per second while there is
    /// nothing to send.
    ///
    /// - Throws: `PublishingError` if the connection is lost.
    func check() throws(PublishingError)

    /// Measurements of the connection. The sender reads the measurements after each call of `send` and `check`.
    var statistics: ConnectionStatistics { get }

    /// Closes the connection within half a second. No other method is called afterwards.
    func close()
}

extension LiveOutputConnection {
    /// Does nothing, because the next `send` detects a lost connection.
    package func check() throws(PublishingError) {}
}

/// Parameters of a connection.
package struct ConnectionRequest: Sendable {
    /// Name of the live output, for devices that display one.
    package let name: String
    /// Address of the receiver, whose `text` is secret.
    package let address: LiveOutputAddress
    /// Bearer token of a WHIP server; `nil` for none.
    package let token: Secret?
    /// The streams to send.
    package let streams: PublishedStreams
    /// A cancellation that is triggered when the live output ends. Blocking calls then return immediately.
    package let cancellation: Cancellation

    /// Creates a request. Each parameter sets the property of the same name.
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
    /// Number of bytes sent or passed to the system for sending.
    package var sentBytes: Int64 = 0
    /// Round-trip time.
    package var roundTrip: Nanoseconds?
    /// Number of sent packets, including retransmitted and lost ones.
    package var sentPackets: Int64?
    /// Number of packets that the receiver missed, including those that arrived after retransmission.
    package var lostPackets: Int64?
    /// Number of packets that the protocol accepted and then dropped because they were late, plus the number of network
    /// overloads. Each increase causes frames to be dropped up to the next key frame.
    package var droppedPackets: Int64 = 0
    /// Age of the oldest bytes that the protocol holds for sending or retransmission.
    package var waiting: Nanoseconds = .zero

    /// Creates the statistics of a new connection.
    package init() {}
}

/// Reason why a connection failed or ended, and how to proceed.
package struct PublishingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Determines when to retry.
    package enum Kind: Sendable, Equatable {
        /// The user must change a setting: a stream key, a name, a certificate, or an address. The next attempt follows
        /// after one minute.
        case refused
        /// The server probably refuses the connection, but it may also be restarting. The third consecutive error of
        /// this kind counts as a refusal.
        case doubtful
        /// The network or the server has failed. The next attempt follows soon.
        case lost
    }

    /// The kind of error, which determines when to retry.
    package let kind: Kind
    /// The message, one sentence without secrets.
    package let description: String

    private init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }

    /// Creates an error that requires user action.
    package static func refused(_ sentence: String) -> Self { Self(.refused, sentence) }
    /// Creates an error that is probably a refusal, although the server may also be restarting.
    package static func doubtful(_ sentence: String) -> Self { Self(.doubtful, sentence) }
    /// Creates an error for a failure of the network or the server.
    package static func lost(_ sentence: String) -> Self { Self(.lost, sentence) }
}
