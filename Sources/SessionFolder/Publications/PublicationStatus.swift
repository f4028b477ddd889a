public import Media

/// How one live output goes.
public struct PublicationStatus: Sendable, Equatable {
    /// What a live output is doing.
    public enum State: String, Sendable, Codable {
        /// The profile names it, and nobody wants it now.
        case off
        /// It looks for its destination.
        case connecting
        /// The destination takes what is sent.
        case connected
        /// The destination is away or took no more; it is tried again.
        case waiting
        /// The destination refuses: its key, name or certificate is wrong. It is tried again seldom.
        case refused
        /// It was ended.
        case ended
    }

    /// The publication's name.
    public let name: String
    /// The kind of its destination.
    public let kind: DestinationAddress.Kind
    /// What it is doing.
    public var state: State
    /// Why, as a sentence; `nil` where there is nothing to say.
    public var text: String?
    /// When the state began, on the session's clock.
    public var since: ClockTime
    /// Frames that were sent so far; of a virtual microphone, blocks of 20 ms.
    public var sentFrames: Int64 = 0
    /// Frames that were not sent so far, since the destination took too few, or was away.
    public var droppedFrames: Int64 = 0
    /// Bits per second that are sent now; `nil` while that is not known.
    public var bitrate: Int64?

    /// Creates the status of a live output that has sent nothing.
    public init(
        name: String, kind: DestinationAddress.Kind, state: State, text: String? = nil, since: ClockTime
    ) {
        (self.name, self.kind, self.state) = (name, kind, state)
        (self.text, self.since) = (text, since)
    }
}
