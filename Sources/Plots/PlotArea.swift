/// A rectangle with two axes, into which numbers are drawn.
public struct PlotArea: Sendable {
    /// The horizontal axis, from left to right.
    public let x: Axis
    /// The vertical axis, from bottom to top.
    public let y: Axis
    private let corner: SVGCanvas.Point
    private let width: Double
    private let height: Double

    /// Colours of the grid.
    private let ink: Ink

    /// The colours of a grid, each any colour of CSS.
    public struct Ink: Sendable {
        /// Colour of the lines along the left and lower edges.
        public let frame: String
        /// Colour of the lines inside.
        public let grid: String
        /// Colour of the numbers.
        public let label: String

        /// Makes a set of colours.
        public init(frame: String, grid: String, label: String) {
            self.frame = frame
            self.grid = grid
            self.label = label
        }

        /// Greys for a white background.
        public static let paper = Ink(frame: "#999", grid: "#e6e6e6", label: "#555")
    }

    /// Makes an area.
    ///
    /// - Parameters:
    ///   - corner: Upper left corner of the rectangle in pixels, without its labels, which take 40 pixels to the left
    ///     and 16 below.
    ///   - width: Width of the rectangle in pixels.
    ///   - height: Height of the rectangle in pixels.
    ///   - x: The numbers from left to right.
    ///   - y: The numbers from bottom to top.
    ///   - ink: Colours of the grid.
    public init(
        at corner: SVGCanvas.Point, width: Double, height: Double, x: ClosedRange<Double>,
        y: ClosedRange<Double>, ink: Ink = .paper
    ) {
        self.ink = ink
        self.corner = corner
        self.width = width
        self.height = height
        self.x = Axis(x, from: corner.x, to: corner.x + width)
        self.y = Axis(y, from: corner.y + height, to: corner.y)
    }

    /// The pixel position of a pair of numbers; numbers outside the axes are moved to their nearest ends.
    public func point(_ x: Double, _ y: Double) -> SVGCanvas.Point {
        SVGCanvas.Point(x: self.x.place(of: x), y: self.y.place(of: y))
    }

    /// Draws the grid with its numbers. Must be called before anything is drawn over it.
    ///
    /// - Parameters:
    ///   - canvas: The drawing.
    ///   - ticks: Largest number of steps along each axis; 0 for none.
    ///   - label: Writes a number of the x axis.
    public func drawGrid(
        on canvas: inout SVGCanvas, ticks: (x: Int, y: Int) = (8, 4), label: (Double) -> String = Axis.label
    ) {
        for number in ticks.x > 0 ? x.ticks(atMost: ticks.x) : [] {
            let place = x.place(of: number)
            canvas.line(
                from: .init(x: place, y: corner.y), to: .init(x: place, y: corner.y + height),
                color: ink.grid)
            canvas.text(
                label(number), at: .init(x: place, y: corner.y + height + 13), size: 10, anchor: .middle,
                color: ink.label)
        }
        for number in ticks.y > 0 ? y.ticks(atMost: ticks.y) : [] {
            let place = y.place(of: number)
            canvas.line(
                from: .init(x: corner.x, y: place), to: .init(x: corner.x + width, y: place),
                color: ink.grid)
            canvas.text(
                Axis.label(number), at: .init(x: corner.x - 4, y: place + 3.5), size: 10, anchor: .end,
                color: ink.label)
        }
        canvas.line(
            from: .init(x: corner.x, y: corner.y + height),
            to: .init(x: corner.x + width, y: corner.y + height), color: ink.frame)
        canvas.line(from: corner, to: .init(x: corner.x, y: corner.y + height), color: ink.frame)
    }

    /// Draws a bar on the x axis from `begin` to `end`, as high as `value`.
    public func drawBar(
        on canvas: inout SVGCanvas, from begin: Double, to end: Double, value: Double, color: String
    ) {
        let upper = point(begin, value)
        let lower = point(end, y.range.lowerBound)
        canvas.rectangle(at: upper, width: lower.x - upper.x, height: lower.y - upper.y, color: color)
    }

    /// Draws a span from `begin` to `end` over the whole height; narrow spans are one pixel wide, so that none gets
    /// lost.
    public func drawSpan(on canvas: inout SVGCanvas, from begin: Double, to end: Double, color: String) {
        let left = x.place(of: begin)
        canvas.rectangle(
            at: .init(x: left, y: corner.y), width: max(x.place(of: end) - left, 1), height: height,
            color: color)
    }

    /// Draws a line through `values` at `times`, broken where a value is `nil`; `width` is in pixels.
    public func drawLine(
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

    /// Draws stacked areas in steps: each value holds from the time before it to its own.
    ///
    /// - Parameters:
    ///   - canvas: The drawing.
    ///   - times: Ascending positions on the x axis.
    ///   - layers: Layers from the lowest up: one value for each time, none below 0, and the layer's colour.
    public func drawSteps(
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
