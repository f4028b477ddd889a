public import Media

/// A drawing that any browser shows: Scalable Vector Graphics 1.1, without scripts and without anything fetched.
///
/// Coordinates are in pixels from the upper left corner. Words are cleaned and escaped here, whoever wrote them.
public struct SVGCanvas: Sendable {
    /// Where words lie beside their point (`text-anchor`).
    public enum Anchor: String, Sendable {
        case start, middle, end
    }

    public struct Point: Sendable, Equatable {
        public var x: Double
        public var y: Double

        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    public let size: FrameSize
    private var elements: [String] = []

    public init(size: FrameSize) {
        self.size = size
    }

    /// A straight stroke, `width` pixels wide; `color` is any of CSS's.
    public mutating func line(from: Point, to: Point, color: String, width: Double = 1) {
        elements.append(
            "<line x1=\"\(number(from.x))\" y1=\"\(number(from.y))\" x2=\"\(number(to.x))\" y2=\"\(number(to.y))\" "
                + "stroke=\"\(escaped(color))\" stroke-width=\"\(number(width))\"/>")
    }

    public mutating func polyline(_ points: [Point], color: String, width: Double = 1) {
        guard points.count > 1 else { return }
        let list = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        elements.append(
            "<polyline points=\"\(list)\" fill=\"none\" stroke=\"\(escaped(color))\" stroke-width=\"\(number(width))\"/>"
        )
    }

    public mutating func rectangle(at corner: Point, width: Double, height: Double, color: String) {
        elements.append(
            "<rect x=\"\(number(corner.x))\" y=\"\(number(corner.y))\" width=\"\(number(max(0, width)))\" "
                + "height=\"\(number(max(0, height)))\" fill=\"\(escaped(color))\"/>")
    }

    public mutating func circle(at center: Point, radius: Double, color: String) {
        elements.append(
            "<circle cx=\"\(number(center.x))\" cy=\"\(number(center.y))\" r=\"\(number(radius))\" fill=\"\(escaped(color))\"/>"
        )
    }

    /// One line of words, standing on its point.
    public mutating func text(
        _ words: String, at point: Point, size: Double = 12, anchor: Anchor = .start, color: String = "#222"
    ) {
        elements.append(
            "<text x=\"\(number(point.x))\" y=\"\(number(point.y))\" font-size=\"\(number(size))\" "
                + "text-anchor=\"\(anchor.rawValue)\" fill=\"\(escaped(color))\">\(escaped(words))</text>")
    }

    /// A closed area; `opacity` is 0…1.
    public mutating func polygon(_ points: [Point], color: String, opacity: Double = 1) {
        guard points.count > 2 else { return }
        let list = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        elements.append(
            "<polygon points=\"\(list)\" fill=\"\(escaped(color))\" fill-opacity=\"\(number(opacity))\"/>")
    }

    /// For a page: it takes the page's background, and may use its colours (`var(--ink)`).
    ///
    /// - Parameter label: What is to be seen, for those who do not see it.
    /// - Returns: The element.
    func embedded(label: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size.width) \(size.height)" role="img" \
        aria-label="\(escaped(label))" font-family="system-ui, sans-serif">
        \(elements.joined(separator: "\n"))
        </svg>
        """
    }

    /// The whole file.
    public var document: String {
        let (width, height) = (size.width, size.height)
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" font-family="sans-serif">
            <rect width="\(width)" height="\(height)" fill="white"/>
            \(elements.joined(separator: "\n"))
            </svg>

            """
    }

    /// To a hundredth: finer than any screen. What is no number lies at 0.
    private func number(_ value: Double) -> String {
        guard value.isFinite else { return "0" }
        let hundredths = Int64(rounding: min(max(value, -1e9), 1e9) * 100)
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        let sign = hundredths < 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    private func escaped(_ words: String) -> String { Markup.escaped(words) }
}
