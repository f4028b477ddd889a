package import Media

/// Histogram of the distances between a device's time stamps and its clock's line.
package struct JitterHistogram: Sendable, Equatable {
    /// Width of a bin: finer than any time stamp of a sound card.
    static let binWidth = Nanoseconds.microseconds(10)
    /// Number of bins on each side of 0; distances beyond 20 ms count in the outermost ones.
    private static let reach = 2000

    private var bins = [UInt32](repeating: 0, count: 2 * JitterHistogram.reach + 1)
    private(set) var count = 0

    /// Creates an empty histogram that claims `count` time stamps.
    package init(count: Int = 0) {
        self.count = count
    }

    /// Takes the distance of a time stamp from the line.
    package mutating func add(_ deviation: Nanoseconds) {
        let bin = (Double(deviation.count) / Double(Self.binWidth.count)).rounded()
        bins[Int(min(max(bin, -Double(Self.reach)), Double(Self.reach))) + Self.reach] &+= 1
        count += 1
    }

    /// The smallest distance from 0 within which lies at least `share`, 0…1, of all time stamps.
    func reach(ofShare share: Double) -> Nanoseconds {
        var inside = Int(bins[Self.reach])
        for distance in 1...Self.reach {
            if Double(inside) >= share * Double(count) { return Self.binWidth * Int64(distance - 1) }
            inside += Int(bins[Self.reach - distance]) + Int(bins[Self.reach + distance])
        }
        return Self.binWidth * Int64(Self.reach)
    }

    /// Counts in `count` bars of equal width from −`reach` to +`reach`; distances beyond are in the outermost bars.
    func bars(_ count: Int, reach: Nanoseconds) -> [Int] {
        var bars = [Int](repeating: 0, count: count)
        let width = Double(2 * max(reach.count, 1)) / Double(count)
        for (index, number) in bins.enumerated() where number > 0 {
            let deviation = Double(Int64(index - Self.reach) * Self.binWidth.count)
            let bar = ((deviation + Double(reach.count)) / width).rounded(.down)
            bars[min(max(Int(bar), 0), count - 1)] += Int(number)
        }
        return bars
    }
}
