internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan

/// A stream of frames composed and encoded in this process. The load of a governed stream can be reduced
/// while the stream is running. Use this type only on the timeline's thread.
protocol GovernedStream: AnyObject {
    /// Name of the stream: `program` or the camera's role.
    var streamName: String { get }
    var rate: FrameRate { get }
    var encoder: VideoEncoderWorker { get }
    /// Selects the frames that the encoder receives. The value is `nil` without a governor; the number of
    /// frames is then limited only by the encoder's queue.
    var intake: EncoderIntake? { get set }
    /// Whether JPEG frames may be decoded at half the displayed size.
    var isCoarse: Bool { get set }
    /// Whether the next ticks are so late that their frames can't be encoded.
    var isOverdue: Bool { get set }
    /// Whether the encoder has received a frame that it can repeat.
    var hasFrame: Bool { get }
}

extension GovernedStream {
    /// Returns the reason why the encoder must not receive a new frame at a tick, or `nil` if a new frame is
    /// allowed.
    func dropCause(ofTick tick: Int64) -> LossCause? {
        if isOverdue, hasFrame { return .late }
        // In simulated time, queued frames don't cause a delay.
        let backlog = encoder.waitsForRoom ? .zero : encoder.backlog
        let isTaken = intake?.shouldEncode(
            rate.time(ofTick: tick), queueLength: encoder.queueLength, backlog: backlog)
        return isTaken ?? true ? nil : .governor
    }
}

extension EncodedTrack: GovernedStream {
    var streamName: String { input.role }
}

extension ProgramTrack: GovernedStream {
    var streamName: String { SessionPlan.programOwner }
}

extension SessionOutputs {
    var governedStreams: [any GovernedStream] {
        cameraTracks.compactMap { $0 as? EncodedTrack } + [program].compactMap(\.self)
    }
}
