internal import Encoders
internal import Inputs
internal import Media
internal import Plan

/// A stream of frames that are composed and encoded here, whose work can be reduced while it runs. Timeline's thread
/// only.
protocol GovernedStream: AnyObject {
    /// Name of the stream: `program` or the camera's role.
    var streamName: String { get }
    var rate: FrameRate { get }
    var encoder: VideoEncoderWorker { get }
    /// Decides which frames the encoder gets; `nil` when no governor runs, and the encoder's queue alone decides.
    var intake: EncoderIntake? { get set }
    /// Whether JPEGs may be decoded at half the size at which they are shown.
    var isCoarse: Bool { get set }
}

extension GovernedStream {
    /// Whether the encoder gets the frame of a tick, if it is a new one.
    func takesNew(_ tick: Int64) -> Bool {
        // In simulated time the frames that wait cause no delay.
        let backlog = encoder.waitsForRoom ? .zero : encoder.backlog
        return intake?.takes(rate.time(ofTick: tick), queueLength: encoder.queueLength, backlog: backlog)
            ?? true
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
