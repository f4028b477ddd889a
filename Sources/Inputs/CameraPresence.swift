package import MulticamMedia
internal import MulticamTiming

/// Whether a camera delivers frames: present, silent, away, or back.
///
/// A camera is *away* from the time at which its source reports an outage until the first frame after the outage.
/// In between, once the source has reported the end of the outage, the camera is *back*. A camera is *silent* if
/// expected frames don't arrive although its source hasn't reported an outage. Status and automatic switching read
/// this state. Tracks, gaps, and events derive theirs only from the deliveries that announce its transitions.
///
/// The value belongs to `CameraInbox`, whose lock protects it.
struct CameraPresence {
    private enum State {
        case present
        case away(CameraOutage)
        /// The source has reported the end of the outage, but no frame has arrived yet. Frames missing up to
        /// that frame count for the outage.
        case back(after: LossCause)
    }

    private var state = State.present
    /// Number of frames missing in the outage that the camera itself counted. The cause of these losses is
    /// known.
    private(set) var explainedFrames = 0
    /// Start of the announced silence; `nil` while frames are arriving. A silence is announced once. It ends
    /// with the next frame, or when the source announces the end of an outage.
    private(set) var silentSince: ClockTime?
    /// Time of the first check that found overdue frames; `nil` while no frames are overdue.
    private var overdueSince: ClockTime?
    /// Time at which the source last reported the end of an outage; `nil` if there was no such report in this
    /// recording.
    private var returnedAt: ClockTime?

    /// Time between the detection of a silence and its announcement. If the computer was only suspended or
    /// busy, frames arrive within this time.
    private static let confirmation = Nanoseconds.milliseconds(100)
    private static let maxExplainedFrames = 1_000_000_000

    /// Whether the camera is away or back, so that frames are missing because of an outage.
    var isAway: Bool { if case .present = state { false } else { true } }

    /// The current outage; `nil` unless the source has reported an outage and not its end.
    var outage: CameraOutage? { if case .away(let outage) = state { outage } else { nil } }

    /// The ledger's cause for frames missing because of the outage; `.disconnected` if there is no outage.
    var lossCause: LossCause {
        switch state {
        case .present: .disconnected
        case .away(let outage): outage.cause
        case .back(let cause): cause
        }
    }

    /// Records that the source reported an outage, or another cause of the current outage.
    ///
    /// - Returns: Whether the report differs from the last report about the same outage. Only such a report is
    ///   delivered.
    mutating func beginOutage(_ outage: CameraOutage) -> Bool {
        if let known = self.outage, known.reason == outage.reason, known.cause == outage.cause,
            known.isFinal == outage.isFinal
        {
            return false
        }
        state = .away(outage)
        return true
    }

    /// Records that the source reported the end of an outage.
    ///
    /// - Parameters:
    ///   - time: Time of the end.
    ///   - isAnnounced: Whether an event reports the end to users. Such an event also ends an announced silence.
    mutating func endOutage(at time: ClockTime, isAnnounced: Bool) {
        if case .away(let outage) = state { state = .back(after: outage.cause) }
        if isAnnounced { (silentSince, overdueSince) = (nil, nil) }
        returnedAt = time
    }

    /// Records that the camera itself counted frames as lost. During an outage, these frames are part of it.
    mutating func explainLoss(of count: Int) {
        if isAway { explainedFrames = min(explainedFrames + count, Self.maxExplainedFrames) }
    }

    /// Sets the number of frames that the camera itself counted as lost and that the ledger hasn't counted yet.
    mutating func setExplainedFrames(_ count: Int) { explainedFrames = count }

    /// Records that a frame arrived, which ends an outage and a silence.
    ///
    /// - Returns: Whether the frame ends an announced silence.
    mutating func recordFrame() -> Bool {
        defer { (state, explainedFrames, silentSince, overdueSince) = (.present, 0, nil, nil) }
        return silentSince != nil
    }

    /// Checks whether expected frames are overdue although the source hasn't reported an outage.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - start: Start time of the recording.
    ///   - last: Arrival time of the last frame; `nil` before the first frame.
    ///   - interval: The longest interval at which frames are expected.
    ///   - expected: Time at which the first missing frame was expected; `nil` before the first frame.
    /// - Returns: The start of a silence to announce, or `nil`.
    mutating func checkSilence(
        at now: ClockTime, since start: ClockTime, lastArrival last: ClockTime?, interval: Nanoseconds,
        firstExpected expected: ClockTime?
    ) -> ClockTime? {
        let begin = max(returnedAt ?? start, start)
        let isOverdue = now - max(last ?? begin, begin) > interval + CameraSilence.limit
        guard outage == nil, silentSince == nil, isOverdue else {
            overdueSince = nil
            return nil
        }
        guard let overdueSince else {
            self.overdueSince = now
            return nil
        }
        guard now - overdueSince >= Self.confirmation else { return nil }
        silentSince = max(expected ?? begin, begin)
        return silentSince
    }

    /// Resets the silence and the time of the last return for a new recording.
    mutating func beginRecording() { (silentSince, overdueSince, returnedAt) = (nil, nil, nil) }
}

/// The start of a camera outage and the reason for it.
package struct CameraOutage: Sendable, Equatable {
    /// Start of the outage, on `CLOCK_MONOTONIC`.
    package let since: ClockTime
    /// User-readable reason: the driver's message, or the request by the user or the governor.
    package let reason: String
    /// Cause that the ledger records for frames missing during the outage.
    package let cause: LossCause
    /// Whether the source has ended, so that the camera can't return.
    package let isFinal: Bool

    /// Creates an outage.
    ///
    /// - Parameters:
    ///   - since: Start of the outage, on `CLOCK_MONOTONIC`.
    ///   - reason: Reason as the source reports it. Control characters are replaced, and it is shortened to 400
    ///     characters.
    ///   - cause: Cause that the ledger records.
    ///   - isFinal: Whether the source has ended.
    init(since: ClockTime, reason: String, cause: LossCause, isFinal: Bool = false) {
        (self.since, self.cause, self.isFinal) = (since, cause, isFinal)
        self.reason = reason.printable(limit: 400)
    }

    /// Creates the report of the outage for a recording that starts during the outage.
    ///
    /// - Parameter start: T0 of the recording. An outage that began earlier is reported for this time.
    /// - Returns: The outage, which begins at T0 at the earliest.
    package func continued(at start: ClockTime) -> CameraOutage {
        CameraOutage(since: max(since, start), reason: reason, cause: cause, isFinal: isFinal)
    }
}
