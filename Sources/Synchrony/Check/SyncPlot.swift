internal import MulticamMedia
internal import MulticamPlots

/// Draws `report/sync-check.svg`, which shows the tolerance of each track, and its offset over time with the
/// uncertainty.
package struct SyncPlot {
    private let findings: SyncFindings

    private static let width = 1000
    private static let header = 62.0
    private static let row = 150.0
    private static let left = 70.0
    private static let plotWidth = 890.0
    private static let plotHeight = 92.0

    private enum Color {
        static let faint = "#666"
        static let band = "#e3f1e4"
        static let clap = "#7aa5d6"
        static let whole = "#1f5fa8"
        static let zero = "#777"

        static func of(_ verdict: SyncFindings.TrackVerdict) -> String {
            switch verdict {
            case .aligned: "#2e7d32"
            case .apart: "#b3261e"
            case .unknown, .reference: "#b26a00"
            }
        }
    }

    /// Creates a plot of the given result.
    package init(_ findings: SyncFindings) {
        self.findings = findings
    }

    /// The complete plot in SVG format.
    package var document: String {
        let shown = findings.tracks.filter { $0.verdict != .reference }
        let height = Self.header + Double(max(1, shown.count)) * Self.row + 10
        var canvas = SVGCanvas(size: FrameSize(width: Self.width, height: Int(height)))
        drawHeader(on: &canvas)
        for (index, track) in shown.enumerated() {
            draw(track, at: Self.header + Double(index) * Self.row, on: &canvas)
        }
        return canvas.document
    }

    private func drawHeader(on canvas: inout SVGCanvas) {
        let color =
            switch findings.verdict {
            case .aligned: Color.of(.aligned)
            case .apart: Color.of(.apart)
            case .unknown: Color.of(.unknown)
            }
        canvas.rectangle(at: .init(x: 0, y: 0), width: Double(Self.width), height: 6, color: color)
        canvas.text(findings.sentence, at: .init(x: 20, y: 30), size: 15, color: color)
        canvas.text(
            "Offsets in milliseconds over time in seconds. Positive: later than the reference. Light: each clap and its uncertainty. "
                + "Dark: start and end. Green: tolerance.",
            at: .init(x: 20, y: 49), size: 11, color: Color.faint)
    }

    private func draw(_ track: SyncFindings.Track, at y: Double, on canvas: inout SVGCanvas) {
        canvas.text(
            "\(track.name) (\(track.kind.displayName))", at: .init(x: Self.left, y: y + 14), size: 13)
        canvas.text(
            track.summary, at: .init(x: Self.left + Self.plotWidth, y: y + 14), size: 12, anchor: .end,
            color: Color.of(track.verdict))
        let wholes = [track.start, track.end].compactMap { $0 }
        guard !wholes.isEmpty else {
            canvas.text(track.note ?? "", at: .init(x: Self.left, y: y + 40), size: 12, color: Color.faint)
            return
        }
        let claps = track.claps ?? []
        let limit = track.tolerance?.inMilliseconds ?? 0
        let reach = (claps + wholes).map { ($0.offset.magnitude + $0.uncertainty).inMilliseconds }.max() ?? 0
        let scale = max(reach, limit) * 1.1 + 0.01
        let area = PlotArea(
            at: .init(x: Self.left, y: y + 22), width: Self.plotWidth, height: Self.plotHeight,
            x: 0...max(findings.duration.inSeconds, 0.001), y: -scale...scale)
        let band = (area.point(0, limit), area.point(area.x.range.upperBound, -limit))
        canvas.rectangle(
            at: band.0, width: band.1.x - band.0.x, height: band.1.y - band.0.y, color: Color.band)
        area.drawGrid(on: &canvas, ticks: (10, 5))
        canvas.line(
            from: area.point(0, 0), to: area.point(area.x.range.upperBound, 0), color: Color.zero)
        for clap in claps { draw(clap, in: area, on: &canvas, color: Color.clap, radius: 2, width: 1) }
        for whole in wholes { draw(whole, in: area, on: &canvas, color: Color.whole, radius: 4, width: 2.5) }
        if let note = track.note {
            canvas.text(note, at: .init(x: Self.left, y: y + 142), size: 10, color: Color.faint)
        }
    }

    private func draw(
        _ measured: MeasuredOffset, in area: PlotArea, on canvas: inout SVGCanvas, color: String,
        radius: Double,
        width: Double
    ) {
        let time = Double(measured.at.nanoseconds) / 1e9
        let (offset, error) = (measured.offset.inMilliseconds, measured.uncertainty.inMilliseconds)
        canvas.line(
            from: area.point(time, offset - error), to: area.point(time, offset + error), color: color,
            width: width)
        canvas.circle(at: area.point(time, offset), radius: radius, color: color)
    }
}
