/// How a publication goes, as the live process tells the recorder: a line of JSON at each change, and once a second.
public struct LiveReport: Sendable, Equatable, Codable {
    /// What a publication does.
    public enum State: String, Sendable, Codable {
        /// It waits for something to send, or for the answer of its destination.
        case connecting
        /// It sends.
        case connected
        /// The connection is lost; it is tried again at `retry_ns`.
        case waiting
        /// A key, name, certificate or address is wrong; it is tried again at `retry_ns`, a minute later.
        case refused
        /// It was ended.
        case ended
    }

    /// The publication's name.
    public var publication: String
    /// What it does.
    public var state: State
    /// The time of this report on CLOCK_MONOTONIC.
    public var at_ns: Int64
    /// Why, as one sentence without secrets; `nil` where there is nothing to say.
    public var text: String?
    /// When it is tried again on CLOCK_MONOTONIC; `nil` where it need not be.
    public var retry_ns: Int64?
    /// Video frames sent since the process began; of a virtual microphone, blocks of audio.
    public var sent_frames: Int64 = 0
    /// Video frames dropped since the process began, because the network or the destination took less than came.
    public var dropped_frames: Int64 = 0
    /// Bits per second that were sent in the last second.
    public var bitrate: Int64 = 0
    /// How long the oldest item has been waiting to be sent.
    public var queue_ns: Int64 = 0
    /// Round trip time; `nil` where the protocol does not tell.
    public var rtt_ns: Int64?
    /// Packets that the receiver missed at first; `nil` where the protocol does not tell.
    public var lost_packets: Int64?
    /// What the own encoder makes now; `nil` without one.
    public var encoder: LiveVideo?

    /// Makes a report of a publication that has sent nothing.
    public init(publication: String, state: State, at_ns: Int64) {
        (self.publication, self.state, self.at_ns) = (publication, state, at_ns)
    }
}
