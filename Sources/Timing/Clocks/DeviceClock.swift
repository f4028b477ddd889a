public import Media

/// Models a device's clock relative to the session clock. The model estimates when the n-th frame or sample was
/// actually captured.
///
/// Timestamps have a jitter of milliseconds, and clocks drift by parts per million. A least-squares line that is fitted
/// to the latest timestamps, as a function of the device's count, removes jitter and drift. A prior at the nominal rate
/// stabilizes the slope while there are few timestamps, and the influence of outliers is limited to the noise level. If
/// the noise turns out to be uniform between hard bounds, as with a polling host, the line changes gradually to the
/// middle of the `NarrowestStrip`. If the timestamps agree on another line (`StraightLineMonitor`), the model restarts
/// there.
///
/// This is a value type without a clock or a thread. Processing a timestamp takes a few tenths of a microsecond.
public struct DeviceClock: Sendable {
    /// Estimate of a device's rate: the number of nanoseconds per count, and its standard deviation.
    private struct Rate {
        var interval: Double
        var deviation: Double
    }

    /// Nominal nanoseconds per count.
    private var nominalInterval: Double
    private let windowLength: Int
    /// Number of counts over which timestamps have a common error.
    private let correlationLength: Double
    /// Deviation in nanoseconds above which a timestamp doesn't influence the line. The limit grows if timestamps
    /// scatter more.
    private var clamp: Double
    private let leastClamp: Double

    private var window: StampWindow
    private var watch = StraightLineMonitor()
    private var noise = StampNoise()
    private var strip: NarrowestStrip?
    private var stampsSinceStrip = 0
    /// Expected rate of the line, and the rate of the device's crystal as measured at the nominal rate.
    private var expected: Rate
    private var crystal: Rate
    private var line = StraightLine(slope: 0, intercept: 0)
    /// Slope of the least-squares line before blending with the strip.
    private var leastSquaresSlope = 0.0
    /// Standard errors of the newest end of the line and of the line's slope per count, in nanoseconds.
    private var error = 0.0
    private var slopeError = 0.0
    private var lastTime: ClockTime?
    /// Sum of all squared deviations since the start, from which the jitter is computed.
    private var squares = 0.0
    private var squareCount = 0.0

    /// Rate change of a crystal that warms up, given as one standard deviation.
    private static let warmingPartsPerMillion = 20.0
    /// Age below which the rate of a line may still be wrong (10 s).
    private static let youngNanoseconds = 10e9
    /// Maximum relative difference between a crystal's rate and the nominal rate. Larger differences are caused by the
    /// exposure time.
    private static let largestCrystalError = 0.05
    /// Possible frame intervals of a camera in low light, as multiples of its normal interval, and their relative
    /// tolerance.
    private static let multiples = 1...4
    private static let doubtOfMultiple = 0.001
    /// Minimum number of timestamps before the strip contributes to the line, and before it determines the line
    /// completely.
    private static let stripStamps = (first: 120.0, full: 240.0)
    /// Standard error of a strip's middle at its newest end, multiplied by the number of timestamps, in half heights of
    /// the strip. The value was measured with 4000 seeds of uniform noise each, for 120 to 3600 timestamps.
    private static let stripError = 4.7
    /// Maximum error of a least-squares line, in standard errors.
    private static let largestLineError = 4.0
    /// Divisor of the window. The strip is recomputed when 1/64 of the timestamps have been replaced.
    private static let stripShare = 64
    /// Maximum clamp, 0.25 s. If timestamps scatter more than this limit, the line no longer follows them.
    private static let largestClamp = 0.25e9
    /// Ratio of the clamp to the standard deviation. If the ratio is higher, the clamp is halved again.
    private static let clampToNarrow = 6.0

    /// Number of times that the line restarted.
    public private(set) var restarts = 0
    /// Sum of all jumps of the line; positive values mean later times. Interruptions aren't included.
    public private(set) var moved = Nanoseconds.zero
    /// Number of timestamps that weren't later than their predecessor.
    public private(set) var nonMonotonic = 0

    /// Creates a model without any timestamps.
    ///
    /// - Parameters:
    ///   - nominalInterval: Number of seconds per count, for example 1/30 for a camera or 1/48 000 for a microphone.
    ///   The value must be greater than 0.
    ///   - windowLength: Maximum number of timestamps used for the line.
    ///   - clamp: Deviation above which a timestamp doesn't influence the line. The limit grows for a device with more
    ///     scatter.
    ///   - priorPartsPerMillion: Expected deviation from the nominal rate, in parts per million.
    ///   - correlation: Time over which timestamps have a common error, for example because they are averaged. All
    ///     timestamps within this time contain only as much information as a single one. If the time is shorter than
    ///     the time between two timestamps, the timestamps are independent.
    public init(
        nominalSecondsPerCount nominalInterval: Double, windowLength: Int = 3600,
        clamp: Nanoseconds = .milliseconds(15), priorPartsPerMillion: Double = 200,
        correlation: Nanoseconds = .zero
    ) {
        precondition(
            nominalInterval > 0 && windowLength > 1,
            "the interval must be positive, and the window must contain at least two points")
        self.nominalInterval = nominalInterval * 1e9
        self.windowLength = windowLength
        correlationLength = correlation.inSeconds / nominalInterval
        self.clamp = Double(clamp.count)
        leastClamp = Double(clamp.count)
        crystal = Rate(
            interval: nominalInterval * 1e9, deviation: nominalInterval * 1e9 * priorPartsPerMillion * 1e-6)
        expected = crystal
        window = StampWindow(expectedInterval: crystal.interval, capacity: windowLength)
    }

    /// Processes the timestamp of a count.
    ///
    /// - Returns: The best estimate of the capture time of that frame or sample, on `CLOCK_MONOTONIC`.
    public mutating func time(of count: Int64, stamped time: ClockTime) -> ClockTime {
        let stamp = DeviceStamp(count: count, time: time)
        if let lastTime, time <= lastTime { nonMonotonic += 1 }
        lastTime = time
        guard let newest = window.newest else {
            begin(with: [stamp])
            return predicted(count)
        }
        let deviation = Double((time - predicted(count)).count)
        let line = StraightLineMonitor.Line(
            newestCount: newest.count, stampCount: window.count, interval: slope,
            crystalInterval: crystal.interval, error: error,
            scale: noise.scale, clamp: clamp)
        switch watch.judge(stamp, deviation: deviation, line: line) {
        case .onLine:
            // A timestamp that may belong to another line doesn't influence this one.
            if isYoung || !watch.hasDoubts { follow(stamp, deviation: deviation) }
        // If a single timestamp is an outlier, the value of the line is used instead.
        case .offLine: break
        case .moved(let move): restart(on: move)
        case .scattered: clamp = min(2 * clamp, Self.largestClamp)
        }
        return predicted(count)
    }

    /// Records an interruption of the device. The next counts of the device are on another line with the same rate.
    public mutating func interrupt() {
        guard window.count > 0 else { return }
        restarts += 1
        leaveLine()
    }

    /// Records that the device continues at another nominal rate. The model restarts on another line and keeps the
    /// measured error of the crystal.
    ///
    /// - Parameter seconds: Number of seconds per count, greater than 0.
    public mutating func change(nominalSecondsPerCount seconds: Double) {
        precondition(seconds > 0, "the interval must be positive")
        if window.count > 0 {
            restarts += 1
            leaveLine()
        }
        let factor = seconds * 1e9 / nominalInterval
        nominalInterval *= factor
        // The rate measured in low light contains no information about the new rate.
        crystal = Rate(interval: crystal.interval * factor, deviation: crystal.deviation * factor)
        expected = crystal
        window = StampWindow(expectedInterval: expected.interval, capacity: windowLength)
    }

    /// Returns the capture time of a count according to the current line.
    public func predicted(_ count: Int64) -> ClockTime {
        window.time(of: count, on: line)
    }

    /// Measured nanoseconds per count, rounded to an integer.
    public var interval: Nanoseconds { Nanoseconds(Int64(rounding: slope)) }

    /// Deviation of the device's rate from its nominal rate, in parts per million; positive if it counts too fast.
    public var partsPerMillion: Double { (nominalInterval / slope - 1) * 1e6 }

    /// Typical deviation of a timestamp from the line (root mean square).
    public var jitter: Nanoseconds {
        squareCount == 0 ? .zero : Nanoseconds(Int64(rounding: (squares / squareCount).squareRoot()))
    }

    /// Standard error of the line at its newest end.
    public var residual: Nanoseconds { window.count == 0 ? .zero : Nanoseconds(Int64(rounding: error)) }

    /// Whether the line is currently reliable, for example for a live display. The line must span at least 1 s, its
    /// standard error must be at most 1 ms, and the timestamps of the last half second must agree with it.
    public var isLocked: Bool {
        watchedNanoseconds >= 1e9 && error <= 1e6 && !watch.hasDoubts
    }

    /// Number of timestamps that the line currently uses.
    public var stampCount: Int { window.count }

    private var slope: Double { expected.interval + line.slope }

    private var watchedNanoseconds: Double {
        guard let oldest = window.oldest, let newest = window.newest else { return 0 }
        return Double(newest.count - oldest.count) * slope
    }

    private var isYoung: Bool { watchedNanoseconds < Self.youngNanoseconds }

    private mutating func follow(_ stamp: DeviceStamp, deviation: Double) {
        squares += deviation * deviation
        squareCount += 1
        noise.add(deviation)
        if clamp > leastClamp, noise.spread < clamp / Self.clampToNarrow {
            clamp = max(clamp / 2, leastClamp)
        }
        let pull = noise.held(deviation)
        append(DeviceStamp(count: stamp.count, time: stamp.time - Nanoseconds(Int64(deviation - pull))))
        fit()
    }

    private mutating func append(_ stamp: DeviceStamp) {
        if window.append(stamp) { strip = nil }
        stampsSinceStrip += 1
    }

    private mutating func restart(on move: StraightLineMonitor.Move) {
        restarts += 1
        let newest = move.stamps.last?.count ?? 0
        let before = predicted(newest)
        defer { moved = moved + (predicted(newest) - before) }
        let old = Rate(interval: slope, deviation: slopeError)
        let isYoung = isYoung
        let measured = Rate(
            interval: old.interval + move.slope, deviation: move.slopeError * stampsPerReading.squareRoot())
        leaveLine()
        if agree(expected, measured) {
            let known = expected
            // A jump doesn't change the rate. If the previous line was short, its rate may have been wrong. The
            // difference from the measured rate is therefore used as the uncertainty.
            let difference = abs(measured.interval - known.interval)
            let isJump = !isYoung && difference < 2 * measured.deviation || move.slopeError == 0
            expected = Rate(
                interval: known.interval,
                deviation: isJump ? known.deviation : hypotenuse(known.deviation, difference))
        } else if let known = multiplesOfCrystal.first(where: { agree($0, measured) }) {
            expected = known
        } else {
            expected = Rate(
                interval: measured.interval,
                deviation: 2 * measured.deviation + 0.001 * measured.interval)
        }
        begin(with: move.stamps)
    }

    /// Rates of a camera in normal light and in low light. In low light, most cameras run at integer multiples of their
    /// frame interval.
    private var multiplesOfCrystal: [Rate] {
        Self.multiples.map { multiple in
            let interval = crystal.interval * Double(multiple)
            // Some cameras don't use exact multiples. The additional uncertainty lets their timestamps determine the
            // rate quickly.
            let doubt = multiple == 1 ? 0 : Self.doubtOfMultiple * interval
            return Rate(interval: interval, deviation: max(crystal.deviation * Double(multiple), doubt))
        }
    }

    private func agree(_ known: Rate, _ measured: Rate) -> Bool {
        abs(known.interval - measured.interval) <= 3 * hypotenuse(known.deviation, measured.deviation)
    }

    /// Abandons the line. The next line starts with the rate that this line has measured.
    private mutating func leaveLine() {
        let warming = slope * Self.warmingPartsPerMillion * 1e-6
        expected = Rate(interval: slope, deviation: hypotenuse(slopeError, warming))
        if abs(slope / nominalInterval - 1) < Self.largestCrystalError { crystal = expected }
        window = StampWindow(expectedInterval: expected.interval, capacity: windowLength)
        strip = nil
        watch = StraightLineMonitor()
        line = StraightLine(slope: 0, intercept: 0)
        leastSquaresSlope = 0
    }

    private mutating func begin(with stamps: [DeviceStamp]) {
        window = StampWindow(expectedInterval: expected.interval, capacity: windowLength)
        for stamp in stamps where stamp.count > window.newest?.count ?? .min { append(stamp) }
        fit()
    }

    private mutating func fit() {
        guard let end = window.newest else { return }
        // The prior acts like additional timestamps with a slope deviation of 0; its weight is the ratio of the
        // variances. As with a Cauchy prior, its influence decreases if the rate is clearly different. Each timestamp
        // performs one iteration of Lange, Little & Taylor (*Robust Statistical Modeling Using the t Distribution*,
        // 1989).
        let scale = noise.scale * stampsPerReading.squareRoot()
        let ratio = scale / expected.deviation
        let departure = leastSquaresSlope / expected.deviation
        let prior = ratio * ratio * min(1, 2 / (1 + departure * departure))
        line = window.sums.line(prior: prior)
        leastSquaresSlope = line.slope
        let newest = window.x(end.count)
        let variance = window.sums.variance(at: newest, prior: prior)
        error = scale * variance.line.squareRoot()
        slopeError = scale * variance.slope.squareRoot()
        blendStrip(at: window.point(end))
    }

    /// Number of timestamps that together contain as much information as one timestamp with an independent error. If n
    /// timestamps of equal variance have a common error, they contain the information of a single one, which increases
    /// the variance of a fit by the factor n (Bayley and Hammersley, Journal of the Royal Statistical Society,
    /// Supplement 8, 1946: the effective number of observations).
    private var stampsPerReading: Double {
        guard correlationLength > 0, let oldest = window.oldest, let newest = window.newest, window.count > 1
        else { return 1 }
        let spacing = Double(newest.count - oldest.count) / Double(window.count - 1)
        return max(1, correlationLength / spacing)
    }

    private mutating func blendStrip(at newest: StampWindow.Point) {
        let readings = Double(window.count) / stampsPerReading
        let known = (readings - Self.stripStamps.first) / (Self.stripStamps.full - Self.stripStamps.first)
        let share = min(max(known, 0), 1) * noise.flatness
        guard share > 0 else {
            strip = nil
            return
        }
        renewStrip(at: newest)
        guard let strip else { return }
        let middle = strip.middle
        // A wrong timestamp at the edge of the strip can't have more influence than the maximum error of the
        // least-squares line.
        let difference = abs(middle(newest.x) - line(newest.x))
        let believed = share * min(1, Self.largestLineError * error / max(difference, .leastNonzeroMagnitude))
        line = line.blended(with: middle, share: believed)
        let stripError = Self.stripError * strip.halfHeight / readings
        error += believed * (stripError - error)
    }

    private mutating func renewStrip(at newest: StampWindow.Point) {
        if let strip, let oldest = window.oldest {
            let isHeld = strip.firstSupport >= window.x(oldest.count)
            let outside = abs(newest.y - strip.middle(newest.x)) > strip.halfHeight
            guard !isHeld || outside, stampsSinceStrip >= window.count / Self.stripShare else { return }
        }
        let edge = noise.edge(stampCount: window.count)
        strip = NarrowestStrip(window.points(about: line, within: edge))
        stampsSinceStrip = 0
    }

    private func hypotenuse(_ a: Double, _ b: Double) -> Double { (a * a + b * b).squareRoot() }
}

/// State of a device's clock model at one moment, which is used for decisions, live displays, and the manifest.
public struct ClockReading: Sendable, Equatable {
    /// Measured interval between two frames or samples.
    public let interval: Nanoseconds
    /// Deviation of the device's rate from its nominal rate, in parts per million; positive if it counts too fast.
    public let partsPerMillion: Double
    /// Standard error of the modeled time of the latest timestamp.
    public let residual: Nanoseconds
    /// Whether the model is currently reliable. The model must span at least 1 s, the residual must be at most 1 ms,
    /// and the latest timestamps must agree with it.
    public let isLocked: Bool
    /// Number of times that the model restarted, because the device was interrupted, jumped, or changed its rate.
    public let restarts: Int
    /// Sum of all jumps of the modeled time; positive values mean later times. Outages aren't included, because their
    /// jumps are unknown.
    public let moved: Nanoseconds

    /// Returns the reading relative to a session clock whose rate differs from that of the clock that created the
    /// timestamps.
    ///
    /// - Parameter ppm: Rate deviation of the session clock, in parts per million.
    /// - Returns: The reading with the adjusted rate.
    public func against(sessionClockAt ppm: Double) -> Self {
        ppm == 0
            ? self
            : Self(
                interval: interval, partsPerMillion: partsPerMillion - ppm, residual: residual,
                isLocked: isLocked, restarts: restarts, moved: moved)
    }
}

extension DeviceClock {
    /// Current state of the model.
    public var reading: ClockReading {
        ClockReading(
            interval: interval, partsPerMillion: partsPerMillion, residual: residual, isLocked: isLocked,
            restarts: restarts, moved: moved)
    }
}

/// A timestamp of a device, which is the capture time of frame or sample `count`, as reported by the device or its
/// driver.
struct DeviceStamp: Sendable {
    /// Count of the device, in frames or in samples per channel.
    let count: Int64
    /// Reported time on `CLOCK_MONOTONIC`.
    let time: ClockTime
}

/// Ranges of plausible counts and timestamps of devices. Implausible values are rejected, because their sums could
/// exceed 64 bits or lead to years of silence in a track.
package enum PlausibleStamp {
    /// Plausible values of a device's frame count. At 1 frame per second or more, the difference between two
    /// values is less than 2⁶³ ns.
    package static let frames: ClosedRange<Int64> = -(1 << 32)...(1 << 32)
    /// Plausible values of a device's sample count. At 8000 samples per second or more, the difference
    /// between two values is less than 2⁶³ ns.
    package static let samples: ClosedRange<Int64> = -(1 << 45)...(1 << 45)

    private static let mostAhead = Nanoseconds.seconds(10)
    private static let mostBehind = Nanoseconds.seconds(3600)

    /// Returns the modeled time of a frame or slice, or its timestamp if the two differ by more than 10 s.
    /// Such a difference occurs after a jump in the device's count, and would cause hours of silence or a
    /// frame that is never shown.
    package static func time(modeled: ClockTime, stamped: ClockTime) -> ClockTime {
        (modeled - stamped).magnitude > mostAhead ? stamped : modeled
    }

    /// Returns the capture time of a frame or slice. This is the timestamp, or the arrival time if the timestamp is
    /// more than 10 s later or more than an hour earlier than the arrival.
    package static func time(_ stamp: ClockTime, arrival: ClockTime) -> ClockTime {
        (arrival - mostBehind...arrival + mostAhead).contains(stamp) ? stamp : arrival
    }
}

extension Double {
    /// Returns the nearest value whose magnitude is at most `most`. `most` must not be negative.
    func limited(to most: Double) -> Double { min(max(self, -most), most) }
}
