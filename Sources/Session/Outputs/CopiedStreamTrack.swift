internal import Media

/// A camera's track of its own H.264 pictures: every one of them, at the tick nearest to its capture.
final class CopiedStreamTrack: CameraTrack {
    let name: String
    let rate: FrameRate
    let input: CameraInput
    private var outages: OutageLog
    private var aligner: KeyStreamAligner<CapturedPicture>
    let lane: MovieLane
    private let start: ClockTime
    private var held: (picture: CapturedPicture, tick: Int64)?
    /// Where a new file begins that the stream has not come to yet.
    private var partTick: Int64?
    /// Of the camera's clock, as far as taken into account.
    private var restarts = 0
    /// The tick of the first picture: 0 or before.
    private(set) var firstTick: Int64?
    /// Pictures before T0 that were sent to the file because the first one after it needs them; they count as none of the recording's.
    private(set) var leadCount = 0

    init(input: CameraInput, name: String, start: ClockTime, rate: FrameRate, lane: MovieLane) {
        self.input = input
        self.name = name
        self.start = start
        self.rate = rate
        self.lane = lane
        outages = OutageLog(track: name, start: start)
        aligner = KeyStreamAligner(start: start, rate: rate)
    }

    var counts: FrameCounts { aligner.counts }
    var gaps: [Gap] { outages.gaps }

    func take(_ deliveries: [CameraInput.Delivery]) {
        let clock = input.clockReading
        // The pictures that made the clock begin anew were dated by the line that it left.
        let model = clock.restarts == restarts ? nil : input.clockModel
        restarts = clock.restarts
        if let model {
            let input = input
            aligner.redate { picture, time in input.redated(picture, saidToBe: time, by: model) }
        }
        for delivery in deliveries {
            switch delivery {
            case .picture(let dated):
                let time = model.map { input.redated(dated.picture, saidToBe: dated.time, by: $0) }
                aligner.add(
                    dated.picture, isKey: dated.picture.isKey, capturedAt: time ?? dated.time)
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

    /// Goes on in a new file with the first key picture at or after a tick.
    func beginPart(at tick: Int64) { partTick = tick }

    func step(tick: Int64) {
        write(before: rate.time(ofTick: tick))
        if let partTick, tick >= partTick, outages.awaySince != nil, aligner.isEmpty { leave(at: partTick) }
    }

    /// The camera is away while a new file begins: its last picture is shown until then, and nobody waits for the next,
    /// which will be a key picture.
    private func leave(at partTick: Int64) {
        if let held { append(held.picture, from: held.tick, to: max(partTick, held.tick + 1)) }
        held = nil
        self.partTick = nil
        lane.pass()
    }

    func finish(at end: MediaTime) {
        write(before: end)
        // The last picture is shown until the recording's end.
        if let held { append(held.picture, from: held.tick, to: max(rate.ticks(before: end), held.tick + 1)) }
        held = nil
        let last = start + Nanoseconds(end.nanoseconds)
        if let since = outages.awaySince, let absence = outages.absence {
            let missing = Int((last - since).count / max(input.clockReading.interval.count, 1))
            aligner.addLoss(count: missing, cause: absence, capturedAt: max(since, start))
        }
        outages.end(at: last)
        lane.finish()
    }

    private func write(before limit: MediaTime) {
        for entry in aligner.take(before: start + Nanoseconds(limit.nanoseconds)) {
            if firstTick == nil { firstTick = entry.tick }
            if let held { append(held.picture, from: held.tick, to: entry.tick) }
            held = entry
        }
    }

    private func append(_ picture: CapturedPicture, from tick: Int64, to next: Int64) {
        if let partTick, picture.isKey, tick >= partTick { self.partTick = nil }
        if tick < 0 { leadCount += 1 }
        lane.append(
            EncodedPacket(
                bytes: picture.memory, presentation: tick * rate.seconds, decode: tick * rate.seconds,
                duration: (next - tick) * rate.seconds, isKey: picture.isKey))
    }
}
