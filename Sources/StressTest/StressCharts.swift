internal import MulticamMedia
internal import MulticamMonitoring
internal import MulticamPlots

/// The charts of one run: delivered and lost frames of its cameras, and the state of the computer.
struct StressCharts {
    private let run: StressCertificate.Run

    init(_ run: StressCertificate.Run) {
        self.run = run
    }

    var html: [HTML] {
        guard let course = run.course else { return [] }
        let seconds = course.at_ns.map { Double($0) / 1e9 }
        let roles = run.cameras.map(\.role).filter { course.cameras[$0] != nil }
        func series(_ values: (StressCertificate.CameraCourse) -> [Double?]) -> [StressChart.Series] {
            roles.enumerated().compactMap { index, role in
                course.cameras[role].map {
                    StressChart.Series(name: role, color: StressStyle.series(index), values: values($0))
                }
            }
        }
        var charts = [
            StressChart(
                title: "Frames", unit: "frames received per second", kind: .lines, seconds: seconds,
                series: series { $0.rate }),
            StressChart(
                title: "Jitter",
                unit: "mean deviation of timestamps from a constant interval, in milliseconds",
                kind: .lines, seconds: seconds, series: series { $0.jitter_us.map { $0.map { $0 / 1000 } } },
                height: 90,
                least: 0.1),
        ]
        for role in roles { charts += [losses(of: role, course, seconds)].compactMap { $0 } }
        charts.append(
            StressChart(
                title: "Processors", unit: "number of busy processors, measured and predicted", kind: .lines,
                seconds: seconds, series: processors(course), height: 90))
        charts.append(
            StressChart(
                title: "Disk", unit: "megabytes written per second", kind: .lines, seconds: seconds,
                series: [.init(name: "", color: "var(--s5)", values: megabytes(course))], height: 80))
        charts.append(
            StressChart(
                title: "Temperature", unit: "°C, hottest thermal zone", kind: .lines, seconds: seconds,
                series: [.init(name: "", color: "var(--s1)", values: course.temperature)], height: 80,
                least: 60))
        charts.append(
            StressChart(
                title: "System pressure", unit: "level", kind: .steps, seconds: seconds,
                series: [.init(name: "", color: "var(--s4)", values: course.pressure.map(Self.height))],
                height: 80, names: PressureLevel.allCases.map(\.rawValue)))
        return charts.compactMap(\.html)
    }

    /// Returns the chart of a camera's losses, or `nil` if there were no losses.
    private func losses(
        of role: String, _ course: StressCertificate.Course, _ seconds: [Double]
    ) -> StressChart? {
        guard let lost = course.cameras[role]?.lost, !lost.isEmpty else { return nil }
        let series = lost.keys.sorted().map { cause in
            StressChart.Series(
                name: cause, color: StressStyle.cause(cause), values: (lost[cause] ?? []).map { Double($0) })
        }
        return StressChart(
            title: "Lost frames of \(role)", unit: "since the start, by cause", kind: .steps,
            seconds: seconds,
            series: series, height: 100)
    }

    private func processors(_ course: StressCertificate.Course) -> [StressChart.Series] {
        guard course.processors.contains(where: { $0 != nil }) else { return [] }
        let measured = StressChart.Series(name: "measured", color: "var(--s0)", values: course.processors)
        guard let expected = run.predicted?.processors else { return [measured] }
        return [
            measured,
            .init(
                name: "predicted", color: "var(--s7)", values: course.at_ns.map { _ in expected }),
        ]
    }

    private func megabytes(_ course: StressCertificate.Course) -> [Double?] {
        course.bytes_per_second.map { $0.map { $0 / 1e6 } }
    }

    private static func height(_ level: PressureLevel) -> Double? {
        PressureLevel.allCases.firstIndex(of: level).map { Double($0) }
    }
}

/// A time chart of a stress report, with a caption, a legend, and a drawing in the page's colors.
struct StressChart {
    struct Series {
        let name: String
        let color: String
        let values: [Double?]
    }

    enum Kind {
        case lines
        /// The values are drawn as stacked step areas.
        case steps
    }

    static let ink = PlotArea.GridColors(frame: "var(--faint)", grid: "var(--line)", label: "var(--faint)")
    private static let width = 1032.0
    private static let left = 64.0

    let title: String
    /// The unit of the values, for example `frames per second`.
    let unit: String
    let kind: Kind
    let seconds: [Double]
    let series: [Series]
    var height = 130.0
    /// Minimum value for the upper bound of the vertical axis.
    var least = 0.0
    /// Labels that replace the numbers on the vertical axis, one for each integer starting from 0.
    var names: [String] = []

    /// The chart as HTML; `nil` if the chart would be empty.
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
            "figure", [:],
            [caption, .drawing(canvas, label: "\(title): \(unit), over the duration of the run.")])
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
