internal import Media

/// How the difference of two microphones' levels in one band is distributed while one of them hears a voice, in decibels. Pure.
///
/// The differences gather around two values, one for each voice. How far they scatter is up to the room.
struct VoiceDifferences {
    /// How much louder than the other one is at most without a voice of its own, and the other than one.
    private(set) var leakToOne: Float = 0
    private(set) var leakToOther: Float = 0
    /// By decibels from −60 to 60; old ones count less and less.
    private var counts = [Double](repeating: 0, count: 121)
    private var weight = 1.0
    private var news = 0

    /// Counts a difference.
    ///
    /// - Parameters:
    ///   - difference: How much louder one is; `nil` while no voice is heard.
    ///   - noise: How much louder its noise is.
    mutating func count(_ difference: Float?, noise: Float) {
        if let difference {
            // In place of making all others smaller, each new one counts more.
            weight *= 1.0002
            counts[Int(rounding: max(-60, min(60, difference))) + 60] += weight
            if weight > 1e9 {
                counts = counts.map { $0 / weight }
                weight = 1
            }
            news += 1
        }
        if news < 50 {
            (leakToOne, leakToOther) = (noise - 2, -noise - 2)
        } else if difference != nil, news % 25 == 0 {
            settle(noise)
        }
    }

    private mutating func settle(_ noise: Float) {
        var (low, high) = (quantile(0..<121, 0.02), quantile(0..<121, 0.98))
        for _ in 0..<20 where low < high {
            let border = (low + high) / 2 + 1
            let next = (quantile(0..<border, 0.5), quantile(border..<121, 0.5))
            if next == (low, high) { break }
            (low, high) = next
        }
        if high - low >= 8 {
            // Both at once lie between, so what lies outside says how far one alone scatters.
            let border = (low + high) / 2 + 1
            let scatter = (low - quantile(0..<border, 0.1), quantile(border..<121, 0.9) - high)
            leakToOne = Float(low - 60) + max(2, 1.5 * Float(scatter.0))
            leakToOther = Float(60 - high) + max(2, 1.5 * Float(scatter.1))
        } else {
            // Only one of them has spoken so far: the one that is louder beside its noise. The other speaks when the difference is
            // quite unlike that, and both where it lies between.
            let middle = Float(quantile(0..<121, 0.5) - 60)
            (leakToOne, leakToOther) = middle > noise ? (middle - 18, 6 - middle) : (middle + 6, -middle - 18)
        }
    }

    /// The place at which a share of a range's weight lies below.
    private func quantile(_ range: Range<Int>, _ share: Double) -> Int {
        let wanted = range.reduce(0) { $0 + counts[$1] } * share
        var sum = 0.0
        for place in range {
            sum += counts[place]
            if sum > 0, sum >= wanted { return place }
        }
        return range.upperBound - 1
    }
}
