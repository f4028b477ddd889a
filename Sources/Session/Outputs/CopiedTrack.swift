internal import Media

/// A camera's track of its own JPEG files, byte for byte, one a tick.
final class CopiedTrack: CameraTrack {
    let name: String
    let rate: FrameRate
    private var follower: GridFollower
    private let lane: MovieLane
    private let machinery: any MediaMachinery
    private var lastBytes: SharedBytes?
    private var slate: SharedBytes?
    private let caption: SlateCaption
    private var example: CapturedPicture?

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
    }

    var input: CameraInput { follower.input }
    var counts: FrameCounts { follower.aligner.counts }
    var gaps: [Gap] { follower.gaps }

    func take(_ deliveries: [CameraInput.Delivery]) { follower.take(deliveries) }

    func step(tick: Int64) {
        switch follower.choose(tick: tick) {
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
