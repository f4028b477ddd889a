package import Media

/// What a connection measures of the network. Counts are since the connection began; what a protocol does not tell is `nil`.
package struct ConnectionStatistics: Sendable, Equatable {
    /// Bytes that were sent, or given to the system to be sent.
    package var sentBytes: Int64 = 0
    /// Round trip time.
    package var roundTrip: Nanoseconds?
    /// Packets that were sent, sent again and lost ones included.
    package var sentPackets: Int64?
    /// Packets that the receiver missed, whether or not they came when they were sent again.
    package var lostPackets: Int64?
    /// Packets that the protocol took and then dropped because they were too late, and overloads of the network: at each, frames are
    /// dropped up to the next key frame.
    package var droppedPackets: Int64 = 0
    /// How old the oldest bytes are that the protocol keeps to send, or to send again.
    package var waiting: Nanoseconds = .zero

    /// Creates statistics of a connection that has sent nothing.
    package init() {}
}
