internal import Inputs
internal import Media
internal import Timing
internal import Writers

/// A track that copies a camera's own H.264 frames, each shown at its own capture time. Timeline's thread only.
///
/// The last frame that was captured before T0 is shown from T0 until the next frame. Without it nothing would be shown there,
/// and libavformat would move the whole track so that the first frame after T0 came at T0.
///
/// Times in the track's file are ticks of `StreamParameters.ownTimeScale` since T0.
final class CopiedStreamTrack: CameraTrack {
    /// Name of the track.
    let name: String
    /// Rate at which the timeline asks the track; frames keep their own capture times.
    let rate: FrameRate
    private var camera: CameraFollower
    private var aligner: KeyStreamAligner<CapturedFrame>
    /// The track's stream in its movie.
    let sink: TrackSink
    private let start: ClockTime
    /// The last frame, whose duration is not known yet, with its capture time in ticks of the file's time scale since T0.
    private var held: (frame: CapturedFrame, tick: Int64)?
    /// Time since T0 from which the next key frame begins a new file; `nil` when no split is pending.
    private var partStart: MediaTime?
    /// The number of the source whose frames the present file has.
    private var stream: Int
    /// The first frame of another source, a key frame, which needs a file of its own; `nil` while there is none.
    private var successor: DatedFrame?
    /// Capture time since T0 of the first frame in the file; negative when that frame was captured before T0.
    private(set) var firstTime: MediaTime?
    /// Number of hidden frames before T0, which are in the file only because later frames need them; `counts` leaves them out.
    private(set) var leadCount = 0
    /// Whether the frame that is shown at T0 was captured before T0; `counts` includes it.
    private var beginsBeforeStart = false

    /// Creates a track whose stream begins in the file of its sink.
    ///
    /// - Parameters:
    ///   - input: The camera, which delivers H.264.
    ///   - name: Name of the track.
    ///   - start: T0 on the session's clock.
    ///   - rate: Rate at which the timeline asks the track.
    ///   - sink: The track's stream in its movie.
    init(input: CameraInput, name: String, start: ClockTime, rate: FrameRate, sink: TrackSink) {
        self.name = name
        self.start = start
        self.rate = rate
        self.sink = sink
        camera = CameraFollower(input, track: name, start: start)
        stream = input.exchangeCount
        aligner = KeyStreamAligner(start: start)
    }

    /// Counts of the track's frames so far, without hidden frames before T0.
    var counts: FrameCounts {
        var counts = aligner.counts
        if beginsBeforeStart { counts.captured += 1 }
        return counts
    }
    /// Gaps of the track so far.
    var gaps: [Gap] { camera.outages.gaps }
    /// The track's camera.
    var input: CameraInput { camera.input }

    /// Takes what the camera delivered since the last call.
    func take(_ deliveries: [CameraInput.Delivery]) {
        camera.take(deliveries, into: &aligner)
        for case .frame(let dated) in deliveries where dated.stream > successor?.stream ?? stream {
            successor = dated
        }
    }

    /// Returns the first frame of another source, for which the caller begins a new part, once.
    func takeSuccessor() -> DatedFrame? {
        guard let next = successor else { return nil }
        (stream, successor) = (next.stream, nil)
        return next
    }

    /// Continues in a new file with the first key frame at or after a time since T0.
    func beginPart(at time: MediaTime) { partStart = time }

    /// Writes the frames that were captured before a tick.
    ///
    /// - Parameter tick: Index of the tick on the grid of `rate`; 0 is T0.
    func step(tick: Int64) {
        let time = rate.time(ofTick: tick)
        write(before: time)
        if let partStart, time >= partStart, camera.outages.awaySince != nil, aligner.isEmpty {
            leave(at: partStart)
        }
    }

    /// Lets a new file begin while the camera is away: the last frame is shown until then, and the file does not wait for the
    /// camera's next frame, which will be a key frame.
    private func leave(at partStart: MediaTime) {
        showLast(until: partStart)
        self.partStart = nil
        sink.pass()
    }

    /// Ends the track: no tick follows.
    ///
    /// - Parameter end: End of the track since T0.
    func finish(at end: MediaTime) {
        write(before: end)
        showLast(until: end)
        if let missing = camera.finish(at: end, interval: input.clockReading.interval) {
            aligner.addLoss(
                count: missing.count, cause: missing.cause, capturedAt: max(missing.since, start))
        }
        sink.finish()
    }

    private func showLast(until end: MediaTime) {
        if let held { append(held.frame, from: held.tick, to: max(Self.ticks(at: end), held.tick + 1)) }
        held = nil
    }

    private func write(before limit: MediaTime) {
        for entry in aligner.take(before: start + Nanoseconds(limit.nanoseconds)) {
            if firstTime == nil { firstTime = Self.scale.time(ofTick: entry.tick) }
            if let held { append(held.frame, from: held.tick, to: entry.tick) }
            held = entry
        }
    }

    private func append(_ frame: CapturedFrame, from tick: Int64, to next: Int64) {
        if let partStart, frame.isKey, tick >= Self.ticks(at: partStart) { self.partStart = nil }
        let isShownAtStart = tick < 0 && next > 0
        if isShownAtStart { beginsBeforeStart = true } else if tick < 0 { leadCount += 1 }
        let shown = isShownAtStart ? 0 : tick
        sink.append(
            EncodedPacket(
                bytes: frame.memory, presentation: shown, decode: shown, duration: next - shown,
                isKey: frame.isKey))
    }

    private static let scale = FrameRate(StreamParameters.ownTimeScale)

    private static func ticks(at time: MediaTime) -> Int64 {
        time.ticks(perSecond: StreamParameters.ownTimeScale)
    }
}
