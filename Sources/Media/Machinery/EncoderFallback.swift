/// That a stream was to be encoded by hardware and is not, or not any more: x264 encodes it instead.
public struct EncoderFallback: Sendable, Equatable {
    public let from: HardwareEncoder
    /// Why: a sentence's end, with its full stop.
    public let reason: String
    /// The first tick that x264 encoded; `nil` where the hardware never began.
    public let tick: Int64?
    /// New frames that were inside the hardware: repeats of the next one stand in their place.
    public let lostFrames: Int

    public init(from: HardwareEncoder, reason: String, tick: Int64? = nil, lostFrames: Int = 0) {
        self.from = from
        self.reason = reason
        self.tick = tick
        self.lostFrames = lostFrames
    }
}
