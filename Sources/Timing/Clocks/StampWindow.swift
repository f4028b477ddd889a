import Media

/// The latest timestamps of a device, stored as points relative to an expected line.
///
/// The x coordinate is the count since the reference point. The y coordinate is the distance from the expected line
/// through the reference point, in nanoseconds. Integer differences are exact, and the reference is updated on every
/// turn of the ring buffer, so no errors accumulate.
struct StampWindow: Sendable {
    typealias Point = (x: Double, y: Double)

    /// The length of one century, in nanoseconds.
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

    /// Appends a timestamp with a higher count than the newest one. Replaces the oldest timestamp if the window is
    /// full.
    ///
    /// - Returns: Whether the reference point has changed. After a change, lines in the old coordinates are no longer
    ///   valid.
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

    /// Returns the time of a count on a line in the window's coordinates.
    func time(of count: Int64, on line: StraightLine) -> ClockTime {
        let x = x(count)
        // If a count is invalid, it can be centuries ahead.
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

/// The noise of a device's timestamps relative to its line, with its width and its shape.
///
/// The averages decay, so noise from half a minute ago has less weight.
struct StampNoise: Sendable {
    /// Number of timestamps over which the shape and the scale are averaged.
    private static let shapeMemory = 1200.0
    private static let scaleMemory = 300.0
    /// Initial scale in nanoseconds (5 ms), which has the weight of four timestamps.
    private static let expectedScale = 5e6
    private static let expectedWeight = 4.0
    private static let stampsOfScale = 10.0
    /// Deviation, in standard deviations, above which the influence of a timestamp no longer increases, and E(min(z²,
    /// 2²)) for this value. According to Huber (*Robust Statistics*, 1981), the efficiency for normal noise is 99 %.
    private static let bend = 2.0
    private static let bendShare = 0.9205
    /// Minimum value of the deviation limit in nanoseconds. Below 50 µs, a timestamp always has full influence, even if
    /// the noise is small.
    private static let leastPull = 5e4
    /// Kurtosis values: below the first one, noise counts as uniform; above the second one, it doesn't. Harter's
    /// adaptive scheme uses the minimax line below 2.2 (uniform noise has 1.8, normal noise 3). Here the lines are
    /// blended between the two limits, so that the result doesn't jump.
    private static let (flat, notFlat) = (2.0, 2.4)

    private var count = 0.0
    private var squares = 0.0
    private var fourths = 0.0
    private var scaleSquared = expectedScale * expectedScale

    /// Adds the deviation of a timestamp.
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

    /// Standard deviation of the timestamps without outliers, in nanoseconds.
    var scale: Double {
        // The value can't exceed the scatter of all timestamps. If the noise is smaller than expected, this limit soon
        // takes effect.
        let most = count < Self.stampsOfScale ? scaleSquared : min(scaleSquared, squares / Self.bendShare)
        return max(most.squareRoot(), Self.leastPull / Self.bend)
    }

    /// Standard deviation of all timestamps, in nanoseconds.
    var spread: Double { squares.squareRoot() }

    /// Returns the deviation, limited to the maximum influence on the line.
    func held(_ deviation: Double) -> Double {
        let limit = Self.bend * scale
        return min(max(deviation, -limit), limit)
    }

    /// Uniformity of the noise. The value is 1 for noise between hard bounds, 0 for noise without bounds, and otherwise
    /// a value in between.
    var flatness: Double {
        guard squares > 0 else { return 0 }
        let kurtosis = fourths / (squares * squares)
        return min(max((Self.notFlat - kurtosis) / (Self.notFlat - Self.flat), 0), 1)
    }

    /// Returns the maximum deviation of uniform noise in nanoseconds: √3 σ, plus the uncertainty from `stampCount`
    /// timestamps.
    func edge(stampCount: Int) -> Double {
        (3 * squares).squareRoot() * (1 + 2 / Double(stampCount).squareRoot())
    }
}
