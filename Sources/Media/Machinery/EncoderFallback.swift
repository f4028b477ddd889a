/// The change from a hardware encoder to x264, because the hardware refused the stream or failed in it.
public struct EncoderFallback: Sendable, Equatable {
    /// The hardware encoder that should have encoded the stream.
    public let from: HardwareEncoder
    /// Why x264 encodes instead, as the end of a sentence with its full stop.
    public let reason: String
    /// The first tick that x264 encoded; `nil` where the hardware never began.
    public let tick: Int64?
    /// Number of new frames that were inside the hardware and are lost: repeats of the next frame stand in their place.
    public let lostFrames: Int

    /// Makes a record of the change; without a tick it took place before the first frame.
    public init(from: HardwareEncoder, reason: String, tick: Int64? = nil, lostFrames: Int = 0) {
        self.from = from
        self.reason = reason
        self.tick = tick
        self.lostFrames = lostFrames
    }
}
