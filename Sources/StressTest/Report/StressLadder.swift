internal import Media
internal import Plots

/// The drawing of the climb: a bar for each step, as long as the load of all cameras together.
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
            let color = run.verdict.isHeld ? StressStyle.good : StressStyle.bad
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
                case .held: "held"
                case .failed: run.cause?.rawValue ?? "failed"
                case .notRun: "no start: \(run.cause?.rawValue ?? "")"
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
                .text("million pixels a second from all cameras; step 0 is the profile as it stands"),
            ])
        return .element(
            "figure", [:],
            [
                caption,
                .drawing(
                    canvas, label: "The steps of the climb with their load; the last ones show what gave."),
            ])
    }

    /// The title, shortened to fit beside the bars.
    private static func short(_ title: String) -> String {
        title.count > 42 ? "\(title.prefix(41))…" : title
    }
}
