package import MulticamMedia

/// A drawing in the format Scalable Vector Graphics 1.1. The drawing doesn't use scripts or external
/// resources, so any browser can display it.
///
/// Coordinates are in pixels from the upper left corner. The canvas sanitizes and escapes text and colors.
package struct SVGCanvas: Sendable {
    /// The part of a text line that is placed at the given point (`text-anchor`).
    package enum Anchor: String, Sendable {
        case start, middle, end
    }

    /// A position in pixels from the upper left corner. The coordinate `y` increases downward.
    package struct Point: Sendable, Equatable {
        /// Distance in pixels from the left edge.
        package var x: Double
        /// Distance in pixels from the top edge.
        package var y: Double

        /// Creates a position in pixels.
        package init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// Width × height of the drawing in pixels.
    package let size: FrameSize
    private var elements: [String] = []

    /// Creates an empty drawing.
    package init(size: FrameSize) {
        self.size = size
    }

    /// Draws a straight line that is `width` pixels wide. The color may be any CSS color.
    package mutating func line(from: Point, to: Point, color: String, width: Double = 1) {
        elements.append(
            "<line x1=\"\(number(from.x))\" y1=\"\(number(from.y))\" x2=\"\(number(to.x))\" y2=\"\(number(to.y))\" "
                + "stroke=\"\(escaped(color))\" stroke-width=\"\(number(width))\"/>")
    }

    /// Draws straight lines through `points`, `width` pixels wide. With fewer than two points, nothing is
    /// drawn. The color may be any CSS color.
    package mutating func polyline(_ points: [Point], color: String, width: Double = 1) {
        guard points.count > 1 else { return }
        let list = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        elements.append(
            "<polyline points=\"\(list)\" fill=\"none\" stroke=\"\(escaped(color))\" stroke-width=\"\(number(width))\"/>"
        )
    }

    /// Draws a filled rectangle with its upper left corner at `corner`. A negative width or height counts as
    /// 0 pixels. The color may be any CSS color.
    package mutating func rectangle(at corner: Point, width: Double, height: Double, color: String) {
        elements.append(
            "<rect x=\"\(number(corner.x))\" y=\"\(number(corner.y))\" width=\"\(number(max(0, width)))\" "
                + "height=\"\(number(max(0, height)))\" fill=\"\(escaped(color))\"/>")
    }

    /// Draws a filled circle. The radius is in pixels, and the color may be any CSS color.
    package mutating func circle(at center: Point, radius: Double, color: String) {
        elements.append(
            "<circle cx=\"\(number(center.x))\" cy=\"\(number(center.y))\" r=\"\(number(radius))\" fill=\"\(escaped(color))\"/>"
        )
    }

    /// Draws one line of text, truncated to 400 characters. The baseline is at `point`, the font size is
    /// `size` pixels, and the color may be any CSS color.
    package mutating func text(
        _ words: String, at point: Point, size: Double = 12, anchor: Anchor = .start, color: String = "#222"
    ) {
        elements.append(
            "<text x=\"\(number(point.x))\" y=\"\(number(point.y))\" font-size=\"\(number(size))\" "
                + "text-anchor=\"\(anchor.rawValue)\" fill=\"\(escaped(color))\">\(escaped(words))</text>")
    }

    /// Draws a filled polygon. The opacity is 0…1, and the color may be any CSS color. With fewer than three
    /// points, nothing is drawn.
    package mutating func polygon(_ points: [Point], color: String, opacity: Double = 1) {
        guard points.count > 2 else { return }
        let list = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        elements.append(
            "<polygon points=\"\(list)\" fill=\"\(escaped(color))\" fill-opacity=\"\(number(opacity))\"/>")
    }

    /// Returns the drawing as an element of an HTML page. The drawing has a transparent background and can
    /// use the page's colors (`var(--ink)`).
    ///
    /// - Parameter label: Text alternative for the drawing.
    /// - Returns: The `svg` element.
    func embedded(label: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size.width) \(size.height)" role="img" \
        aria-label="\(escaped(label))" font-family="system-ui, sans-serif">
        \(elements.joined(separator: "\n"))
        </svg>
        """
    }

    /// The drawing as a complete SVG file with a white background.
    package var document: String {
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

    /// Formats a coordinate with up to two decimal places. Infinity and NaN are replaced with 0.
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
