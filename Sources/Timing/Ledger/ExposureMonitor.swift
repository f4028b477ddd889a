package import MulticamMedia

/// Counts the frames that a camera omits without reporting them. In low light, nearly all webcams use an
/// exposure time that is longer than the frame interval. The webcam then delivers, for example, half as many
/// frames, without a gap in the sequence numbers.
///
/// `ExposureMonitor` is a value type. The monitor's input is the frame interval measured by the camera's
/// clock model.
package struct ExposureMonitor {
    private let nominal: Nanoseconds
    /// Accumulated fraction of an omitted frame that hasn't been counted yet.
    private var omittedFraction = 0.0
    /// Whether the camera's exposure time is longer than its nominal frame interval.
    private(set) var isSlow = false
    /// Number of consecutive frames that contradict `isSlow`.
    private var contradictingFrames = 0

    /// Minimum relative deviation of the frame interval at which the camera is considered to run at a lower
    /// rate. Smaller deviations are caused by crystal errors or rounded intervals (1/29.97 instead of 1/30).
    private static let tolerance = 0.05
    /// Numbers of consecutive frames after which a low-light period starts and ends. The hysteresis prevents
    /// repeated reports for a camera near the threshold.
    private static let spell = (begin: 15, end: 300)

    /// Creates a monitor for a camera that runs at its full frame rate.
    ///
    /// - Parameter nominal: Frame interval at the configured rate, greater than 0.
    package init(nominal: Nanoseconds) {
        self.nominal = nominal
    }

    /// Records a captured frame.
    ///
    /// - Parameter interval: The camera's current frame interval.
    /// - Returns: The number of frames missing before this frame, and whether a low-light period has just
    ///   started.
    package mutating func recordFrame(interval: Nanoseconds) -> (missing: Int, becameSlow: Bool) {
        let excess = interval.inSeconds / nominal.inSeconds - 1
        let isLate = excess > Self.tolerance
        contradictingFrames = isLate == isSlow ? 0 : contradictingFrames + 1
        let changes = contradictingFrames >= (isSlow ? Self.spell.end : Self.spell.begin)
        if changes {
            isSlow.toggle()
            contradictingFrames = 0
        }
        omittedFraction = isLate ? omittedFraction + excess : 0
        let missing = Int(omittedFraction)
        omittedFraction -= Double(missing)
        return (missing, changes && isSlow)
    }
}

/// Detects missing frames that the source doesn't report. A camera may pause, for example while the computer
/// is suspended, and then continue without a gap in its sequence numbers.
///
/// Two conditions must hold: frames stop arriving for a while, and the clock model then finds that the
/// following frames are late by about the same time. If only one of the conditions holds, the host was busy
/// or the clock jumped. `UnreportedGapDetector` is a value type that processes every frame.
package struct UnreportedGapDetector {

    /// Creates a gap detector that hasn't processed any frames.
    package init() {}

    private struct Suspicion {
        let length: Nanoseconds
        let since: ClockTime
        let moved: Nanoseconds
    }

    /// Minimum length of a gap that is examined. Shorter gaps are caused by a busy host.
    private static let shortest = Nanoseconds.milliseconds(200)
    /// Time within which the clock model must change to a new line to confirm the gap.
    private static let confirmationTimeout = Nanoseconds.seconds(3)

    private var last: (sequence: Int64, arrival: ClockTime)?
    private var suspicion: Suspicion?

    /// Processes the next frame.
    ///
    /// - Parameters:
    ///   - sequence: The camera's sequence number of the frame.
    ///   - arrival: Arrival time of the frame on `CLOCK_MONOTONIC`.
    ///   - clock: The state of the clock model after this frame.
    /// - Returns: The number of missing frames (greater than 0) and the time when the gap began; `nil` if no
    ///   gap was detected.
    package mutating func recordFrame(
        _ sequence: Int64, at arrival: ClockTime, clock: ClockReading
    ) -> (count: Int, since: ClockTime)? {
        if let last, sequence == last.sequence + 1, arrival - last.arrival >= Self.shortest + clock.interval {
            suspicion = Suspicion(
                length: arrival - last.arrival - clock.interval, since: last.arrival, moved: clock.moved)
        }
        last = (sequence, arrival)
        guard let suspected = suspicion else { return nil }
        if arrival - suspected.since > suspected.length + Self.confirmationTimeout { suspicion = nil }
        let moved = clock.moved - suspected.moved
        guard moved * 2 > suspected.length else { return nil }
        suspicion = nil
        let count = min(moved, suspected.length).inSeconds / clock.interval.inSeconds
        return count >= 0.5 ? (Int(rounding: count), suspected.since) : nil
    }
}
