internal import Inputs
internal import Media
internal import Timing

/// Follows one camera along one grid: feeds its aligner and records its outages. Timeline's thread only.
struct GridFollower {
    let input: CameraInput
    let track: String
    private(set) var aligner: TrackAligner<DatedFrame>
    private var outages: OutageLog
    private let start: ClockTime
    /// Restarts of the camera's clock model that are taken into account.
    private var restarts = 0

    init(input: CameraInput, track: String, start: ClockTime, rate: FrameRate) {
        self.input = input
        self.track = track
        self.start = start
        outages = OutageLog(track: track, start: start)
        aligner = TrackAligner(start: start, rate: rate, cameraInterval: input.source.format.rate.interval)
    }

    /// Takes what the camera delivered since the last call.
    mutating func take(_ deliveries: [CameraInput.Delivery]) {
        let clock = input.clockReading
        aligner.cameraInterval = clock.interval
        // The frames that made the clock model begin anew were dated by the line that it left.
        let model = clock.restarts == restarts ? nil : input.clockModel
        restarts = clock.restarts
        if let model {
            let input = input
            aligner.redate { dated, time in input.redated(dated.frame, saidToBe: time, by: model) }
        }
        for delivery in deliveries {
            switch delivery {
            case .frame(let dated):
                let time = model.map { input.redated(dated.frame, saidToBe: dated.time, by: $0) }
                aligner.add(dated, capturedAt: time ?? dated.time)
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

    /// Chooses what a tick shows.
    mutating func choose(tick: Int64) -> TrackAligner<DatedFrame>.Choice { aligner.choose(tick: tick) }

    /// Why the last chosen tick has no new frame, or `nil` when that is not known.
    var missingCause: LossCause? { aligner.missingCause }

    /// Counts the last chosen frame as lost: it cannot be used, and its predecessor is shown.
    mutating func withdrawChoice(cause: LossCause) { aligner.withdrawChoice(cause: cause) }

    /// Counts a withdrawn frame as shown: the last tick has it after all.
    mutating func restoreChoice(cause: LossCause) { aligner.restoreChoice(cause: cause) }

    /// The outages of the camera so far.
    var gaps: [Gap] { outages.gaps }

    /// Ends an open gap, and counts the frames that an absent camera did not deliver until the end.
    mutating func finish(at end: MediaTime) {
        let last = start + Nanoseconds(end.nanoseconds)
        if let since = outages.awaySince, let absence = outages.absence {
            let missing = Int((last - since).count / max(aligner.cameraInterval.count, 1))
            aligner.addFinalLoss(count: missing, cause: absence)
        }
        outages.finish(at: last)
    }
}
