internal import Media

/// A camera's track of its own JPEG files, byte for byte, one a tick.
final class CopiedTrack: CameraTrack {
    let name: String
    let rate: FrameRate
    private var follower: GridFollower
    let lane: MovieLane
    private let machinery: any MediaMachinery
    private var lastBytes: SharedBytes?
    private var slate: SharedBytes?
    private let caption: SlateCaption
    private var example: CapturedPicture?
    /// Of the pictures in the file that is written now.
    private var size: PictureSize
    /// A picture of another size has come, the first of its kind: it needs a file of its own.
    private(set) var successor: DatedPicture?
    /// From which tick on there is one.
    private var partTick: Int64?

    init(
        follower: GridFollower, rate: FrameRate, caption: SlateCaption, lane: MovieLane,
        machinery: any MediaMachinery
    ) {
        name = follower.track
        self.follower = follower
        self.rate = rate
        self.caption = caption
        self.lane = lane
        self.machinery = machinery
        size = follower.input.source.format.size
    }

    var input: CameraInput { follower.input }
    var counts: FrameCounts { follower.aligner.counts }
    var gaps: [Gap] { follower.gaps }

    func take(_ deliveries: [CameraInput.Delivery]) {
        follower.take(deliveries)
        guard partTick == nil else { return }
        for case .picture(let dated) in deliveries
        where dated.picture.size != (successor?.picture.size ?? size) {
            // Back to the file's own size before another file was asked for: nothing is needed.
            successor = dated.picture.size == size ? nil : dated
        }
    }

    /// Whether that file has been asked for.
    var awaitsPart: Bool { partTick != nil }

    /// From a tick on, what is written is pictures like the successor, into a file of their own.
    func beginPart(at tick: Int64) { partTick = tick }

    func step(tick: Int64) {
        if let partTick, let successor, tick >= partTick { change(to: successor.picture) }
        switch follower.choose(tick: tick) {
        case .show(let dated) where dated.picture.size != size:
            // Its file begins in a moment.
            if partTick == nil { successor = dated }
            follower.withdrawChoice(cause: .governor)
        case .show(let dated):
            example = dated.picture
            lastBytes = dated.picture.memory
        case .repeatLast: break
        case .slate: lastBytes = slateBytes() ?? lastBytes
        }
        guard let lastBytes else { return }
        lane.append(
            EncodedPacket(
                bytes: lastBytes, presentation: tick * rate.seconds, decode: tick * rate.seconds,
                duration: rate.seconds, isKey: true))
    }

    private func change(to picture: CapturedPicture) {
        size = picture.size
        example = picture
        // Until one of its size is due it stands in for it.
        lastBytes = picture.memory
        slate = nil
        successor = nil
        partTick = nil
    }

    func finish(at end: MediaTime) {
        follower.finish(at: end)
        lane.finish()
    }

    private func slateBytes() -> SharedBytes? {
        if slate == nil, let example {
            do {
                slate = try machinery.makeSlate(like: example, caption: caption)
            } catch {
                // The camera's last picture stands in for a slate that cannot be drawn.
                slate = example.memory
            }
        }
        return slate
    }
}
