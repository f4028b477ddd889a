internal import CLinux
import Media

/// Converts the drivers' answers about sizes and rates to lists for people.
enum FormatSteps {
    /// Common sizes of 16:9 and 4:3, in pixels.
    private static let common = [
        (320, 180), (320, 240), (640, 360), (640, 480), (800, 600), (960, 540), (1280, 720), (1920, 1080),
        (2560, 1440),
        (3840, 2160),
    ].map { FrameSize(width: $0.0, height: $0.1) }

    /// One side of a range of sizes: `minimum`, `minimum + step`, …, `maximum`.
    struct Side {
        let minimum: Int
        let maximum: Int
        /// Step in pixels; 1 for a continuous range.
        let step: Int

        init(_ minimum: UInt32, _ maximum: UInt32, step: UInt32) {
            self.minimum = Int(minimum)
            self.maximum = Int(maximum)
            self.step = max(Int(step), 1)
        }

        func contains(_ value: Int) -> Bool {
            value >= minimum && value <= maximum && (value - minimum) % step == 0
        }
    }

    /// The common sizes that lie in a range and on its steps, with the smallest and the largest.
    static func sizes(width: Side, height: Side) -> [FrameSize] {
        let ends = [
            FrameSize(width: width.minimum, height: height.minimum),
            FrameSize(width: width.maximum, height: height.maximum),
        ]
        let inside = common.filter { width.contains($0.width) && height.contains($0.height) }
        return Set(inside + ends).filter { (1...16384).contains($0.width) && (1...16384).contains($0.height) }
            .sorted { ($0.pixelCount, $0.width) < ($1.pixelCount, $1.width) }
    }

    /// The rate of an interval of `numerator / denominator` seconds; `nil` for nonsense: drivers have answered 0/0.
    ///
    /// UVC counts 100 ns, so that 30 per second is 333333 of them: such fractions are rounded to the rate that is
    /// meant.
    static func rate(ofInterval numerator: UInt32, _ denominator: UInt32) -> FrameRate? {
        guard numerator > 0, denominator > 0 else { return nil }
        if numerator <= 1001, denominator <= 1_000_000 {
            let perSecond = Double(denominator) / Double(numerator)
            guard perSecond >= 0.001, perSecond <= 1000 else { return nil }
            return FrameRate(Int64(denominator), per: Int64(numerator))
        }
        return FrameRate(Double(denominator) / Double(numerator))
    }

    /// The rates of a range of intervals. Steps within the range are so fine, where there are any, that they do not
    /// matter.
    static func rates(shortest: v4l2_fract, longest: v4l2_fract) -> OfferedFormat.Rates? {
        // Some drivers' ranges reach beyond every use: an interval of 1 ns to hours.
        let highest = rate(ofInterval: shortest.numerator, shortest.denominator) ?? FrameRate(1000, per: 1)
        let lowest = rate(ofInterval: longest.numerator, longest.denominator) ?? FrameRate(1, per: 1000)
        return lowest <= highest ? .any(from: lowest, through: highest) : nil
    }
}
