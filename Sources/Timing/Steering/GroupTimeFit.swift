internal import MulticamMedia

/// The group time as a linear function of `CLOCK_MONOTONIC`, fitted to the measurements of the last minute.
/// The fit tolerates outliers in up to a quarter of the measurements.
struct GroupTimeFit: Sendable {
    private var window: [ClockMeasurement] = []
    /// Consecutive measurements that deviate from the line.
    private var outliers: [ClockMeasurement] = []
    /// The line that gives the group time minus `CLOCK_MONOTONIC`, in nanoseconds relative to
    /// `middle.distance`, as a function of the seconds since `middle.stamp`.
    private var line = StraightLine(slope: 0, intercept: 0)
    private var middle = (stamp: ClockTime(nanoseconds: 0), distance: Nanoseconds.zero)

    private static let most = 64
    private static let share = 0.75
    private static let widestBound = Nanoseconds.seconds(1)
    /// Expected rate error of a crystal in parts per million. Without measurements, the crystal is assumed to
    /// be exact.
    private static let usualPartsPerMillion = 50.0
    static let mostPartsPerMillion = 500.0
    /// The first value is the tolerance for steps: a deviation from the line that exceeds both the tolerance
    /// and the error bound is a step. The second value is the possible rate change of a crystal, in parts per
    /// million, during a time without measurements.
    private static let (tolerance, change) = (Nanoseconds.milliseconds(10), 20.0)
    /// Number of consecutive deviating measurements that form a new line if they agree with each other.
    private static let outliersForNewLine = 5

    /// Processes a measurement of the group time.
    ///
    /// - Returns: The size of a step in the group time, or zero. A step is reported only if several
    ///   measurements agree on the step.
    /// - Throws: `ClockMeasurementError` if the measurement is rejected.
    mutating func update(with measurement: ClockMeasurement) throws(ClockMeasurementError) -> Nanoseconds {
        guard measurement.bound >= .zero, measurement.bound <= Self.widestBound else {
            throw .bound(measurement.bound)
        }
        if let last = outliers.last ?? window.last, measurement.stamp <= last.stamp {
            throw .outOfOrderOrStale
        }
        guard let last = window.last else {
            fit(to: [measurement])
            return .zero
        }
        let passed = measurement.stamp - last.stamp
        let doubt = Nanoseconds(Int64(rounding: passed.inSeconds * Self.change * 1000))
        let deviation = measurement.distance - distance(at: measurement.stamp)
        guard deviation.magnitude > Self.tolerance + measurement.bound + last.bound + doubt else {
            outliers = []
            try fitIfPlausible(to: window + [measurement])
            return .zero
        }
        outliers.removeAll { ($0.distance - measurement.distance).magnitude > Self.tolerance }
        outliers.append(measurement)
        guard outliers.count >= Self.outliersForNewLine else { throw .step(deviation) }
        // A step of the group time doesn't change the crystal's rate. Earlier measurements therefore fit the
        // new line after they are shifted by the step.
        let moved = window.map {
            ClockMeasurement(
                stamp: $0.stamp, utc: (Nanoseconds($0.utc) + deviation).count, bound: $0.bound)
        }
        outliers = []
        try fitIfPlausible(to: moved + [measurement])
        return deviation
    }

    private mutating func fitIfPlausible(to measurements: [ClockMeasurement]) throws(ClockMeasurementError) {
        let before = window
        fit(to: measurements)
        let ppm = partsPerMillion
        guard ppm.magnitude > Self.mostPartsPerMillion else { return }
        fit(to: before)
        throw .rate(ppm)
    }

    /// Whether any measurements of the group time are available.
    var hasMeasurements: Bool { !window.isEmpty }

    /// Returns the group time minus `CLOCK_MONOTONIC` at a time on `CLOCK_MONOTONIC`.
    func distance(at stamp: ClockTime) -> Nanoseconds {
        middle.distance + Nanoseconds(Int64(rounding: line((stamp - middle.stamp).inSeconds)))
    }

    /// Rate deviation of the group time from `CLOCK_MONOTONIC`, in parts per million.
    var partsPerMillion: Double { line.slope * 1e-3 }

    /// Converts the group time `utc` to `CLOCK_MONOTONIC`.
    func stamp(of utc: Int64) -> ClockTime {
        let near = ClockTime(nanoseconds: (Nanoseconds(utc) - middle.distance).count)
        // The second conversion is exact: within the error of the first conversion, a crystal drifts by less
        // than a nanosecond.
        return ClockTime(nanoseconds: (Nanoseconds(utc) - distance(at: near)).count)
    }

    private mutating func fit(to measurements: [ClockMeasurement]) {
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
        // If the measurements scatter more, the slope is pulled more strongly toward that of a perfect
        // crystal.
        let squares = kept.reduce(0) { $0 + $1.rest * $1.rest } / Double(kept.count)
        // A few measurements may agree by chance, so a minimum scatter is assumed. The minimum is only a
        // fraction of the error bound, because most of the error is constant.
        let least = Double(last.bound.count) / 16
        let scatter = max(squares, least * least)
        let usual = Self.usualPartsPerMillion * 1000
        line = LineSums(kept.map(\.0)).line(prior: scatter / (usual * usual))
    }
}
