public import Media

/// A model of a device's own clock against the session clock: it tells when the n-th frame or sample was really captured.
///
/// Time stamps jitter by milliseconds, clocks drift by parts per million. A line through the last stamps over the
/// device's own count gives both away. It is a least-squares line, with a prior at the nominal rate that steadies the
/// slope while few stamps are known, and with stamps far off held to what the noise allows. Where the noise turns out
/// flat between hard bounds, as that of a polling host, it goes over into the middle of the `NarrowestStrip`. When
/// the stamps agree on another line (`LineWatch`), the model begins anew there.
///
/// A value: no clock, no thread. A stamp costs some tenths of a microsecond.
public struct DeviceClock: Sendable {
    /// An estimate of a device's rate: nanoseconds per count, and its standard deviation.
    private struct Rate {
        var interval: Double
        var deviation: Double
    }

    /// Nominal nanoseconds per count.
    private var nominalInterval: Double
    private let windowLength: Int
    /// The number of counts over which stamps share their error.
    private let correlationLength: Double
    /// The deviation in nanoseconds from which a stamp does not pull the line. It widens while stamps scatter more.
    private var clamp: Double
    private let leastClamp: Double

    private var window: StampWindow
    private var watch = LineWatch()
    private var noise = StampNoise()
    private var strip: NarrowestStrip?
    private var stampsSinceStrip = 0
    /// The rate that the line expects, and the one that the device's crystal has shown at its nominal rate.
    private var expected: Rate
    private var crystal: Rate
    private var line = StraightLine(slope: 0, intercept: 0)
    /// The slope of the least-squares line alone, without the strip.
    private var leastSquaresSlope = 0.0
    /// The standard errors of the line's newest end, and of its slope per count, in nanoseconds.
    private var error = 0.0
    private var slopeError = 0.0
    private var lastTime: ClockTime?
    /// The sum of the squares of all deviations since the beginning, for the jitter.
    private var squares = 0.0
    private var squareCount = 0.0

    /// The change of a crystal's rate by warming up, as one standard deviation.
    private static let warmingPartsPerMillion = 20.0
    /// The age below which a line may still have a wrong rate: 10 s.
    private static let youngNanoseconds = 10e9
    /// The largest share by which a crystal's rate differs from the nominal one; larger differences come from the exposure.
    private static let largestCrystalError = 0.05
    /// The multiples of its interval at which a camera runs in the dark, and the share by which they may be off.
    private static let multiples = 1...4
    private static let doubtOfMultiple = 0.001
    /// The numbers of stamps from which the strip has a share, and from which it alone decides.
    private static let stripStamps = (first: 120.0, full: 240.0)
    /// The standard error of a strip's middle at its newest end, times stamps, in half heights: measured on 4000
    /// seeds of flat noise each, for 120 to 3600 stamps.
    private static let stripError = 4.7
    /// The largest error of a least-squares line, in standard errors.
    private static let largestLineError = 4.0
    /// The share of the window, 1/64, that has to be renewed before the strip is computed again.
    private static let stripShare = 64
    /// The widest clamp, 0.25 s: stamps that scatter more widely are not followed any more.
    private static let largestClamp = 0.25e9
    /// The number of standard deviations in a clamp from which it may be halved again.
    private static let clampToNarrow = 6.0

    /// How often the line began anew.
    public private(set) var restarts = 0
    /// The sum of all jumps of the line; above 0 to later times. An interruption does not count.
    public private(set) var moved = Nanoseconds.zero
    /// The number of stamps that were not after their predecessor.
    public private(set) var nonMonotonic = 0

    /// Creates the model of a clock that has given no stamp.
    ///
    /// - Parameters:
    ///   - nominalInterval: Seconds per count: 1/30 for a camera, 1/48 000 for a microphone. Above 0.
    ///   - windowLength: The largest number of stamps that the line follows.
    ///   - clamp: The deviation beyond which a stamp does not pull the line. It widens for a device that scatters more.
    ///   - priorPartsPerMillion: The expected deviation from the nominal rate.
    ///   - correlation: The time over which stamps share their error, as averaged ones do, so that many together tell no more
    ///     than one. When it is shorter than the time between two stamps, each tells something of its own.
    public init(
        nominalSecondsPerCount nominalInterval: Double, windowLength: Int = 3600,
        clamp: Nanoseconds = .milliseconds(15), priorPartsPerMillion: Double = 200,
        correlation: Nanoseconds = .zero
    ) {
        precondition(
            nominalInterval > 0 && windowLength > 1, "a clock counts forward, and a line has two points")
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

    /// Takes the stamp of count `count`.
    ///
    /// - Returns: The best estimate of when that frame or sample was captured, on `CLOCK_MONOTONIC`.
    public mutating func time(of count: Int64, stamped time: ClockTime) -> ClockTime {
        let stamp = DeviceStamp(count: count, time: time)
        if let lastTime, time <= lastTime { nonMonotonic += 1 }
        lastTime = time
        guard let newest = window.newest else {
            begin(with: [stamp])
            return predicted(count)
        }
        let deviation = Double((time - predicted(count)).count)
        let line = LineWatch.Line(
            newestCount: newest.count, stampCount: window.count, interval: slope,
            crystalInterval: crystal.interval, error: error,
            scale: noise.scale, clamp: clamp)
        switch watch.judge(stamp, deviation: deviation, line: line) {
        case .onLine:
            // A stamp that may turn out to belong to another line does not pull this one.
            if isYoung || !watch.hasDoubts { follow(stamp, deviation: deviation) }
        // A single wild stamp is replaced by the line.
        case .offLine: break
        case .moved(let move): restart(on: move)
        case .scattered: clamp = min(2 * clamp, Self.largestClamp)
        }
        return predicted(count)
    }

    /// Notes that the device was away: its next counts lie on another line of the same rate.
    public mutating func interrupt() {
        guard window.count > 0 else { return }
        restarts += 1
        leaveLine()
    }

    /// Notes that the device goes on at another nominal rate: on another line, with the error that its crystal has shown.
    ///
    /// - Parameter seconds: Seconds per count, above 0.
    public mutating func change(nominalSecondsPerCount seconds: Double) {
        precondition(seconds > 0, "a clock counts forward")
        if window.count > 0 {
            restarts += 1
            leaveLine()
        }
        let factor = seconds * 1e9 / nominalInterval
        nominalInterval *= factor
        // The rate at which a dark room made the camera run says nothing about the new rate.
        crystal = Rate(interval: crystal.interval * factor, deviation: crystal.deviation * factor)
        expected = crystal
        window = StampWindow(expectedInterval: expected.interval, capacity: windowLength)
    }

    /// The capture time of a count, by the line as it is now.
    public func predicted(_ count: Int64) -> ClockTime {
        window.time(of: count, on: line)
    }

    /// Measured nanoseconds per count, rounded to a whole number.
    public var interval: Nanoseconds { Nanoseconds(Int64(rounding: slope)) }

    /// How fast the device runs against its nominal rate: above 0 it counts too fast.
    public var partsPerMillion: Double { (nominalInterval / slope - 1) * 1e6 }

    /// The typical deviation of a stamp from the line (root mean square).
    public var jitter: Nanoseconds {
        squareCount == 0 ? .zero : Nanoseconds(Int64(rounding: (squares / squareCount).squareRoot()))
    }

    /// The standard error of the line at its newest end.
    public var residual: Nanoseconds { window.count == 0 ? .zero : Nanoseconds(Int64(rounding: error)) }

    /// Whether the line can be relied on now, as for a live display: watched for a second or more, its standard error at
    /// most 1 ms, and the latest half second of stamps about it.
    public var isLocked: Bool {
        watchedNanoseconds >= 1e9 && error <= 1e6 && !watch.hasDoubts
    }

    /// The number of stamps that the line follows now.
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

    private mutating func restart(on move: LineWatch.Move) {
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
            // A jump leaves the rate alone. A young line that was left may have had a wrong one: how far the stamps
            // tell otherwise is how far it may be otherwise.
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

    /// The rates that a camera has in the light, and in the dark, where most cameras run at whole multiples of their interval.
    private var multiplesOfCrystal: [Rate] {
        Self.multiples.map { multiple in
            let interval = crystal.interval * Double(multiple)
            // Some do not: the doubt lets their stamps soon decide.
            let doubt = multiple == 1 ? 0 : Self.doubtOfMultiple * interval
            return Rate(interval: interval, deviation: max(crystal.deviation * Double(multiple), doubt))
        }
    }

    private func agree(_ known: Rate, _ measured: Rate) -> Bool {
        abs(known.interval - measured.interval) <= 3 * hypotenuse(known.deviation, measured.deviation)
    }

    /// Leaves the line. The next one expects the rate that this one has found.
    private mutating func leaveLine() {
        let warming = slope * Self.warmingPartsPerMillion * 1e-6
        expected = Rate(interval: slope, deviation: hypotenuse(slopeError, warming))
        if abs(slope / nominalInterval - 1) < Self.largestCrystalError { crystal = expected }
        window = StampWindow(expectedInterval: expected.interval, capacity: windowLength)
        strip = nil
        watch = LineWatch()
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
        // The prior acts like further stamps at slope deviation 0; its weight is the ratio of the variances. It yields to a
        // rate that is plainly another, as a Cauchy prior does, by one step of Lange, Little & Taylor's iteration (*Robust
        // Statistical Modeling Using the t Distribution*, 1989) a stamp.
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

    /// The number of stamps that together tell as much as one whose error is shared with no other. n stamps of equal variance
    /// whose errors are one have the information of one: the variance of what is fitted to them is so many times larger (G.
    /// Bayley, J. Hammersley, J. R. Statist. Soc. Suppl. 8, 1946: the effective number of observations).
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
        // An outermost stamp that is wrong is believed no farther than least squares can be wrong.
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
