internal import Encoders
internal import Media
internal import Plan
internal import Timing

/// A camera's track of pictures that are encoded here: its own size and colours, one a tick.
final class EncodedTrack: CameraTrack {
    let name: String
    let rate: FrameRate
    let encoder: EncoderLane
    private var follower: GridFollower
    private var lastPicture: CapturedPicture?
    private let place: PlannedLayer
    private let caption: SlateCaption
    private var keyTick: Int64?
    var intake: EncoderIntake?
    var isCoarse = false

    init(
        follower: GridFollower, rate: FrameRate, place: PlannedLayer, caption: SlateCaption,
        encoder: EncoderLane
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

    /// Makes the picture of a tick one that a file can begin with.
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
            // A stream decoder that has this one still inside leaves its predecessor.
            let picture = dated.shown ?? lastPicture
            lastPicture = picture
            encoder.encode([layer(picture)], tick: tick, asKey: asKey)
        case .repeatLast: encoder.repeatLast(tick: tick, asKey: asKey)
        case .slate:
            lastPicture = nil
            // A slate repeats like a picture: the encoder sees that nothing changed.
            encoder.encode([layer(nil)], tick: tick, asKey: asKey, isSlate: true)
        }
    }

    func finish(at end: MediaTime) {
        follower.finish(at: end)
        encoder.finish()
    }

    private func layer(_ picture: CapturedPicture?) -> PictureLayer {
        PictureLayer(
            picture: picture, place, plannedSize: input.source.format.size, caption: caption,
            isCoarse: isCoarse)
    }
}
