internal import Inputs
internal import Media
internal import Timing
internal import Writers

/// A track that copies a camera's own JPEGs byte for byte, one frame per tick. Timeline's thread only.
final class CopiedTrack: CameraTrack {
    /// Name of the track.
    let name: String
    /// Rate of the track's grid.
    let rate: FrameRate
    private var follower: GridFollower
    /// The track's stream in its movie.
    let sink: TrackSink
    private let codecs: any CodecFactory
    private var lastBytes: SharedBytes?
    private var slate: SharedBytes?
    private var caption: SlateCaption
    /// A JPEG of the camera, whose format slates have.
    private var example: CapturedFrame?
    /// Size of the frames in the present file, width × height in pixels.
    private var size: FrameSize
    /// The number of the source whose frames the present file has.
    private var stream: Int
    /// The first frame of another size or source, which needs a file of its own; `nil` while there is none.
    private(set) var successor: DatedFrame?
    /// First tick of the successor's file, or `nil` while that file was not requested.
    private var partTick: Int64?
    /// The last frame of the successor's size that was chosen before the successor's file began.
    private var withdrawn: DatedFrame?
    /// The next undecided tick.
    private var nextTick: Int64 = 0
    /// Capture time of the frame for which the present file was begun; no earlier frame asks for another file.
    private var partSince: ClockTime?

    /// Creates a track whose file begins for frames of one size; frames of another size need a file of their own.
    ///
    /// - Parameters:
    ///   - follower: Follows the camera along the track's grid.
    ///   - rate: Rate of the track's grid.
    ///   - size: Size of the frames in the first file, width × height in pixels.
    ///   - caption: The text of the track's slates.
    ///   - sink: The track's stream in its movie.
    ///   - codecs: Makes slates.
    init(
        follower: GridFollower, rate: FrameRate, size: FrameSize, caption: SlateCaption, sink: TrackSink,
        codecs: any CodecFactory
    ) {
        name = follower.track
        self.follower = follower
        self.rate = rate
        self.caption = caption
        self.sink = sink
        self.codecs = codecs
        self.size = size
        stream = follower.input.exchangeCount
        // A slate can be made even when the camera went away before T0.
        example = follower.input.latestJPEG.flatMap { $0.size == size ? $0 : nil }
    }

    /// The track's camera.
    var input: CameraInput { follower.input }
    /// Counts of the track's frames so far.
    var counts: FrameCounts { follower.aligner.counts }
    /// Gaps of the track so far.
    var gaps: [Gap] { follower.gaps }

    /// Takes what the camera delivered since the last call, and notes the first frame of another size as `successor`.
    func take(_ deliveries: [CameraInput.Delivery]) {
        follower.take(deliveries)
        guard partTick == nil else { return }
        for case .frame(let dated) in deliveries
        where !isLike(dated, successor) && isOfThisPart(dated) {
            // The camera is back in the file's own size before another file was asked for: none is needed.
            successor = isLike(dated, nil) ? nil : dated
            withdrawn = nil
        }
    }

    /// Whether a frame has the size and the source of another, or of the present file where that is `nil`.
    private func isLike(_ dated: DatedFrame, _ other: DatedFrame?) -> Bool {
        dated.frame.size == other?.frame.size ?? size && dated.stream == other?.stream ?? stream
    }

    /// Why a frame that needs another file is left out until that begins.
    private func cause(of dated: DatedFrame) -> LossCause { dated.stream == stream ? .governor : .change }

    private func isOfThisPart(_ dated: DatedFrame) -> Bool { partSince.map { dated.time > $0 } ?? true }

    /// Returns the index of the tick at which a frame captured at `time`, since T0, is shown when no other frame is nearer.
    func tick(nearestTo time: MediaTime) -> Int64 {
        rate.ticks(before: MediaTime(nanoseconds: time.nanoseconds - rate.interval.count / 2))
    }

    /// Foresees with which tick the successor's file is to begin.
    ///
    /// - Parameter captured: When the successor was captured, since T0.
    /// - Returns: The index of the first tick that shows a frame of another source; for another size of the tick nearest to it.
    func tick(ofSuccessorAt captured: MediaTime) -> Int64 {
        let nearest = tick(nearestTo: captured)
        guard let successor, successor.stream != stream, nextTick < nearest + 4 else { return nearest }
        return follower.tick(of: nextTick..<nearest + 4) { $0.stream == successor.stream } ?? nearest
    }

    /// Whether the file for the successor was requested and has not begun yet.
    var awaitsPart: Bool { partTick != nil }

    /// Continues in a new file, for frames of the successor's size, from the tick with this index on.
    func beginPart(at tick: Int64) { partTick = tick }

    /// Decides a tick of the track's grid. Ticks come in order, each once.
    ///
    /// - Parameter tick: Index of the tick; 0 is T0.
    func step(tick: Int64) {
        nextTick = tick + 1
        // When no newer frame is due at the first tick of a file, the tick shows one that came too early for the file.
        var early: DatedFrame?
        let earlyCause = withdrawn.map { cause(of: $0) } ?? .governor
        if let partTick, let successor, tick >= partTick {
            early = withdrawn
            change(to: successor)
        }
        switch follower.choose(tick: tick) {
        case .show(let dated) where !isLike(dated, nil):
            // The file for such frames begins in a moment.
            if partTick == nil, successor == nil, isOfThisPart(dated) { successor = dated }
            if let successor, isLike(dated, successor) { withdrawn = dated }
            follower.withdrawChoice(cause: cause(of: dated))
            if early != nil { follower.restoreChoice(cause: earlyCause) }
        case .show(let dated):
            example = dated.frame
            lastBytes = dated.frame.memory
        case .repeatLast:
            if early != nil { follower.restoreChoice(cause: earlyCause) }
        case .slate: lastBytes = slateBytes() ?? lastBytes
        }
        guard let lastBytes else { return }
        sink.append(
            EncodedPacket(
                bytes: lastBytes, presentation: tick * rate.seconds, decode: tick * rate.seconds,
                duration: rate.seconds, isKey: true))
    }

    private func change(to successor: DatedFrame) {
        let frame = (withdrawn ?? successor).frame
        size = frame.size
        stream = successor.stream
        example = frame
        caption = caption.naming(input.source.device.name)
        // The frame is shown until one of its size is due.
        lastBytes = frame.memory
        slate = nil
        partSince = successor.time
        self.successor = nil
        withdrawn = nil
        partTick = nil
    }

    /// Ends the track: no tick follows.
    ///
    /// - Parameter end: End of the track since T0.
    func finish(at end: MediaTime) {
        follower.finish(at: end)
        sink.finish()
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
