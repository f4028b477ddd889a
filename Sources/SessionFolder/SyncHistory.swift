package import MulticamMedia
package import MulticamMonitoring
package import MulticamTiming

/// The history of clock and track states during a recording, which `SyncReport` plots. Used only on the timeline's
/// thread.
package struct SyncHistory: Sendable {
    /// State of a device's clock at one time.
    struct ClockPoint: Sendable {
        let partsPerMillion: Double
        /// Standard error of the clock's regression line.
        let residual: Nanoseconds
    }

    /// Counts of a track at one time, in frames or samples since T0.
    struct TrackPoint: Sendable {
        let duplicated: Int64
        let missing: Int64
    }

    private(set) var clocks: [String: TimeSeries<ClockPoint>] = [:]
    private(set) var tracks: [String: TimeSeries<TrackPoint>] = [:]
    /// Jitter of each device's time stamps, by role.
    package var jitters: [String: JitterHistogram] = [:]
    private var due = MediaTime.zero

    private static let interval: Int64 = 1_000_000_000

    package init() {}

    /// Restores the clock readings from the events of an interrupted recording. The event file contains only
    /// clock changes, not all readings.
    init(_ events: RecordedEvents) {
        for reading in events.clockReadings where reading.at >= .zero {
            clocks[reading.role, default: TimeSeries()].add(
                ClockPoint(
                    partsPerMillion: reading.ppm,
                    residual: Nanoseconds(Int64(rounding: reading.residualMicroseconds * 1000, .towardZero))),
                at: reading.at)
        }
    }

    /// Whether a second has passed since the last recorded state. `time` is relative to T0. If this method returns
    /// `true`, the next interval starts.
    package mutating func isDue(at time: MediaTime) -> Bool {
        guard time >= due else { return false }
        due = MediaTime(nanoseconds: time.nanoseconds + Self.interval)
        return true
    }

    /// Name of the program track.
    package static let program = "program"

    /// Records the state of a device's clock at a time relative to T0.
    package mutating func record(_ clock: DeviceClock, of role: String, at time: MediaTime) {
        clocks[role, default: TimeSeries()].add(
            ClockPoint(partsPerMillion: clock.partsPerMillion, residual: clock.residual), at: time)
    }

    /// Records the counts of a track, in frames or samples, at a time relative to T0.
    package mutating func record(duplicated: Int64, missing: Int64, of track: String, at time: MediaTime) {
        tracks[track, default: TimeSeries()].add(
            TrackPoint(duplicated: duplicated, missing: missing), at: time)
    }
}

/// System pressure over an entire recording: the worst factor for each cause, and the measurements that were
/// unavailable.
package struct PressureHistory: Sendable {
    private var peak = PressureLevel.nominal
    private var peakCost = 0.0
    private var worst: [PressureFactor.Cause: (factor: PressureFactor, at: MediaTime)] = [:]
    private var missing: [MissingSource] = []
    private var cpuTime: Nanoseconds?
    private var isEmpty = true

    /// Maximum number of unavailable measurements that are stored. A sensor with a different message for every reading
    /// must not fill the manifest.
    private static let maxMissingSources = 40

    package init() {}

    /// Adds an assessment at a time relative to T0. `cpuTime` is the total CPU time of pressure monitoring;
    /// `nil` in simulated time.
    package mutating func record(_ pressure: SystemPressure, at time: MediaTime, cpuTime: Nanoseconds?) {
        isEmpty = false
        self.cpuTime = cpuTime
        peak = max(peak, pressure.level)
        peakCost = max(peakCost, pressure.cost.value)
        for factor in pressure.factors where factor.level > worst[factor.cause]?.factor.level ?? .nominal {
            worst[factor.cause] = (factor, time)
        }
        for source in pressure.missing where missing.count < Self.maxMissingSources {
            let isKnown = missing.contains { $0.source == source.source && $0.part == source.part }
            if !isKnown { missing.append(source) }
        }
    }

    /// Summary for the manifest; `nil` if pressure was never assessed.
    package var summary: Manifest.Pressure? {
        guard !isEmpty else { return nil }
        let factors = PressureFactor.Cause.allCases.compactMap { worst[$0] }.map {
            Manifest.PressureFactor(
                what: $0.factor.cause.rawValue, level: $0.factor.level, text: $0.factor.text,
                at_ns: $0.at.nanoseconds)
        }
        return Manifest.Pressure(
            peak: peak, peak_cost: (peakCost * 100).rounded() / 100, factors: factors, missing: missing,
            watch_cpu_ns: cpuTime?.count)
    }
}

/// Histogram of the deviations of a device's time stamps from its clock's regression line.
package struct JitterHistogram: Sendable, Equatable {
    /// Bin width, finer than the time stamp resolution of any sound card.
    static let binWidth = Nanoseconds.microseconds(10)
    /// Number of bins on each side of 0. Deviations beyond 20 ms are counted in the outermost bins.
    private static let binsPerSide = 2000

    private var bins = [UInt32](repeating: 0, count: 2 * JitterHistogram.binsPerSide + 1)
    private(set) var count = 0

    /// Creates a histogram with empty bins. `count` is the initial value of the time stamp counter.
    package init(count: Int = 0) {
        self.count = count
    }

    /// Adds the deviation of a time stamp from the regression line.
    package mutating func add(_ deviation: Nanoseconds) {
        let bin = (Double(deviation.count) / Double(Self.binWidth.count)).rounded()
        bins[Int(min(max(bin, -Double(Self.binsPerSide)), Double(Self.binsPerSide))) + Self.binsPerSide] &+= 1
        count += 1
    }

    /// Returns the smallest distance from 0 that includes at least `share` (0…1) of all time stamps.
    func deviation(ofShare share: Double) -> Nanoseconds {
        var inside = Int(bins[Self.binsPerSide])
        for distance in 1...Self.binsPerSide {
            if Double(inside) >= share * Double(count) { return Self.binWidth * Int64(distance - 1) }
            inside += Int(bins[Self.binsPerSide - distance]) + Int(bins[Self.binsPerSide + distance])
        }
        return Self.binWidth * Int64(Self.binsPerSide)
    }

    /// Returns the counts in `count` bars of equal width from −`reach` to +`reach`. The outermost bars include all
    /// deviations beyond this range.
    func bars(_ count: Int, reach: Nanoseconds) -> [Int] {
        var bars = [Int](repeating: 0, count: count)
        let width = Double(2 * max(reach.count, 1)) / Double(count)
        for (index, number) in bins.enumerated() where number > 0 {
            let deviation = Double(Int64(index - Self.binsPerSide) * Self.binWidth.count)
            let bar = ((deviation + Double(reach.count)) / width).rounded(.down)
            bars[min(max(Int(bar), 0), count - 1)] += Int(number)
        }
        return bars
    }
}

/// History of a value over an entire recording, stored in a bounded number of points. When the capacity is exceeded,
/// every second point is removed, and from then on only every second value is stored.
package struct TimeSeries<Value: Sendable>: Sendable {
    package private(set) var points: [(time: MediaTime, value: Value)] = []
    private let capacity: Int
    private var stride = 1
    private var untilNext = 0

    /// Creates an empty history of at most `capacity` points; `capacity` is at least 2.
    package init(capacity: Int = 600) {
        self.capacity = capacity
    }

    /// Adds a value at a time relative to T0.
    package mutating func add(_ value: Value, at time: MediaTime) {
        guard untilNext == 0 else {
            untilNext -= 1
            return
        }
        points.append((time, value))
        untilNext = stride - 1
        guard points.count >= capacity else { return }
        points = points.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        stride *= 2
    }
}
