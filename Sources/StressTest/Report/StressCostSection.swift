internal import Media
internal import Plots

/// The section that compares the predicted and the measured cost of each run.
struct StressCostSection {
    private let runs: [StressCertificate.Run]

    private static let width = 1032.0
    private static let height = 170.0

    init(_ runs: [StressCertificate.Run]) {
        self.runs = runs.filter { $0.predicted != nil }
    }

    /// The section; `nil` when no run has a prediction.
    var html: HTML? {
        guard !runs.isEmpty else { return nil }
        let rows = runs.map { run in
            let (expected, measured) = (run.predicted, run.measured)
            let terms = (expected?.terms ?? []).prefix(4)
                .map { "\($0.resource) \(Self.figure($0.used))" }.joined(separator: ", ")
            return HTML.element(
                "tr", [:],
                [
                    .element("th", ["scope": "row"], run.name),
                    .element("td", ["class": "number"], expected.map { Self.figure($0.hardware) } ?? ""),
                    .element("td", ["class": "wide"], terms),
                ]
                    + Self.pair(expected?.processors, measured?.processors, scale: 1)
                    + Self.pair(expected?.bytes_per_second, measured?.bytes_per_second, scale: 1e6)
                    + [
                        .element(
                            "td", ["class": "number"], measured?.made_up_processors.map(Self.figure) ?? "–")
                    ])
        }
        return .element(
            "section", [:],
            [.element("h2", [:], "Expected and measured")] + [chart].compactMap { $0 } + [
                .element(
                    "details", runs.count <= 12 ? ["open": "open"] : [:],
                    [
                        .element("summary", [:], "Every run (\(runs.count))"),
                        StressTable.table(
                            [
                                "Run", "Hardware cost", "Terms", "Processors: expected", "measured", "ratio",
                                "Disk MB/s: expected", "measured", "ratio", "Synthetic devices",
                            ], rows, numbers: [1, 3, 4, 5, 6, 7, 8, 9]),
                    ])
            ])
    }

    /// A chart with a pair of bars for each run whose processor time was measured.
    private var chart: HTML? {
        let pairs = runs.compactMap { run -> (name: String, expected: Double, measured: Double)? in
            guard let expected = run.predicted?.processors, let measured = run.measured?.processors else {
                return nil
            }
            return (run.name, expected, measured)
        }
        let most = pairs.flatMap { [$0.expected, $0.measured] }.max() ?? 0
        guard !pairs.isEmpty, most > 0 else { return nil }
        var canvas = SVGCanvas(size: FrameSize(width: Int(Self.width), height: Int(Self.height + 32)))
        let area = PlotArea(
            at: .init(x: 50, y: 6), width: Self.width - 62, height: Self.height, x: 0...Double(pairs.count),
            y: 0...most * 1.08, ink: StressChart.ink)
        area.drawGrid(on: &canvas, ticks: (0, 5))
        for (index, pair) in pairs.enumerated() {
            let place = Double(index)
            area.drawBar(
                on: &canvas, from: place + 0.14, to: place + 0.48, value: pair.expected, color: "var(--s7)")
            area.drawBar(
                on: &canvas, from: place + 0.52, to: place + 0.86, value: pair.measured, color: "var(--s0)")
            let every = max(1, (pairs.count + 13) / 14)
            if index % every == 0 {
                canvas.text(
                    pair.name, at: .init(x: area.point(place + 0.5, 0).x, y: Self.height + 22), size: 10.5,
                    anchor: .middle, color: StressStyle.faint)
            }
        }
        func key(_ name: String, _ color: String) -> HTML {
            .element(
                "span", ["class": "key"], [.element("i", ["style": "background:\(color)"]), .text(name)])
        }
        let caption = HTML.element(
            "figcaption", [:],
            [
                .element("b", [:], "Processors"),
                .text("busy on average, without those that stand in for synthetic devices"),
                key("expected", "var(--s7)"), key("measured", "var(--s0)"),
            ])
        return .element(
            "figure", [:],
            [caption, .drawing(canvas, label: "Processor time of each run, expected and measured.")])
    }

    /// Three cells: two figures, and the second divided by the first.
    private static func pair(_ expected: Double?, _ measured: Double?, scale: Double) -> [HTML] {
        let ratio: Double? =
            if let expected, let measured, expected > 0 { measured / expected } else { nil }
        return [expected.map { $0 / scale }, measured.map { $0 / scale }, ratio].map {
            .element("td", ["class": "number"], $0.map(figure) ?? "–")
        }
    }

    private static func figure(_ value: Double) -> String {
        let steps = value >= 10 ? 10.0 : value >= 0.1 ? 100 : 1000
        return Axis.label((value * steps).rounded() / steps)
    }
}
