import MulticamMedia

/// The latest timestamps of a device, stored as points relative to an expected line.
///
/// The x coordinate of a point is the device's count since the reference point. The y coordinate is the
/// distance of the timestamp from the expected line through the reference point, in nanoseconds. Integer
/// differences are exact, and the reference point is updated each time the ring buffer wraps around, so
/// errors don't accumulate.
struct StampWindow: Sendable {
    typealias Point = (x: Double, y: Double)

    /// The length of a century in nanoseconds.
    private static let farthest = 3.2e18

    let capacity: Int
    /// Expected number of nanoseconds per count.
    let expectedInterval: Double
    private(set) var sums = LineSums()
    private var reference = DeviceStamp(count: 0, time: ClockTime(nanoseconds: 0))
    private var stamps: [DeviceStamp] = []
    private var next = 0

    init(expectedInterval: Double, capacity: Int) {
        self.capacity = capacity
        self.expectedInterval = expectedInterval
    }

    var count: Int { stamps.count }
    var newest: DeviceStamp? { next == 0 ? stamps.last : stamps[next - 1] }
    var oldest: DeviceStamp? { stamps.count < capacity ? stamps.first : stamps[next] }

    /// Appends a timestamp whose count is higher than that of the newest timestamp. If the window is full,
    /// the oldest timestamp is replaced.
    ///
    /// - Returns: Whether the reference point has changed. After a change of the reference point, lines in
    ///   the old coordinates are no longer valid.
    mutating func append(_ stamp: DeviceStamp) -> Bool {
        guard stamps.count == capacity else {
            if stamps.isEmpty { reference = stamp }
            stamps.append(stamp)
            sums.add(point(stamp))
            return false
        }
        sums.remove(point(stamps[next]))
        stamps[next] = stamp
        sums.add(point(stamp))
        next = (next + 1) % capacity
        guard next == 0 else { return false }
        reference = stamps[0]
        sums = LineSums()
        for stamp in stamps { sums.add(point(stamp)) }
        return true
    }

    func x(_ count: Int64) -> Double { Double(count - reference.count) }

    func point(_ stamp: DeviceStamp) -> Point {
        let x = x(stamp.count)
        return (x, Double(stamp.time.nanoseconds - reference.time.nanoseconds) - x * expectedInterval)
    }

    /// Returns the time at which a line, given in the window's coordinates, reaches this count.
    func time(of count: Int64, on line: StraightLine) -> ClockTime {
        let x = x(count)
        // An invalid count can correspond to a time that is centuries ahead.
        let offset = min(max(x * expectedInterval + line(x), -Self.farthest), Self.farthest)
        return ClockTime(nanoseconds: reference.time.nanoseconds + Int64(rounding: offset))
    }

    /// Returns the points within `limit` of a line, ordered by x.
    func points(about line: StraightLine, within limit: Double) -> [Point] {
        var points: [Point] = []
        points.reserveCapacity(stamps.count)
        for part in [stamps[next...], stamps[..<next]] {
            for stamp in part {
                let point = point(stamp)
                if abs(point.y - line(point.x)) <= limit { points.append(point) }
            }
        }
        return points
    }
}

/// Width and shape of the noise in a device's timestamps, relative to the fitted line.
///
/// The averages decay exponentially, so noise from half a minute ago has less weight.
struct StampNoise: Sendable {
    /// Numbers of timestamps over which the shape and the scale of the noise are averaged.
    private static let shapeMemory = 1200.0
    private static let scaleMemory = 300.0
    /// Initial scale of the noise in nanoseconds (5 ms). The initial scale has the weight of four timestamps.
    private static let expectedScale = 5e6
    private static let expectedWeight = 4.0
    private static let stampsOfScale = 10.0
    /// Deviation in standard deviations above which the influence of a timestamp no longer increases, and the
    /// expectation E(min(z², 2²)) for this limit. With this limit, the efficiency for normal noise is 99 %
    /// (Huber, *Robust Statistics*, 1981).
    private static let bend = 2.0
    private static let bendShare = 0.9205
    /// Minimum value of the deviation limit in nanoseconds. A timestamp that deviates by less than 50 µs
    /// always has full influence, even if the noise is small.
    private static let leastPull = 5e4
    /// Kurtosis limits for the detection of uniform noise. Noise is treated as uniform if its kurtosis is
    /// below the first limit, and as not uniform if its kurtosis is above the second limit. Harter's adaptive
    /// scheme uses the minimax line below a kurtosis of 2.2 (uniform noise has a kurtosis of 1.8, normal
    /// noise 3). Between the two limits, the two lines are blended, so that the result doesn't jump.
    private static let (flat, notFlat) = (2.0, 2.4)

    private var count = 0.0
    private var squares = 0.0
    private var fourths = 0.0
    private var scaleSquared = expectedScale * expectedScale

    /// Updates the noise statistics with the deviation of a timestamp.
    ///
    /// - Parameter deviation: Distance of the timestamp from the line, in nanoseconds.
    mutating func add(_ deviation: Double) {
        count += 1
        let square = deviation * deviation
        squares += (square - squares) / min(count, Self.shapeMemory)
        fourths += (square * square - fourths) / min(count, Self.shapeMemory)
        let held = min(square, Self.bend * Self.bend * scaleSquared) / Self.bendShare
        scaleSquared += (held - scaleSquared) / min(count + Self.expectedWeight, Self.scaleMemory)
    }

    /// Standard deviation of the timestamps in nanoseconds, not counting outliers.
    var scale: Double {
        // The scale can't exceed the standard deviation of all timestamps. This limit takes effect early if
        // the noise is smaller than expected.
        let most = count < Self.stampsOfScale ? scaleSquared : min(scaleSquared, squares / Self.bendShare)
        return max(most.squareRoot(), Self.leastPull / Self.bend)
    }

    /// Standard deviation of all timestamps from the line, in nanoseconds.
    var spread: Double { squares.squareRoot() }

    /// Returns the deviation, limited to the maximum that may influence the line.
    func limitedDeviation(_ deviation: Double) -> Double {
        let limit = Self.bend * scale
        return min(max(deviation, -limit), limit)
    }

    /// Uniformity of the noise, 0…1: 1 for noise between hard bounds, and 0 for noise without bounds.
    var flatness: Double {
        guard squares > 0 else { return 0 }
        let kurtosis = fourths / (squares * squares)
        return min(max((Self.notFlat - kurtosis) / (Self.notFlat - Self.flat), 0), 1)
    }

    /// Returns the maximum deviation of uniform noise in nanoseconds: √3 σ, plus the uncertainty from
    /// `stampCount` timestamps.
    func maxDeviation(stampCount: Int) -> Double {
        (3 * squares).squareRoot() * (1 + 2 / Double(stampCount).squareRoot())
    }
}
