/// One axis of a plot: maps numbers to pixels and chooses the numbers that are written beside it.
public struct Axis: Sendable, Equatable {
    /// The numbers that the axis spans.
    public let range: ClosedRange<Double>
    /// Pixel of the range's lower bound; on a vertical axis, where pixels count downwards, it is larger than `end`.
    private let begin: Double
    private let end: Double

    /// Makes an axis.
    ///
    /// - Parameters:
    ///   - range: The numbers to span; a range without extent is widened by 1 on either side.
    ///   - begin: The pixel of the lower bound.
    ///   - end: The pixel of the upper bound.
    public init(_ range: ClosedRange<Double>, from begin: Double, to end: Double) {
        self.range =
            range.upperBound > range.lowerBound ? range : range.lowerBound - 1...range.upperBound + 1
        self.begin = begin
        self.end = end
    }

    /// The pixel of a number; numbers outside the range are moved to its nearest end.
    public func place(of number: Double) -> Double {
        let held = min(max(number, range.lowerBound), range.upperBound)
        let share = (held - range.lowerBound) / (range.upperBound - range.lowerBound)
        return begin + share * (end - begin)
    }

    /// Round numbers within the range: steps of 1, 2 or 5 times a power of ten, `count` steps at most; empty when no
    /// round number lies within.
    public func ticks(atMost count: Int) -> [Double] {
        let length = range.upperBound - range.lowerBound
        let rough = length / Double(max(count, 1))
        var power = 1.0
        while power > rough { power /= 10 }
        while power * 10 <= rough { power *= 10 }
        let step = [1.0, 2, 5, 10].map { $0 * power }.first { $0 >= rough } ?? 10 * power
        let first = (range.lowerBound / step).rounded(.up)
        let last = (range.upperBound / step).rounded(.down)
        guard last >= first, last - first < 1000 else { return [] }
        return stride(from: first, through: last, by: 1).map { $0 * step }
    }

    /// Writes a tick's number, rounded to at most six decimals, without a trailing `.0`.
    public static func label(_ number: Double) -> String {
        var text = "\((number * 1e6).rounded() / 1e6)"
        if text.hasSuffix(".0") { text.removeLast(2) }
        return text == "-0" ? "0" : text
    }
}
