public import Media

/// A device's own clock, modelled against the session clock: when was its n-th picture or sample really captured?
///
/// Time stamps jitter by milliseconds, clocks drift by parts per million. A line through the last stamps over the
/// device's own count gives both away: least squares over a window that grows to `windowLength`, with a prior at the
/// nominal rate that steadies the slope while few stamps are known. A stamp far off the line is held to the clamp; when
/// several in a row are off, the device has changed its rate or jumped, and the line begins anew.
///
/// A value: no clock, no thread. The sums of the line are kept up as stamps come and go, so a stamp costs nanoseconds.
public struct DeviceClock: Sendable {
    private struct Stamp {
        let count: Int64
        let time: ClockTime
    }

    /// Nominal nanoseconds per count.
    private let nominalInterval: Double
    private let windowLength: Int
    /// Deviations beyond it do not pull the line.
    private let clamp: Nanoseconds
    /// How far a device's rate may plausibly be off nominal, as one standard deviation.
    private let priorPartsPerMillion: Double

    private var stamps: [Stamp] = []
    private var oldest = 0
    private var sums = LineSums()
    /// Stamps in a row that were off the line.
    private var suspects: [Stamp] = []
    /// The slope that the prior expects and the sums are kept relative to: nominal until the device changes its rate.
    private var expectedInterval: Double
    private var expectedDeviation: Double
    private var reference: Stamp
    private var intercept = 0.0
    private var slope: Double
    private var residualSum = 0.0
    private var residualCount = 0

    /// After so many stamps the rate is known better than the nominal one: half a minute of pictures.
    private static let stampsForRate = 900
    /// What warming up may change it by, as one standard deviation.
    private static let knownPartsPerMillion = 20.0

    /// How often the line began anew.
    public private(set) var restarts = 0
    /// Stamps that were not after their predecessor.
    public private(set) var nonMonotonic = 0

    /// - Parameters:
    ///   - nominalInterval: Seconds per count: 1/30 for a camera, 1/48 000 for a microphone. Above 0.
    ///   - windowLength: How many stamps the line follows at most.
    ///   - clamp: Larger deviations are held to the line; more than three in a row restart the model.
    ///   - priorPartsPerMillion: Expected deviation from the nominal rate.
    public init(
        nominalSecondsPerCount nominalInterval: Double, windowLength: Int = 3600,
        clamp: Nanoseconds = .milliseconds(15), priorPartsPerMillion: Double = 200
    ) {
        precondition(
            nominalInterval > 0 && windowLength > 1, "a clock counts forward, and a line has two points")
        self.nominalInterval = nominalInterval * 1e9
        self.windowLength = windowLength
        self.clamp = clamp
        self.priorPartsPerMillion = priorPartsPerMillion
        expectedInterval = nominalInterval * 1e9
        expectedDeviation = nominalInterval * 1e9 * priorPartsPerMillion * 1e-6
        reference = Stamp(count: 0, time: ClockTime(nanoseconds: 0))
        slope = nominalInterval * 1e9
    }

    /// Takes the stamp of count `count` and tells when that was captured, as well as is known now.
    public mutating func time(of count: Int64, stamped time: ClockTime) -> ClockTime {
        let stamp = Stamp(count: count, time: time)
        if !stamps.isEmpty {
            if time <= stamps[newest].time { nonMonotonic += 1 }
            let deviation = time - predicted(count)
            if count <= stamps[newest].count || deviation.magnitude > clamp {
                suspects.append(stamp)
                // A single wild stamp is replaced by the line.
                if suspects.count <= 3 && count > stamps[newest].count { return predicted(count) }
                restart()
                return predicted(count)
            }
            suspects.removeAll(keepingCapacity: true)
            residualSum += deviation.inSeconds * deviation.inSeconds
            residualCount += 1
        }
        append(stamp)
        fit()
        return predicted(count)
    }

    /// The device was away: what it counts from now on lies on another line, of the same rate.
    public mutating func interrupt() {
        guard !stamps.isEmpty else { return }
        // A crystal runs after a replug as it ran before; how well that is known depends on how long it was watched.
        let isKnown = stamps.count >= Self.stampsForRate
        suspects.removeAll(keepingCapacity: true)
        stamps.removeAll(keepingCapacity: true)
        oldest = 0
        sums = LineSums()
        restarts += 1
        expectedInterval = isKnown ? slope : nominalInterval
        expectedDeviation =
            expectedInterval * (isKnown ? Self.knownPartsPerMillion : priorPartsPerMillion) * 1e-6
    }

    /// Where the line puts a count.
    public func predicted(_ count: Int64) -> ClockTime {
        let offset = intercept + Double(count - reference.count) * slope
        return ClockTime(nanoseconds: reference.time.nanoseconds + Int64(offset.rounded()))
    }

    /// Nanoseconds per count as measured.
    public var interval: Nanoseconds { Nanoseconds(Int64(slope.rounded())) }

    /// How fast the device runs against its nominal rate: above 0 it counts too fast.
    public var partsPerMillion: Double { (nominalInterval / slope - 1) * 1e6 }

    /// The typical deviation of a stamp from the line (root mean square).
    public var jitter: Nanoseconds {
        residualCount == 0 ? .zero : .seconds(rounding: (residualSum / Double(residualCount)).squareRoot())
    }

    /// The standard error of the line at its newest end: 2σ/√n for a straight line (Draper & Smith, *Applied Regression
    /// Analysis*, 1.4).
    public var residual: Nanoseconds {
        stamps.isEmpty ? .zero : .seconds(rounding: 2 * jitter.inSeconds / Double(stamps.count).squareRoot())
    }

    public var stampCount: Int { stamps.count }

    private var newest: Int {
        stamps.count < windowLength ? stamps.count - 1 : (oldest + windowLength - 1) % windowLength
    }

    /// Begins anew with the stamps that were off the old line.
    private mutating func restart() {
        let begin = suspects
        suspects.removeAll(keepingCapacity: true)
        stamps.removeAll(keepingCapacity: true)
        oldest = 0
        sums = LineSums()
        restarts += 1
        adoptRate(of: begin)
        for stamp in begin.suffix(4) where stamps.isEmpty || stamp.count > stamps[newest].count {
            append(stamp)
        }
        fit()
    }

    /// A camera in the dark halves its rate: then its new rate is expected, roughly, instead of the nominal one.
    private mutating func adoptRate(of suspects: [Stamp]) {
        expectedInterval = nominalInterval
        expectedDeviation = nominalInterval * priorPartsPerMillion * 1e-6
        guard suspects.count >= 3, let first = suspects.first, let last = suspects.last,
            last.count > first.count
        else { return }
        let measured = Double((last.time - first.time).count) / Double(last.count - first.count)
        guard measured > 0, abs(measured / nominalInterval - 1) > 0.05 else { return }
        expectedInterval = measured
        expectedDeviation = measured * 0.02
    }

    private mutating func append(_ stamp: Stamp) {
        if stamps.isEmpty {
            reference = stamp
            sums = LineSums()
        }
        if stamps.count < windowLength {
            stamps.append(stamp)
            sums.add(point(stamp))
            return
        }
        sums.remove(point(stamps[oldest]))
        stamps[oldest] = stamp
        oldest = (oldest + 1) % windowLength
        sums.add(point(stamp))
        if oldest == 0 { rebase() }
    }

    /// Counts from the window's own beginning again, so that the sums stay small and rounding does not pile up.
    private mutating func rebase() {
        reference = stamps[oldest]
        sums = LineSums()
        for stamp in stamps { sums.add(point(stamp)) }
    }

    /// A stamp as deviation from the expected line, in nanoseconds, over its count.
    private func point(_ stamp: Stamp) -> (x: Double, y: Double) {
        let x = Double(stamp.count - reference.count)
        return (x, Double(stamp.time.nanoseconds - reference.time.nanoseconds) - x * expectedInterval)
    }

    private mutating func fit() {
        // The prior acts like further stamps at slope deviation 0; its weight is the ratio of the variances.
        let stampDeviation = max(jitter.inSeconds, 0.001) * 1e9
        let prior = (stampDeviation / expectedDeviation) * (stampDeviation / expectedDeviation)
        let line = sums.line(prior: prior)
        slope = expectedInterval + line.slope
        intercept = line.intercept
    }
}
