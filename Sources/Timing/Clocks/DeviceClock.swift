package import MulticamMedia

/// Models a device's clock relative to the session clock. The model estimates when the n-th frame or sample
/// was actually captured.
///
/// Timestamps have a jitter of milliseconds, and clocks drift by several parts per million. The model fits a
/// least-squares line to the latest timestamps as a function of the device's count, which removes jitter and
/// drift. A prior at the nominal rate stabilizes the slope while there are few timestamps, and the influence
/// of outliers is limited to the noise level. If the noise turns out to be uniform between hard bounds, as
/// with a polling host, the line changes gradually to the middle of the `NarrowestStrip`. If the timestamps
/// agree on another line (`StraightLineMonitor`), the model restarts with that line.
///
/// `DeviceClock` is a value type that doesn't use a clock or a thread. Processing a timestamp takes a few
/// tenths of a microsecond.
package struct DeviceClock: Sendable {
    /// Estimate of a device's rate: the number of nanoseconds per count, and its standard deviation.
    private struct Rate {
        var interval: Double
        var deviation: Double
    }

    /// Nominal number of nanoseconds per count.
    private var nominalInterval: Double
    private let windowLength: Int
    /// Number of counts over which timestamps share a common error.
    private let correlationLength: Double
    /// Deviation in nanoseconds above which a timestamp doesn't influence the line. The limit increases if
    /// the timestamps scatter more.
    private var clamp: Double
    private let leastClamp: Double

    private var window: StampWindow
    private var monitor = StraightLineMonitor()
    private var noise = StampNoise()
    private var strip: NarrowestStrip?
    private var stampsSinceStrip = 0
    /// Expected rate of the line, and the rate of the device's crystal as measured at the nominal rate.
    private var expected: Rate
    private var crystal: Rate
    private var line = StraightLine(slope: 0, intercept: 0)
    /// Slope of the least-squares line before the line is blended with the strip's middle.
    private var leastSquaresSlope = 0.0
    /// Standard error of the line at its newest end in nanoseconds, and standard error of the line's slope in
    /// nanoseconds per count.
    private var error = 0.0
    private var slopeError = 0.0
    private var lastTime: ClockTime?
    /// Sum of the squared deviations of all timestamps since the start. The jitter is computed from this sum.
    private var squares = 0.0
    private var squareCount = 0.0

    /// Standard deviation of the rate change of a crystal that is warming up, in parts per million.
    private static let warmingPartsPerMillion = 20.0
    /// Age in nanoseconds below which a line's rate may still be wrong (10 s).
    private static let shortLineNanoseconds = 10e9
    /// Maximum relative difference between a crystal's rate and the nominal rate. Larger differences are
    /// caused by the exposure time.
    private static let largestCrystalError = 0.05
    /// Possible frame intervals of a camera in low light, as multiples of the normal interval, and the
    /// relative tolerance of these multiples.
    private static let multiples = 1...4
    private static let doubtOfMultiple = 0.001
    /// Minimum number of timestamps for the strip to influence the line, and for the strip to determine the
    /// line completely.
    private static let stripStamps = (first: 120.0, full: 240.0)
    /// Standard error of a strip's middle at the newest end, multiplied by the number of timestamps. The unit
    /// is half the strip's height. The value was measured in simulations of uniform noise for 120 to 3600
    /// timestamps, with 4000 seeds each.
    private static let stripError = 4.7
    /// Maximum error of a least-squares line, in standard errors.
    private static let largestLineError = 4.0
    /// Divisor of the window length. The strip is recomputed when 1/64 of the timestamps in the window have
    /// been replaced.
    private static let stripShare = 64
    /// Maximum value of the clamp in nanoseconds (0.25 s). If timestamps scatter more than this limit, the
    /// line no longer follows the timestamps.
    private static let largestClamp = 0.25e9
    /// Maximum ratio of the clamp to the standard deviation. If the ratio is higher, the clamp is halved
    /// again.
    private static let clampToNarrow = 6.0

    /// Number of times that the line restarted.
    package private(set) var restarts = 0
    /// Sum of all jumps of the line, where positive values mean later times. Jumps due to interruptions
    /// aren't included.
    package private(set) var moved = Nanoseconds.zero
    /// Number of timestamps that weren't later than the preceding timestamp.
    package private(set) var nonMonotonic = 0

    /// Creates a clock model without any timestamps.
    ///
    /// - Parameters:
    ///   - nominalInterval: Number of seconds per count, for example 1/30 for a camera or 1/48 000 for a
    ///     microphone. The value must be greater than 0.
    ///   - windowLength: Maximum number of timestamps used for the line.
    ///   - clamp: Deviation above which a timestamp doesn't influence the line. The limit increases for a
    ///     device whose timestamps scatter more.
    ///   - priorPartsPerMillion: Expected deviation from the nominal rate, in parts per million.
    ///   - correlation: Time over which timestamps share a common error, for example because they are
    ///     averaged. All timestamps within this time contain only as much information as a single timestamp.
    ///     If the correlation time is shorter than the interval between two timestamps, the errors are
    ///     independent.
    package init(
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

    /// Processes the timestamp of a frame or sample with this count.
    ///
    /// - Returns: The best estimate of the capture time of that frame or sample, on `CLOCK_MONOTONIC`.
    package mutating func estimateTime(of count: Int64, stamped time: ClockTime) -> ClockTime {
        let stamp = DeviceStamp(count: count, time: time)
        if let lastTime, time <= lastTime { nonMonotonic += 1 }
        lastTime = time
        guard let newest = window.newest else {
            begin(with: [stamp])
            return predictedTime(of: count)
        }
        let deviation = Double((time - predictedTime(of: count)).count)
        let line = StraightLineMonitor.Line(
            newestCount: newest.count, stampCount: window.count, interval: slope,
            crystalInterval: crystal.interval, error: error,
            scale: noise.scale, clamp: clamp)
        switch monitor.evaluate(stamp, deviation: deviation, line: line) {
        case .onLine:
            // A timestamp that may belong to another line doesn't influence the current line.
            if isLineShort || !monitor.isLineDoubtful { updateLine(with: stamp, deviation: deviation) }
        // If a single timestamp is an outlier, the time on the line is used instead of the timestamp.
        case .offLine: break
        case .moved(let move): restart(on: move)
        case .scattered: clamp = min(2 * clamp, Self.largestClamp)
        }
        return predictedTime(of: count)
    }

    /// Records an interruption of the device. The device's later timestamps are on another line with the same
    /// rate.
    package mutating func interrupt() {
        guard window.count > 0 else { return }
        restarts += 1
        abandonLine()
    }

    /// Records that the device continues at another nominal rate. The model restarts with another line and
    /// keeps the measured rate error of the crystal.
    ///
    /// - Parameter seconds: Number of seconds per count, greater than 0.
    package mutating func change(nominalSecondsPerCount seconds: Double) {
        precondition(seconds > 0, "the interval must be positive")
        if window.count > 0 {
            restarts += 1
            abandonLine()
        }
        let factor = seconds * 1e9 / nominalInterval
        nominalInterval *= factor
        // The rate measured in low light doesn't provide information about the new rate.
        crystal = Rate(interval: crystal.interval * factor, deviation: crystal.deviation * factor)
        expected = crystal
        window = StampWindow(expectedInterval: expected.interval, capacity: windowLength)
    }

    /// Returns the capture time of a frame or sample with this count, according to the current line.
    package func predictedTime(of count: Int64) -> ClockTime {
        window.time(of: count, on: line)
    }

    /// Measured number of nanoseconds per count, rounded to an integer.
    package var interval: Nanoseconds { Nanoseconds(Int64(rounding: slope)) }

    /// Deviation of the device's rate from its nominal rate, in parts per million; positive if the device
    /// counts too fast.
    package var partsPerMillion: Double { (nominalInterval / slope - 1) * 1e6 }

    /// Typical deviation of a timestamp from the line (root mean square).
    package var jitter: Nanoseconds {
        squareCount == 0 ? .zero : Nanoseconds(Int64(rounding: (squares / squareCount).squareRoot()))
    }

    /// Standard error of the line at its newest end.
    package var residual: Nanoseconds { window.count == 0 ? .zero : Nanoseconds(Int64(rounding: error)) }

    /// Whether the line is currently reliable, for example for a live display. The line must span at least 1
    /// s, its standard error must be at most 1 ms, and the timestamps of the last half second must agree with
    /// the line.
    package var isLocked: Bool {
        lineNanoseconds >= 1e9 && error <= 1e6 && !monitor.isLineDoubtful
    }

    private var slope: Double { expected.interval + line.slope }

    private var lineNanoseconds: Double {
        guard let oldest = window.oldest, let newest = window.newest else { return 0 }
        return Double(newest.count - oldest.count) * slope
    }

    private var isLineShort: Bool { lineNanoseconds < Self.shortLineNanoseconds }

    private mutating func updateLine(with stamp: DeviceStamp, deviation: Double) {
        squares += deviation * deviation
        squareCount += 1
        noise.add(deviation)
        if clamp > leastClamp, noise.spread < clamp / Self.clampToNarrow {
            clamp = max(clamp / 2, leastClamp)
        }
        let pull = noise.limitedDeviation(deviation)
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
        let before = predictedTime(of: newest)
        defer { moved = moved + (predictedTime(of: newest) - before) }
        let old = Rate(interval: slope, deviation: slopeError)
        let isYoung = isLineShort
        let measured = Rate(
            interval: old.interval + move.slope, deviation: move.slopeError * stampsPerReading.squareRoot())
        abandonLine()
        if agree(expected, measured) {
            let known = expected
            // A jump doesn't change the device's rate. If the previous line was short, the measured rate of
            // that line may have been wrong. The difference from the measured rate is therefore used as the
            // uncertainty.
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

    /// Rates of a camera in normal light and in low light. In low light, most cameras run at integer
    /// multiples of their frame interval.
    private var multiplesOfCrystal: [Rate] {
        Self.multiples.map { multiple in
            let interval = crystal.interval * Double(multiple)
            // Some cameras don't use exact multiples. With the additional uncertainty, the timestamps of such
            // cameras determine the rate quickly.
            let doubt = multiple == 1 ? 0 : Self.doubtOfMultiple * interval
            return Rate(interval: interval, deviation: max(crystal.deviation * Double(multiple), doubt))
        }
    }

    private func agree(_ known: Rate, _ measured: Rate) -> Bool {
        abs(known.interval - measured.interval) <= 3 * hypotenuse(known.deviation, measured.deviation)
    }

    /// Abandons the current line. The next line starts with the rate measured on the abandoned line.
    private mutating func abandonLine() {
        let warming = slope * Self.warmingPartsPerMillion * 1e-6
        expected = Rate(interval: slope, deviation: hypotenuse(slopeError, warming))
        if abs(slope / nominalInterval - 1) < Self.largestCrystalError { crystal = expected }
        window = StampWindow(expectedInterval: expected.interval, capacity: windowLength)
        strip = nil
        monitor = StraightLineMonitor()
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
        // The prior acts like additional timestamps with a slope deviation of 0, weighted by the ratio of the
        // variances. As with a Cauchy prior, the influence of the prior decreases if the measured rate is
        // clearly different. For each timestamp, one iteration of the algorithm of Lange, Little & Taylor is
        // performed (*Robust Statistical Modeling Using the t Distribution*, 1989).
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

    /// Number of timestamps that together contain as much information as one timestamp with an independent
    /// error. If n timestamps of equal variance share a common error, they contain only the information of a
    /// single timestamp, which increases the variance of a fit by the factor n (Bayley and Hammersley,
    /// Journal of the Royal Statistical Society, Supplement 8, 1946: the effective number of observations).
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
        // The strip's middle may differ from the least-squares line by at most the maximum error of that
        // line, which limits the influence of a wrong timestamp at the strip's edge.
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
        let edge = noise.maxDeviation(stampCount: window.count)
        strip = NarrowestStrip(window.points(about: line, within: edge))
        stampsSinceStrip = 0
    }

    private func hypotenuse(_ a: Double, _ b: Double) -> Double { (a * a + b * b).squareRoot() }
}

/// State of a device's clock model at one moment. The state is used for timing decisions, live displays, and
/// the manifest.
package struct ClockReading: Sendable, Equatable {
    /// Measured interval between two frames or samples.
    package let interval: Nanoseconds
    /// Deviation of the device's rate from its nominal rate, in parts per million; positive if the device
    /// counts too fast.
    package let partsPerMillion: Double
    /// Standard error of the modeled time of the latest timestamp.
    package let residual: Nanoseconds
    /// Whether the model is currently reliable. The model must span at least 1 s, the residual must be at
    /// most 1 ms, and the latest timestamps must agree with the model.
    package let isLocked: Bool
    /// Number of times that the model restarted, because the device was interrupted, jumped, or changed its
    /// rate.
    package let restarts: Int
    /// Sum of all jumps of the modeled time, where positive values mean later times. Jumps during outages are
    /// unknown and aren't included.
    package let moved: Nanoseconds

    /// Converts the reading to a session clock that runs at a different rate than the clock of the
    /// timestamps.
    ///
    /// - Parameter ppm: Rate deviation of the session clock, in parts per million.
    /// - Returns: The reading with the adjusted rate.
    package func adjusted(forSessionClockAt ppm: Double) -> Self {
        ppm == 0
            ? self
            : Self(
                interval: interval, partsPerMillion: partsPerMillion - ppm, residual: residual,
                isLocked: isLocked, restarts: restarts, moved: moved)
    }
}

extension DeviceClock {
    /// Current state of the clock model.
    package var reading: ClockReading {
        ClockReading(
            interval: interval, partsPerMillion: partsPerMillion, residual: residual, isLocked: isLocked,
            restarts: restarts, moved: moved)
    }
}

/// A device timestamp: the capture time of the frame or sample with number `count`, as reported by the device
/// or its driver.
struct DeviceStamp: Sendable {
    /// The device's count of frames or of samples per channel.
    let count: Int64
    /// Reported time on `CLOCK_MONOTONIC`.
    let time: ClockTime
}

/// Ranges of plausible counts and timestamps of devices. Implausible values are rejected, because sums of
/// such values could exceed 64 bits, or could fill a track with years of silence.
package enum PlausibleStamp {
    /// Plausible values of a device's frame count. At 1 frame per second or more, two such counts are less
    /// than 2⁶³ ns apart.
    package static let frames: ClosedRange<Int64> = -(1 << 32)...(1 << 32)
    /// Plausible values of a device's sample count. At 8000 samples per second or more, two such counts are
    /// less than 2⁶³ ns apart.
    package static let samples: ClosedRange<Int64> = -(1 << 45)...(1 << 45)

    private static let mostAhead = Nanoseconds.seconds(10)
    private static let mostBehind = Nanoseconds.seconds(3600)

    /// Returns the modeled time of a frame or slice, or the timestamp if the two times differ by more than 10
    /// s. Such a difference occurs after a jump in the device's count. Using the modeled time would then
    /// cause hours of silence, or a frame that is never shown.
    package static func time(modeled: ClockTime, stamped: ClockTime) -> ClockTime {
        (modeled - stamped).magnitude > mostAhead ? stamped : modeled
    }

    /// Returns the capture time of a frame or slice. The capture time is the timestamp, unless the timestamp
    /// is more than 10 s later or more than an hour earlier than the arrival. In that case, the capture time
    /// is the arrival time.
    package static func time(_ stamp: ClockTime, arrival: ClockTime) -> ClockTime {
        (arrival - mostBehind...arrival + mostAhead).contains(stamp) ? stamp : arrival
    }
}

extension Double {
    /// Limits the value to the range −`most`…`most`. `most` must not be negative.
    func limited(to most: Double) -> Double { min(max(self, -most), most) }
}
