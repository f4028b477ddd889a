internal import Media

/// The group's time over `CLOCK_MONOTONIC`: a straight line through the last minute of measurements. A quarter of them may lie
/// anywhere.
struct GroupTimeFit: Sendable {
    private var window: [ClockMeasurement] = []
    /// Measurements that were off the line, in a row.
    private var strangers: [ClockMeasurement] = []
    /// How far the group's time is from `CLOCK_MONOTONIC`, less `middle.distance`, in nanoseconds; over the seconds since
    /// `middle.stamp`.
    private var line = StraightLine(slope: 0, intercept: 0)
    private var middle = (stamp: ClockTime(nanoseconds: 0), distance: Nanoseconds.zero)

    private static let most = 64
    private static let share = 0.75
    private static let widestBound = Nanoseconds.seconds(1)
    /// A crystal is expected to be off by so much; until measurements tell, it is taken to be right.
    private static let usualPartsPerMillion = 50.0
    static let mostPartsPerMillion = 500.0
    /// What is farther from the line than this and the bound is a step; a crystal that was not measured for a while may have
    /// changed by so many parts per million.
    private static let (tolerance, change) = (Nanoseconds.milliseconds(10), 20.0)
    /// So many in a row that agree with one another are another line.
    private static let mostStrangers = 5

    /// Takes a measurement.
    ///
    /// - Returns: How far the group's time has stepped: not zero when several measurements agree on that.
    /// - Throws: `ClockRefusal` when it is not followed.
    mutating func take(_ measurement: ClockMeasurement) throws(ClockRefusal) -> Nanoseconds {
        guard measurement.bound >= .zero, measurement.bound <= Self.widestBound else {
            throw .bound(measurement.bound)
        }
        if let last = strangers.last ?? window.last, measurement.stamp <= last.stamp { throw .notOfNow }
        guard let last = window.last else {
            follow([measurement])
            return .zero
        }
        let passed = measurement.stamp - last.stamp
        let doubt = Nanoseconds(Int64(rounding: passed.inSeconds * Self.change * 1000))
        let deviation = measurement.distance - distance(at: measurement.stamp)
        guard deviation.magnitude > Self.tolerance + measurement.bound + last.bound + doubt else {
            strangers = []
            try followIfPlausible(window + [measurement])
            return .zero
        }
        strangers.removeAll { ($0.distance - measurement.distance).magnitude > Self.tolerance }
        strangers.append(measurement)
        guard strangers.count >= Self.mostStrangers else { throw .step(deviation) }
        // The crystal is the same: what was measured before lies on the same line, a step away.
        let moved = window.map {
            ClockMeasurement(
                stamp: $0.stamp, utc: (Nanoseconds($0.utc) + deviation).count, bound: $0.bound)
        }
        strangers = []
        try followIfPlausible(moved + [measurement])
        return deviation
    }

    private mutating func followIfPlausible(_ measurements: [ClockMeasurement]) throws(ClockRefusal) {
        let before = window
        follow(measurements)
        let ppm = partsPerMillion
        guard ppm.magnitude > Self.mostPartsPerMillion else { return }
        follow(before)
        throw .rate(ppm)
    }

    /// Whether anything was measured.
    var isKnown: Bool { !window.isEmpty }

    /// How far the group's time is from `CLOCK_MONOTONIC` at an instant of it.
    func distance(at stamp: ClockTime) -> Nanoseconds {
        middle.distance + Nanoseconds(Int64(rounding: line((stamp - middle.stamp).inSeconds)))
    }

    /// How fast the group's time runs against `CLOCK_MONOTONIC`.
    var partsPerMillion: Double { line.slope * 1e-3 }

    /// The instant of `CLOCK_MONOTONIC` at which the group's time is `utc`.
    func stamp(of utc: Int64) -> ClockTime {
        let near = ClockTime(nanoseconds: (Nanoseconds(utc) - middle.distance).count)
        // The second step is exact: within the first one's error no crystal gains a nanosecond.
        return ClockTime(nanoseconds: (Nanoseconds(utc) - distance(at: near)).count)
    }

    private mutating func follow(_ measurements: [ClockMeasurement]) {
        window = measurements.suffix(Self.most)
        guard let last = window.last else { return }
        middle = (last.stamp, last.distance)
        let points = window.map { measurement in
            (
                x: (measurement.stamp - last.stamp).inSeconds,
                y: Double((measurement.distance - last.distance).count)
            )
        }
        let trimmed = TrimmedLine.fitted(to: points, share: Self.share)
        let rests = points.map { ($0, rest: abs($0.y - trimmed($0.x))) }.sorted { $0.rest < $1.rest }
        let kept = rests.prefix(max(Int(rounding: Self.share * Double(rests.count), .up), 1))
        // The slope is drawn to that of a right crystal by as much as the measurements scatter.
        let squares = kept.reduce(0) { $0 + $1.rest * $1.rest } / Double(kept.count)
        // Few of them may agree by chance; most of a bound is what does not change.
        let least = Double(last.bound.count) / 16
        let scatter = max(squares, least * least)
        let usual = Self.usualPartsPerMillion * 1000
        line = LineSums(kept.map(\.0)).line(prior: scatter / (usual * usual))
    }
}
