internal import MulticamMedia
internal import MulticamPlots

/// The chart of the climb. Each step is a bar, and the length of the bar represents the total load of all
/// cameras.
struct StressLadder {
    private let runs: [StressCertificate.Run]

    private static let width = 1032.0
    private static let row = 25.0
    private static let labelWidth = 330.0
    private static let tailWidth = 130.0

    init(_ runs: [StressCertificate.Run]) {
        self.runs = runs
    }

    var html: HTML {
        let loads = runs.map { $0.cameras.map(\.load).reduce(0, +) / 1e6 }
        let most = max(loads.max() ?? 1, 0.001)
        let height = Double(runs.count) * Self.row + 30
        var canvas = SVGCanvas(size: FrameSize(width: Int(Self.width), height: Int(height)))
        let barWidth = Self.width - Self.labelWidth - Self.tailWidth
        let area = PlotArea(
            at: .init(x: Self.labelWidth, y: 4), width: barWidth, height: Double(runs.count) * Self.row,
            x: 0...most, y: 0...1, ink: StressChart.ink)
        area.drawGrid(on: &canvas, ticks: (6, 0))
        for (index, run) in runs.enumerated() {
            let y = 4 + Double(index) * Self.row
            let color = run.verdict.isPassed ? StressStyle.good : StressStyle.bad
            canvas.text(
                "\(run.step ?? 0)", at: .init(x: 20, y: y + 17), size: 12, anchor: .end,
                color: StressStyle.faint)
            canvas.text(
                Self.short(run.title), at: .init(x: 30, y: y + 17), size: 12.5, color: StressStyle.ink)
            canvas.rectangle(
                at: .init(x: Self.labelWidth, y: y + 4), width: max(loads[index] / most * barWidth, 2),
                height: Self.row - 8, color: color)
            let word: String =
                switch run.verdict {
                case .held: "passed"
                case .failed: run.cause?.rawValue ?? "failed"
                case .notRun: "not started: \(run.cause?.rawValue ?? "")"
                }
            canvas.text(
                "\(Axis.label((loads[index] * 10).rounded() / 10)) · \(word)",
                at: .init(x: Self.labelWidth + loads[index] / most * barWidth + 8, y: y + 17), size: 12,
                color: color)
        }
        let caption = HTML.element(
            "figcaption", [:],
            [
                .element("b", [:], "Load of each step"),
                .text("million pixels per second from all cameras; step 0 is the profile without changes"),
            ])
        return .element(
            "figure", [:],
            [
                caption,
                .drawing(
                    canvas,
                    label:
                        "Load at each step of the ramp-up test. Failed steps show the cause of the failure."),
            ])
    }

    /// Returns the title, shortened to fit next to the bars.
    private static func short(_ title: String) -> String {
        title.count > 42 ? "\(title.prefix(41))…" : title
    }
}

/// A table of the tested camera sets, with one row per grade and one column per set.
struct StressSetsMatrix {
    private let runs: [StressCertificate.Run]

    /// Maximum number of columns. A larger table doesn't fit on the page, so the sets are shown only in the
    /// list of runs.
    private static let mostColumns = 12

    init(_ runs: [StressCertificate.Run]) {
        self.runs = runs
    }

    /// The table; `nil` if it has too many columns.
    var html: HTML? {
        var sets: [[String]] = []
        var grades: [String] = []
        for run in runs {
            let roles = run.cameras.map(\.role)
            if !sets.contains(roles) { sets.append(roles) }
            if !grades.contains(run.title) { grades.append(run.title) }
        }
        // Larger camera sets come first. Sets of equal size keep their execution order.
        sets.sort { $0.count > $1.count }
        guard !sets.isEmpty, sets.count <= Self.mostColumns else { return nil }
        let rows = grades.map { grade in
            HTML.element(
                "tr", [:],
                [.element("th", ["scope": "row"], grade)] + sets.map { cell(grade, $0) })
        }
        return StressTable.table(["Formats"] + sets.map { $0.joined(separator: " + ") }, rows)
    }

    private func cell(_ grade: String, _ roles: [String]) -> HTML {
        let same = runs.filter { $0.title == grade }
        if let run = same.first(where: { $0.cameras.map(\.role) == roles }) {
            let formats = run.cameras.map { "\($0.width)x\($0.height)@\(Axis.label($0.rate))" }
            let unique = formats.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            return .element(
                "td", [:],
                [StressTable.badge(run), .element("small", [:], unique.joined(separator: ", "))])
        }
        let isPart = same.contains {
            $0.verdict.isPassed && Set($0.cameras.map(\.role)).isSuperset(of: roles)
        }
        let hasFailed = same.contains {
            !$0.verdict.isPassed && Set($0.cameras.map(\.role)).isSubset(of: roles)
        }
        return .element(
            "td", ["class": "quiet"],
            isPart ? "passed in a larger set" : hasFailed ? "subset failed" : "not tested")
    }
}

/// The section that compares the predicted and measured cost of each run.
struct StressCostSection {
    private let runs: [StressCertificate.Run]

    private static let width = 1032.0
    private static let height = 170.0

    init(_ runs: [StressCertificate.Run]) {
        self.runs = runs.filter { $0.predicted != nil }
    }

    /// The section; `nil` if no run has a prediction.
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
                            "td", ["class": "number"], measured?.synthetic_processors.map(Self.figure) ?? "–")
                    ])
        }
        return .element(
            "section", [:],
            [.element("h2", [:], "Predicted and measured cost")] + [chart].compactMap { $0 } + [
                .element(
                    "details", runs.count <= 12 ? ["open": "open"] : [:],
                    [
                        .element("summary", [:], "All runs (\(runs.count))"),
                        StressTable.table(
                            [
                                "Run", "Hardware cost", "Terms", "Processors: predicted", "measured", "ratio",
                                "Disk MB/s: predicted", "measured", "ratio", "Synthetic devices",
                            ], rows, numbers: [1, 3, 4, 5, 6, 7, 8, 9]),
                    ])
            ])
    }

    /// A chart with two bars for each run whose CPU time was measured.
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
                .text("average number of busy processors, excluding synthetic devices"),
                key("predicted", "var(--s7)"), key("measured", "var(--s0)"),
            ])
        return .element(
            "figure", [:],
            [caption, .drawing(canvas, label: "Processor time of each run, predicted and measured.")])
    }

    /// Returns three table cells: the predicted value, the measured value, and the measured value divided by
    /// the predicted value.
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
