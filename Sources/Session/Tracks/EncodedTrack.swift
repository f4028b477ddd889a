internal import Encoders
internal import Inputs
internal import Media
internal import Plan
internal import Timing

/// A track that encodes a camera's frames in a size of its own, one frame per tick. Timeline's thread only.
final class EncodedTrack: CameraTrack {
    /// Name of the track.
    let name: String
    /// Rate of the track's grid.
    let rate: FrameRate
    /// Composes and encodes the track's frames.
    let encoder: VideoEncoderWorker
    private var follower: GridFollower
    private var lastFrame: CapturedFrame?
    private let place: PlannedLayer
    private var caption: SlateCaption
    /// Number of exchanges of the camera's source that the caption knows of.
    private var exchanges: Int
    /// Index of the tick whose frame must be a key frame, or `nil` for none.
    private var keyTick: Int64?
    /// Decides which frames the encoder gets; `nil` when no governor runs.
    var intake: EncoderIntake?
    /// Whether JPEGs may be decoded at half the size at which they are shown.
    var isCoarse = false

    /// Creates an encoded track.
    ///
    /// - Parameters:
    ///   - follower: Follows the camera along the track's grid.
    ///   - rate: Rate of the track's grid.
    ///   - place: Crop, orientation and place of the camera's frame in the encoded frame.
    ///   - caption: The text of the track's slates.
    ///   - encoder: Composes and encodes the frames.
    init(
        follower: GridFollower, rate: FrameRate, place: PlannedLayer, caption: SlateCaption,
        encoder: VideoEncoderWorker
    ) {
        name = follower.track
        self.follower = follower
        self.rate = rate
        self.place = place
        self.caption = caption
        exchanges = follower.input.exchangeCount
        self.encoder = encoder
    }

    /// The track's camera.
    var input: CameraInput { follower.input }
    /// Counts of the track's frames so far, with the encoder's losses.
    var counts: FrameCounts { encoder.corrected(follower.aligner.counts) }
    /// Gaps of the track so far.
    var gaps: [Gap] { follower.gaps }

    /// Makes the frame of the tick with this index a key frame, with which a new file can begin.
    func beginPart(at tick: Int64) { keyTick = tick }

    /// Takes what the camera delivered since the last call.
    func take(_ deliveries: [CameraInput.Delivery]) {
        follower.take(deliveries)
        guard input.exchangeCount != exchanges else { return }
        exchanges = input.exchangeCount
        caption = caption.naming(input.source.device.name)
    }

    /// Decides a tick of the track's grid. Ticks come in order, each once.
    ///
    /// - Parameter tick: Index of the tick; 0 is T0.
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

    /// Ends the track: no tick follows.
    ///
    /// - Parameter end: End of the track since T0.
    func finish(at end: MediaTime) {
        follower.finish(at: end)
        encoder.finish()
    }

    private func layer(_ frame: CapturedFrame?) -> FrameLayer {
        FrameLayer(
            frame: frame, place, plannedSize: input.firstSource.format.size, caption: caption,
            isCoarse: isCoarse)
    }
}
