internal import Inputs
internal import Media
internal import Timing
internal import Writers

/// A camera's track of its own JPEGs: each frame is copied byte for byte, one a tick.
final class CopiedTrack: CameraTrack {
    let name: String
    let rate: FrameRate
    private var follower: GridFollower
    let lane: TrackSink
    private let codecs: any CodecFactory
    private var lastBytes: SharedBytes?
    private var slate: SharedBytes?
    private let caption: SlateCaption
    private var example: CapturedFrame?
    /// Size of the frames in the file that is written now, in pixels.
    private var size: FrameSize
    /// The first frame of another size, which needs a file of its own; `nil` while there is none.
    private(set) var successor: DatedFrame?
    /// The first tick of that file, or `nil` while none was asked for.
    private var partTick: Int64?
    /// The last frame of the successor's size that came before its file.
    private var withdrawn: DatedFrame?
    /// Capture time of the frame for which the present file was begun; no earlier frame asks for another file.
    private var partSince: ClockTime?

    /// Creates a track whose file is begun for frames of `size`; frames of another size need a file of their own.
    init(
        follower: GridFollower, rate: FrameRate, size: FrameSize, caption: SlateCaption, lane: TrackSink,
        codecs: any CodecFactory
    ) {
        name = follower.track
        self.follower = follower
        self.rate = rate
        self.caption = caption
        self.lane = lane
        self.codecs = codecs
        self.size = size
        // A slate can be made even when the camera went away before T0.
        example = follower.input.latestJPEG.flatMap { $0.size == size ? $0 : nil }
    }

    var input: CameraInput { follower.input }
    var counts: FrameCounts { follower.aligner.counts }
    var gaps: [Gap] { follower.gaps }

    func take(_ deliveries: [CameraInput.Delivery]) {
        follower.take(deliveries)
        guard partTick == nil else { return }
        for case .frame(let dated) in deliveries
        where dated.frame.size != (successor?.frame.size ?? size) && isOfThisPart(dated) {
            // The camera is back in the file's own size before another file was asked for: none is needed.
            successor = dated.frame.size == size ? nil : dated
            withdrawn = nil
        }
    }

    private func isOfThisPart(_ dated: DatedFrame) -> Bool { partSince.map { dated.time > $0 } ?? true }

    /// The tick at which a frame captured at `time` is shown when no other competes with it.
    func tick(nearestTo time: MediaTime) -> Int64 {
        rate.ticks(before: MediaTime(nanoseconds: time.nanoseconds - rate.interval.count / 2))
    }

    /// Whether the successor's file has been asked for.
    var awaitsPart: Bool { partTick != nil }

    /// Continues in a new file, for frames like the successor, from a tick on.
    func beginPart(at tick: Int64) { partTick = tick }

    func step(tick: Int64) {
        // When no newer frame is due at the first tick of a file, the tick shows one that came too early for the file.
        var early: DatedFrame?
        if let partTick, let successor, tick >= partTick {
            early = withdrawn
            change(to: successor)
        }
        switch follower.choose(tick: tick) {
        case .show(let dated) where dated.frame.size != size:
            // The file for frames of this size begins in a moment.
            if partTick == nil, successor == nil, isOfThisPart(dated) { successor = dated }
            if dated.frame.size == successor?.frame.size { withdrawn = dated }
            follower.withdrawChoice(cause: .governor)
            if early != nil { follower.restoreChoice(cause: .governor) }
        case .show(let dated):
            example = dated.frame
            lastBytes = dated.frame.memory
        case .repeatLast:
            if early != nil { follower.restoreChoice(cause: .governor) }
        case .slate: lastBytes = slateBytes() ?? lastBytes
        }
        guard let lastBytes else { return }
        lane.append(
            EncodedPacket(
                bytes: lastBytes, presentation: tick * rate.seconds, decode: tick * rate.seconds,
                duration: rate.seconds, isKey: true))
    }

    private func change(to successor: DatedFrame) {
        let frame = (withdrawn ?? successor).frame
        size = frame.size
        example = frame
        // The frame is shown until one of its size is due.
        lastBytes = frame.memory
        slate = nil
        partSince = successor.time
        self.successor = nil
        withdrawn = nil
        partTick = nil
    }

    func finish(at end: MediaTime) {
        follower.finish(at: end)
        lane.finish()
    }

    private func slateBytes() -> SharedBytes? {
        if slate == nil, let example {
            do {
                slate = try codecs.makeSlate(like: example, caption: caption)
            } catch {
                // The camera's last frame stands in for a slate that cannot be drawn.
                slate = example.memory
            }
        }
        return slate
    }
}
