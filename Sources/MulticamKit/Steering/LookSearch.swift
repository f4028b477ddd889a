internal import Glibc
internal import Media

/// Searches the value of a control at which a camera's frames look as wanted. A value: measurements in, the next value out.
///
/// Nobody knows how a camera's control acts on its frames, so the search measures that: from the second step on it follows the line
/// through the last two measurements.
struct LookSearch {
    /// Whether the look is a share of the value, as brightness is of an exposure time; else it is counted from it.
    private let isRatio: Bool
    private var last: (value: Double, look: Double)?

    /// The first step of a control that is no ratio, by which its effect is learned: kelvins for the whole range of warmth.
    private static let firstStep = 3000.0
    /// The largest factor of one step of a ratio.
    private static let largestFactor = 4.0
    /// The largest step of a control that is no ratio.
    private static let largestStep = 600.0
    /// The steepest and the flattest effect that are believed.
    private static let slopes = 0.25...4.0

    init(isRatio: Bool) { self.isRatio = isRatio }

    /// The value to try next.
    ///
    /// - Parameters:
    ///   - value: The control's present value.
    ///   - own: How the frames look with it, 0…1.
    ///   - wanted: How they are to look, 0…1.
    /// - Returns: A value that the control may not have: who asks bounds it.
    mutating func next(value: Int64, own: Double, wanted: Double) -> Int64 {
        isRatio
            ? ratio(Double(max(value, 1)), max(own, 0.001), max(wanted, 0.001))
            : difference(Double(value), own, wanted)
    }

    private mutating func ratio(_ value: Double, _ own: Double, _ wanted: Double) -> Int64 {
        let (x, y) = (Self.logarithm(value), Self.logarithm(own))
        var slope = 1.0
        if let last, abs(last.value - x) > 0.01 { slope = (last.look - y) / (last.value - x) }
        last = (x, y)
        slope = min(max(slope, Self.slopes.lowerBound), Self.slopes.upperBound)
        let limit = Self.logarithm(Self.largestFactor)
        let step = min(max((Self.logarithm(wanted) - y) / slope, -limit), limit)
        return Int64(rounding: Self.power(x + step))
    }

    private mutating func difference(_ value: Double, _ own: Double, _ wanted: Double) -> Int64 {
        var slope = 1 / Self.firstStep
        if let last, abs(last.value - value) >= 1 {
            // A slope of the other sign is noise: a higher temperature makes frames warmer.
            slope = max((last.look - own) / (last.value - value), slope / 4)
        }
        last = (value, own)
        let step = min(max((wanted - own) / slope, -Self.largestStep), Self.largestStep)
        return Int64(rounding: value + step)
    }

    private static func logarithm(_ value: Double) -> Double { Glibc.log(value) }
    private static func power(_ value: Double) -> Double { Glibc.exp(value) }
}
