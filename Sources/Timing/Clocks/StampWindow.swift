import Media

/// The last stamps of a device, as points about the line that is expected of it.
///
/// x is the count since the reference, y the nanoseconds past the expected line through the reference. Differences of
/// whole numbers are exact, and the reference follows every turn of the ring: nothing piles up however long it runs.
struct StampWindow: Sendable {
    typealias Point = (x: Double, y: Double)

    /// A century, in nanoseconds.
    private static let farthest = 3.2e18

    let capacity: Int
    /// Nanoseconds per count.
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

    /// Takes a stamp whose count is above the newest one's, in place of the oldest when the window is full.
    ///
    /// - Returns: Whether the reference moved: then lines in its coordinates no longer hold.
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

    /// The time of a count, by a line in the window's coordinates.
    func time(of count: Int64, on line: StraightLine) -> ClockTime {
        let x = x(count)
        // A wild count may lie centuries ahead.
        let offset = min(max(x * expectedInterval + line(x), -Self.farthest), Self.farthest)
        return ClockTime(nanoseconds: reference.time.nanoseconds + Int64(rounding: offset))
    }

    /// The points no farther than `limit` from a line, in order of x.
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
