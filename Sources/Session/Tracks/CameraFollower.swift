internal import Inputs
internal import Media
internal import Timing

/// Feeds one camera's deliveries to a track's aligner, and records the camera's outages. Timeline's thread only.
struct CameraFollower {
    /// The camera.
    let input: CameraInput
    /// The camera's outages so far, for the track's gaps.
    private(set) var outages: OutageLog
    private let start: ClockTime
    /// Number of restarts of the camera's clock model at the last `take`.
    private var restarts = 0
    /// Number of exchanges of the camera's source at the last `take`.
    private var exchanges = 0

    /// Follows a camera for a track.
    ///
    /// - Parameters:
    ///   - input: The camera.
    ///   - track: Name of the track that follows the camera.
    ///   - start: T0 on the session's clock.
    init(_ input: CameraInput, track: String, start: ClockTime) {
        self.input = input
        self.start = start
        outages = OutageLog(track: track, start: start)
    }

    /// Hands the camera's deliveries since the last call to an aligner, and notes outages.
    ///
    /// When the camera's clock model has restarted since the last call, frames that were dated by the abandoned model get a new
    /// capture time.
    ///
    /// - Parameters:
    ///   - deliveries: The deliveries, in order.
    ///   - aligner: Orders the frames and counts losses.
    mutating func take(_ deliveries: [CameraInput.Delivery], into aligner: inout some FrameAligner) {
        let (clock, input) = (input.clockReading, input)
        aligner.follow(clock)
        // Frames of an exchanged source keep the times by its own clock.
        let exchanges = input.exchangeCount
        let isSame = clock.restarts == restarts || exchanges != self.exchanges
        let model = isSame ? nil : input.clockModel
        (restarts, self.exchanges) = (clock.restarts, exchanges)
        if let model {
            aligner.redateFrames { frame, time in input.redated(frame, saidToBe: time, by: model) }
        }
        for delivery in deliveries {
            switch delivery {
            case .frame(let dated):
                let time = model.map { input.redated(dated.frame, saidToBe: dated.time, by: $0) }
                aligner.add(dated, at: time ?? dated.time)
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

    /// Ends an open outage at the end of the track.
    ///
    /// - Parameters:
    ///   - end: End of the track since T0.
    ///   - interval: Time between two frames of the camera.
    /// - Returns: Number of frames that an absent camera did not deliver until `end`, the cause, and the begin of the absence on
    ///   the session's clock; `nil` when the camera is present.
    mutating func finish(
        at end: MediaTime, interval: Nanoseconds
    ) -> (count: Int, cause: LossCause, since: ClockTime)? {
        let last = start + Nanoseconds(end.nanoseconds)
        defer { outages.finish(at: last) }
        guard let since = outages.awaySince, let cause = outages.absence else { return nil }
        return (Int((last - since).count / max(interval.count, 1)), cause, since)
    }
}
