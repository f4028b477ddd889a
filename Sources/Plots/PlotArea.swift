/// A rectangle with two axes, into which numbers are drawn.
public struct PlotArea: Sendable {
    public let x: Axis
    public let y: Axis
    private let corner: SVGCanvas.Point
    private let width: Double
    private let height: Double

    private static let frameColor = "#999"
    private static let gridColor = "#e6e6e6"
    private static let labelColor = "#555"

    /// - Parameters:
    ///   - corner: The upper left one of the rectangle, without its labels: those take 40 pixels to the left and 16 below.
    ///   - width: In pixels.
    ///   - height: In pixels.
    ///   - x: The numbers from left to right.
    ///   - y: The numbers from bottom to top.
    public init(
        at corner: SVGCanvas.Point, width: Double, height: Double, x: ClosedRange<Double>,
        y: ClosedRange<Double>
    ) {
        self.corner = corner
        self.width = width
        self.height = height
        self.x = Axis(x, from: corner.x, to: corner.x + width)
        self.y = Axis(y, from: corner.y + height, to: corner.y)
    }

    public func point(_ x: Double, _ y: Double) -> SVGCanvas.Point {
        SVGCanvas.Point(x: self.x.place(of: x), y: self.y.place(of: y))
    }

    /// Draws the grid with its numbers, to be done before anything is drawn on it.
    ///
    /// - Parameters:
    ///   - canvas: What is drawn on.
    ///   - ticks: How many numbers along each axis at most; 0 for none.
    ///   - label: Writes a number of the x axis.
    public func drawGrid(
        on canvas: inout SVGCanvas, ticks: (x: Int, y: Int) = (8, 4), label: (Double) -> String = Axis.label
    ) {
        for number in ticks.x > 0 ? x.ticks(atMost: ticks.x) : [] {
            let place = x.place(of: number)
            canvas.line(
                from: .init(x: place, y: corner.y), to: .init(x: place, y: corner.y + height),
                color: Self.gridColor)
            canvas.text(
                label(number), at: .init(x: place, y: corner.y + height + 13), size: 10, anchor: .middle,
                color: Self.labelColor)
        }
        for number in ticks.y > 0 ? y.ticks(atMost: ticks.y) : [] {
            let place = y.place(of: number)
            canvas.line(
                from: .init(x: corner.x, y: place), to: .init(x: corner.x + width, y: place),
                color: Self.gridColor)
            canvas.text(
                Axis.label(number), at: .init(x: corner.x - 4, y: place + 3.5), size: 10, anchor: .end,
                color: Self.labelColor)
        }
        canvas.line(
            from: .init(x: corner.x, y: corner.y + height),
            to: .init(x: corner.x + width, y: corner.y + height), color: Self.frameColor)
        canvas.line(from: corner, to: .init(x: corner.x, y: corner.y + height), color: Self.frameColor)
    }

    /// A bar on the x axis from `begin` to `end`, as high as `value`.
    public func drawBar(
        on canvas: inout SVGCanvas, from begin: Double, to end: Double, value: Double, color: String
    ) {
        let upper = point(begin, value)
        let lower = point(end, y.range.lowerBound)
        canvas.rectangle(at: upper, width: lower.x - upper.x, height: lower.y - upper.y, color: color)
    }

    /// The span from `begin` to `end` over the whole height; narrow ones are a pixel wide, so that none is lost to the eye.
    public func drawSpan(on canvas: inout SVGCanvas, from begin: Double, to end: Double, color: String) {
        let left = x.place(of: begin)
        canvas.rectangle(
            at: .init(x: left, y: corner.y), width: max(x.place(of: end) - left, 1), height: height,
            color: color)
    }
}
