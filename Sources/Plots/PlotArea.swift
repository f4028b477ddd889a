/// A rectangle with two axes, for plotting numbers.
package struct PlotArea: Sendable {
    /// Horizontal axis, from left to right.
    package let x: Axis
    /// Vertical axis, from bottom to top.
    package let y: Axis
    private let corner: SVGCanvas.Point
    private let width: Double
    private let height: Double

    /// Colors of the grid.
    private let gridColors: GridColors

    /// The colors of a plot's grid. Any CSS color is allowed.
    package struct GridColors: Sendable {
        /// Color of the lines along the left and bottom edges.
        package let frame: String
        /// Color of the inner lines.
        package let grid: String
        /// Color of the numbers along the axes.
        package let label: String

        /// Creates a set of colors for a grid.
        package init(frame: String, grid: String, label: String) {
            self.frame = frame
            self.grid = grid
            self.label = label
        }

        /// Shades of gray for a white background.
        package static let lightBackground = GridColors(frame: "#999", grid: "#e6e6e6", label: "#555")
    }

    /// Creates a plot area with axes.
    ///
    /// - Parameters:
    ///   - corner: Upper left corner of the rectangle in pixels. The labels outside the rectangle need 40
    ///     pixels on the left and 16 pixels below.
    ///   - width: Width of the rectangle in pixels.
    ///   - height: Height of the rectangle in pixels.
    ///   - x: The range of numbers from left to right.
    ///   - y: The range of numbers from bottom to top.
    ///   - ink: Colors of the grid.
    package init(
        at corner: SVGCanvas.Point, width: Double, height: Double, x: ClosedRange<Double>,
        y: ClosedRange<Double>, ink: GridColors = .lightBackground
    ) {
        self.gridColors = ink
        self.corner = corner
        self.width = width
        self.height = height
        self.x = Axis(x, from: corner.x, to: corner.x + width)
        self.y = Axis(y, from: corner.y + height, to: corner.y)
    }

    /// Returns the pixel position of a pair of numbers. Numbers outside the axes are clamped.
    package func point(_ x: Double, _ y: Double) -> SVGCanvas.Point {
        SVGCanvas.Point(x: self.x.position(of: x), y: self.y.position(of: y))
    }

    /// Draws the grid and the numbers along the axes. Call this method before drawing over the grid.
    ///
    /// - Parameters:
    ///   - canvas: The drawing to add to.
    ///   - ticks: Maximum number of grid steps along each axis; 0 draws no inner lines.
    ///   - label: Closure that formats a number on the x axis.
    package func drawGrid(
        on canvas: inout SVGCanvas, ticks: (x: Int, y: Int) = (8, 4), label: (Double) -> String = Axis.label
    ) {
        for number in ticks.x > 0 ? x.ticks(atMost: ticks.x) : [] {
            let place = x.position(of: number)
            canvas.line(
                from: .init(x: place, y: corner.y), to: .init(x: place, y: corner.y + height),
                color: gridColors.grid)
            canvas.text(
                label(number), at: .init(x: place, y: corner.y + height + 13), size: 10, anchor: .middle,
                color: gridColors.label)
        }
        for number in ticks.y > 0 ? y.ticks(atMost: ticks.y) : [] {
            let place = y.position(of: number)
            canvas.line(
                from: .init(x: corner.x, y: place), to: .init(x: corner.x + width, y: place),
                color: gridColors.grid)
            canvas.text(
                Axis.label(number), at: .init(x: corner.x - 4, y: place + 3.5), size: 10, anchor: .end,
                color: gridColors.label)
        }
        canvas.line(
            from: .init(x: corner.x, y: corner.y + height),
            to: .init(x: corner.x + width, y: corner.y + height), color: gridColors.frame)
        canvas.line(from: corner, to: .init(x: corner.x, y: corner.y + height), color: gridColors.frame)
    }

    /// Draws a bar on the x axis from `begin` to `end` with the height `value`.
    package func drawBar(
        on canvas: inout SVGCanvas, from begin: Double, to end: Double, value: Double, color: String
    ) {
        let upper = point(begin, value)
        let lower = point(end, y.range.lowerBound)
        canvas.rectangle(at: upper, width: lower.x - upper.x, height: lower.y - upper.y, color: color)
    }

    /// Draws a span from `begin` to `end` over the full height. Spans are at least one pixel wide, so that all are
    /// visible.
    package func drawSpan(on canvas: inout SVGCanvas, from begin: Double, to end: Double, color: String) {
        let left = x.position(of: begin)
        canvas.rectangle(
            at: .init(x: left, y: corner.y), width: max(x.position(of: end) - left, 1), height: height,
            color: color)
    }

    /// Draws a line through `values` at `times`. The line is interrupted at `nil` values, and `width` is in
    /// pixels.
    package func drawLine(
        on canvas: inout SVGCanvas, times: [Double], values: [Double?], color: String, width: Double = 1.6
    ) {
        var stroke: [SVGCanvas.Point] = []
        for (time, value) in zip(times, values) {
            if let value {
                stroke.append(point(time, value))
            } else {
                canvas.polyline(stroke, color: color, width: width)
                stroke = []
            }
        }
        canvas.polyline(stroke, color: color, width: width)
    }

    /// Draws stacked areas as steps. Each value applies from the previous time to its own time.
    ///
    /// - Parameters:
    ///   - canvas: The drawing to add to.
    ///   - times: Ascending positions on the x axis.
    ///   - layers: Layers from bottom to top. Each layer has one nonnegative value for each time, and a
    ///     color.
    package func drawSteps(
        on canvas: inout SVGCanvas, times: [Double], layers: [(values: [Double], color: String)]
    ) {
        var floor = Array(repeating: 0.0, count: times.count)
        for layer in layers {
            let ceiling = zip(floor, layer.values).map { $0 + $1 }
            let upper = steps(times, ceiling)
            canvas.polygon(upper + steps(times, floor).reversed(), color: layer.color, opacity: 0.85)
            floor = ceiling
        }
    }

    private func steps(_ times: [Double], _ values: [Double]) -> [SVGCanvas.Point] {
        var points: [SVGCanvas.Point] = []
        var before = x.range.lowerBound
        for (time, value) in zip(times, values) {
            points += [point(before, value), point(time, value)]
            before = time
        }
        return points
    }
}

/// One axis of a plot. An axis maps numbers to pixel positions and chooses the numbers for its labels.
package struct Axis: Sendable, Equatable {
    /// Range of numbers that the axis covers.
    package let range: ClosedRange<Double>
    /// Pixel position of the range's lower bound. On a vertical axis, pixel positions increase downward, so
    /// this value is larger than `end`.
    private let begin: Double
    private let end: Double

    /// Creates an axis.
    ///
    /// - Parameters:
    ///   - range: Range of numbers to show. A range of length 0 is extended by 1 on both sides.
    ///   - begin: Pixel position of the lower bound.
    ///   - end: Pixel position of the upper bound.
    package init(_ range: ClosedRange<Double>, from begin: Double, to end: Double) {
        self.range =
            range.upperBound > range.lowerBound ? range : range.lowerBound - 1...range.upperBound + 1
        self.begin = begin
        self.end = end
    }

    /// Returns the pixel position of a number. Numbers outside the range are clamped.
    package func position(of number: Double) -> Double {
        let held = min(max(number, range.lowerBound), range.upperBound)
        let share = (held - range.lowerBound) / (range.upperBound - range.lowerBound)
        return begin + share * (end - begin)
    }

    /// Returns round numbers within the range, for labels. Consecutive numbers differ by 1, 2, or 5 times a
    /// power of ten, and there are at most `count` such steps. The result is empty if the range doesn't
    /// contain a round number.
    package func ticks(atMost count: Int) -> [Double] {
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

    /// Formats the number at a tick. The number is rounded to at most six decimal places and has no trailing
    /// `.0`.
    package static func label(_ number: Double) -> String {
        var text = "\((number * 1e6).rounded() / 1e6)"
        if text.hasSuffix(".0") { text.removeLast(2) }
        return text == "-0" ? "0" : text
    }
}
