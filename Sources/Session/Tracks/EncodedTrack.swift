internal import Encoders
internal import Inputs
internal import Media
internal import Plan
internal import Timing

/// A camera's track of frames that are encoded here, in a size of its own, one frame a tick.
final class EncodedTrack: CameraTrack {
    let name: String
    let rate: FrameRate
    let encoder: VideoEncoderWorker
    private var follower: GridFollower
    private var lastFrame: CapturedFrame?
    private let place: PlannedLayer
    private let caption: SlateCaption
    private var keyTick: Int64?
    var intake: EncoderIntake?
    var isCoarse = false

    init(
        follower: GridFollower, rate: FrameRate, place: PlannedLayer, caption: SlateCaption,
        encoder: VideoEncoderWorker
    ) {
        name = follower.track
        self.follower = follower
        self.rate = rate
        self.place = place
        self.caption = caption
        self.encoder = encoder
    }

    var input: CameraInput { follower.input }
    var counts: FrameCounts { encoder.corrected(follower.aligner.counts) }
    var gaps: [Gap] { follower.gaps }

    /// Makes the frame of a tick a key frame, with which a file can begin.
    func beginPart(at tick: Int64) { keyTick = tick }

    func take(_ deliveries: [CameraInput.Delivery]) { follower.take(deliveries) }

    func step(tick: Int64) {
        let asKey = keyTick == tick
        switch follower.choose(tick: tick) {
        case .show(let dated):
            guard !dated.isUndecodable else {
                follower.withdrawChoice(cause: .corrupt)
                return encoder.repeatLast(tick: tick, asKey: asKey)
            }
            guard takesNew(tick) else {
                follower.withdrawChoice(cause: .governor)
                return encoder.repeatLast(tick: tick, asKey: asKey)
            }
            // While the stream decoder still holds this frame, its predecessor is shown.
            let frame = dated.shown ?? lastFrame
            lastFrame = frame
            encoder.encode([layer(frame)], tick: tick, asKey: asKey)
        case .repeatLast: encoder.repeatLast(tick: tick, asKey: asKey)
        case .slate:
            lastFrame = nil
            // A slate repeats like a frame: the encoder sees that nothing changed.
            encoder.encode([layer(nil)], tick: tick, asKey: asKey, isSlate: true)
        }
    }

    func finish(at end: MediaTime) {
        follower.finish(at: end)
        encoder.finish()
    }

    private func layer(_ frame: CapturedFrame?) -> FrameLayer {
        FrameLayer(
            frame: frame, place, plannedSize: input.source.format.size, caption: caption,
            isCoarse: isCoarse)
    }
}
