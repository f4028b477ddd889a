/// Numbers along a side of a plot: where each lies in pixels, and which are written beside it.
public struct Axis: Sendable, Equatable {
    public let range: ClosedRange<Double>
    /// Where the range's ends lie; a vertical axis counts downwards in pixels, so its beginning is the larger one.
    private let begin: Double
    private let end: Double

    /// - Parameters:
    ///   - range: Of the numbers; one without extent is widened about its middle.
    ///   - begin: The pixel of the lower bound.
    ///   - end: The pixel of the upper bound.
    public init(_ range: ClosedRange<Double>, from begin: Double, to end: Double) {
        self.range =
            range.upperBound > range.lowerBound ? range : range.lowerBound - 1...range.upperBound + 1
        self.begin = begin
        self.end = end
    }

    /// The pixel of a number, held within the axis.
    public func place(of number: Double) -> Double {
        let held = min(max(number, range.lowerBound), range.upperBound)
        let share = (held - range.lowerBound) / (range.upperBound - range.lowerBound)
        return begin + share * (end - begin)
    }

    /// Round numbers within the range: steps of 1, 2 or 5 times a power of ten, `count` steps at most.
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

    /// A tick's number without what rounding left behind it: at most nine digits.
    public static func label(_ number: Double) -> String {
        var text = "\((number * 1e6).rounded() / 1e6)"
        if text.hasSuffix(".0") { text.removeLast(2) }
        return text == "-0" ? "0" : text
    }
}
