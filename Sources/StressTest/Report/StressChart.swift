internal import Media
internal import Plots

/// One chart of a stress report over time: a caption with its key, and a drawing in the page's colours.
struct StressChart {
    struct Series {
        let name: String
        let color: String
        let values: [Double?]
    }

    enum Kind {
        case lines
        /// Stacked areas with steps.
        case steps
    }

    static let ink = PlotArea.Ink(frame: "var(--faint)", grid: "var(--line)", label: "var(--faint)")
    private static let width = 1032.0
    private static let left = 64.0

    let title: String
    /// The unit of the values: `frames a second`.
    let unit: String
    let kind: Kind
    let seconds: [Double]
    let series: [Series]
    var height = 130.0
    /// The smallest upper end of the vertical axis.
    var least = 0.0
    /// Labels of the vertical axis in place of numbers, one for each whole number from 0.
    var names: [String] = []

    /// The chart; `nil` when there is nothing to draw.
    var html: HTML? {
        let all = series.flatMap(\.values).compactMap(\.self)
        guard !all.isEmpty, let last = seconds.last, last > 0 else { return nil }
        let top = max(kind == .steps ? tallest : all.max() ?? 0, least, 1e-6) * 1.08
        var canvas = SVGCanvas(size: FrameSize(width: Int(Self.width), height: Int(height + 26)))
        let area = PlotArea(
            at: .init(x: Self.left, y: 6), width: Self.width - Self.left - 12, height: height, x: 0...last,
            y: 0...(names.isEmpty ? top : Double(max(names.count - 1, 1)) * 1.08), ink: Self.ink)
        area.drawGrid(on: &canvas, ticks: (10, names.isEmpty ? 4 : 0), label: Self.time)
        for (index, name) in names.enumerated() {
            let place = area.point(0, Double(index))
            canvas.line(
                from: place, to: area.point(last, Double(index)), color: Self.ink.grid)
            canvas.text(
                name, at: .init(x: place.x - 4, y: place.y + 3.5), size: 10, anchor: .end,
                color: Self.ink.label)
        }
        switch kind {
        case .lines:
            for line in series {
                area.drawLine(on: &canvas, times: seconds, values: line.values, color: line.color)
            }
        case .steps:
            area.drawSteps(
                on: &canvas, times: seconds, layers: series.map { ($0.values.map { $0 ?? 0 }, $0.color) })
        }
        return .element(
            "figure", [:], [caption, .drawing(canvas, label: "\(title): \(unit), over the run's time.")])
    }

    private var caption: HTML {
        let keys = series.count > 1 || series.first?.name.isEmpty == false ? series : []
        return .element(
            "figcaption", [:],
            [.element("b", [:], title), .text(unit)]
                + keys.map { line in
                    .element(
                        "span", ["class": "key"],
                        [.element("i", ["style": "background:\(line.color)"]), .text(line.name)])
                })
    }

    private var tallest: Double {
        seconds.indices.map { index in series.map { $0.values[index] ?? 0 }.reduce(0, +) }.max() ?? 0
    }

    /// Formats a time for the axis: `7 s`, `2:30`, `1:02:30`.
    private static func time(_ seconds: Double) -> String {
        if seconds < 60 { return "\(Axis.label(seconds)) s" }
        let whole = Int(rounding: seconds)
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        return hours > 0
            ? "\(hours):\(minutes.padded(2)):\((whole % 60).padded(2))"
            : "\(minutes):\((whole % 60).padded(2))"
    }
}
