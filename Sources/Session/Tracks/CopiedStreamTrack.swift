internal import Inputs
internal import Media
internal import Timing
internal import Writers

/// A camera's track of its own H.264 frames: each frame is copied, and shown at its own capture time.
///
/// The last frame that was captured before T0 is shown from T0 until the next. Without it nothing would be shown
/// there, and libavformat would move the whole track so that the first frame after T0 came at T0.
///
/// `rate` only says how often the timeline asks the track. Times in its file are ticks of
/// `StreamParameters.ownTimeScale` since T0.
final class CopiedStreamTrack: CameraTrack {
    let name: String
    let rate: FrameRate
    let input: CameraInput
    private var outages: OutageLog
    private var aligner: KeyStreamAligner<CapturedFrame>
    let lane: TrackSink
    private let start: ClockTime
    private var held: (frame: CapturedFrame, tick: Int64)?
    /// Where a new file begins that the stream has not come to yet.
    private var partStart: MediaTime?
    /// Restarts of the camera's clock model that are taken into account.
    private var restarts = 0
    /// Capture time of the first frame in the file; before T0 when that frame only serves to decode later ones.
    private(set) var firstTime: MediaTime?
    /// Hidden frames before T0, which are in the file only because later ones need them; they count as none of the
    /// recording's.
    private(set) var leadCount = 0
    /// Whether the frame that is shown at T0 was captured before T0. It counts as one of the recording's.
    private var beginsBeforeStart = false

    init(input: CameraInput, name: String, start: ClockTime, rate: FrameRate, lane: TrackSink) {
        self.input = input
        self.name = name
        self.start = start
        self.rate = rate
        self.lane = lane
        outages = OutageLog(track: name, start: start)
        aligner = KeyStreamAligner(start: start)
    }

    var counts: FrameCounts {
        var counts = aligner.counts
        if beginsBeforeStart { counts.captured += 1 }
        return counts
    }
    var gaps: [Gap] { outages.gaps }

    func take(_ deliveries: [CameraInput.Delivery]) {
        let clock = input.clockReading
        // The frames that made the clock model begin anew were dated by the line that it left.
        let model = clock.restarts == restarts ? nil : input.clockModel
        restarts = clock.restarts
        if let model {
            let input = input
            aligner.redate { frame, time in input.redated(frame, saidToBe: time, by: model) }
        }
        for delivery in deliveries {
            switch delivery {
            case .frame(let dated):
                let time = model.map { input.redated(dated.frame, saidToBe: dated.time, by: $0) }
                aligner.add(
                    dated.frame, isKey: dated.frame.isKey, capturedAt: time ?? dated.time)
            case .lost(let count, let cause, let time):
                aligner.addLoss(count: count, cause: cause, capturedAt: time)
                if cause == .away { outages.wasSilent(from: time, for: clock.interval * Int64(count)) }
            case .away(let time, let cause, let ledger):
                outages.begin(at: time, cause: cause, loss: ledger)
            case .ended(let time, let cause): outages.begin(at: time, cause: cause)
            case .returned(let time, _, _): outages.end(at: time)
            case .warning, .formatChanged: break
            }
        }
    }

    /// Continues in a new file with the first key frame at or after a time.
    func beginPart(at time: MediaTime) { partStart = time }

    func step(tick: Int64) {
        let time = rate.time(ofTick: tick)
        write(before: time)
        if let partStart, time >= partStart, outages.awaySince != nil, aligner.isEmpty {
            leave(at: partStart)
        }
    }

    /// Lets a new file begin while the camera is away: its last frame is shown until then, and the file does not wait
    /// for the next one, which will be a key frame.
    private func leave(at partStart: MediaTime) {
        showLast(until: partStart)
        self.partStart = nil
        lane.pass()
    }

    func finish(at end: MediaTime) {
        write(before: end)
        showLast(until: end)
        let last = start + Nanoseconds(end.nanoseconds)
        if let since = outages.awaySince, let absence = outages.absence {
            let missing = Int((last - since).count / max(input.clockReading.interval.count, 1))
            aligner.addLoss(count: missing, cause: absence, capturedAt: max(since, start))
        }
        outages.finish(at: last)
        lane.finish()
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
        lane.append(
            EncodedPacket(
                bytes: frame.memory, presentation: shown, decode: shown, duration: next - shown,
                isKey: frame.isKey))
    }

    private static let scale = FrameRate(StreamParameters.ownTimeScale)

    private static func ticks(at time: MediaTime) -> Int64 {
        time.ticks(perSecond: StreamParameters.ownTimeScale)
    }
}
