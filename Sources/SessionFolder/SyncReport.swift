internal import MulticamMedia
internal import MulticamPlots
internal import MulticamTiming

/// One-page report on the synchronization quality of a recording. For each device, the report shows the rate
/// error over time, the time stamp jitter, and the periods in which the track differs from the captured data.
package struct SyncReport {
    private let manifest: Manifest
    private let history: SyncHistory
    private let verdict: Verdict

    private static let width = 1000
    private static let headerHeight = 66.0
    private static let sentenceHeight = 17.0
    private static let rowHeight = 138.0
    private static let laneRowHeight = 56.0
    private static let left = 60.0
    private static let timeSeriesWidth = 620.0
    private static let histogramLeft = 745.0
    private static let histogramWidth = 225.0
    private static let plotHeight = 70.0
    /// Initial period in nanoseconds that is ignored when scaling the plot, because the slope of a new regression line
    /// is arbitrary.
    private static let settlingTime: Int64 = 5_000_000_000
    private static let shownSentences = 12
    private static let charactersInLine = 140

    private enum Color {
        static let faint = "#666"
        static let line = "#1f5fa8"
        static let present = "#cfe8d0"
        static let duplicated = "#9fb8a0"
        static let missing = "#d9482b"
        static let gap = "#8c1d0a"

        static func of(_ level: Verdict.Level) -> String {
            switch level {
            case .good: "#2e7d32"
            case .warning: "#b26a00"
            case .bad: "#b3261e"
            }
        }
    }

    /// Creates the report of a recording. `history` contains the states of the recording's clocks and tracks.
    package init(manifest: Manifest, history: SyncHistory) {
        self.manifest = manifest
        self.history = history
        verdict = Verdict(manifest)
    }

    /// The complete page in SVG format.
    package var document: String {
        let others = tracksWithoutDevice
        let sentences = shownSentences
        let height =
            Self.headerHeight + Double(sentences.count) * Self.sentenceHeight
            + Double(manifest.devices.count) * Self.rowHeight + Double(others.count) * Self.laneRowHeight + 24
        var canvas = SVGCanvas(size: FrameSize(width: Self.width, height: Int(rounding: height, .up)))
        var y = drawHeader(sentences, on: &canvas)
        for device in manifest.devices {
            draw(device, at: y, on: &canvas)
            y += Self.rowHeight
        }
        for track in others {
            canvas.text(track.name, at: .init(x: Self.left, y: y + 14), size: 13)
            canvas.text(
                summary(of: track), at: .init(x: Self.left + 90, y: y + 14), size: 11, color: Color.faint)
            drawLane(of: track.name, at: y + 22, on: &canvas)
            y += Self.laneRowHeight
        }
        return canvas.document
    }

    private var duration: Double { Double(max(manifest.duration_ns, 1)) / 1e9 }

    private var tracksWithoutDevice: [Manifest.Track] {
        manifest.tracks.filter { track in !manifest.devices.contains { $0.role == track.name } }
    }

    private var shownSentences: [String] {
        let all = verdict.sentences.flatMap(Self.lines)
        guard all.count > Self.shownSentences else { return all }
        return all.prefix(Self.shownSentences - 1) + [
            "\(all.count - Self.shownSentences + 1) more lines: see manifest.json."
        ]
    }

    /// Breaks a sentence into lines that fit the page.
    private static func lines(of sentence: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in sentence.split(separator: " ") {
            if !line.isEmpty, line.count + word.count >= charactersInLine {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + [line]
    }

    private func drawHeader(_ sentences: [String], on canvas: inout SVGCanvas) -> Double {
        let color = Color.of(verdict.level)
        canvas.rectangle(at: .init(x: 0, y: 0), width: Double(Self.width), height: 6, color: color)
        canvas.text(
            "\(manifest.profile), \(manifest.started.prefix(19).replacing("T", with: " ")), \(Self.clock(duration))",
            at: .init(x: 20, y: 32), size: 18)
        var x = 20.0
        for (name, color) in [
            ("as captured", Color.present), ("last frame duplicated", Color.duplicated),
            ("lost: slate or silence", Color.missing), ("device disconnected", Color.gap),
        ] {
            canvas.rectangle(at: .init(x: x, y: 43), width: 11, height: 11, color: color)
            canvas.text(name, at: .init(x: x + 16, y: 53), size: 11, color: Color.faint)
            x += 60 + Double(name.count) * 5.6
        }
        var y = Self.headerHeight
        for sentence in sentences {
            canvas.text(sentence, at: .init(x: 20, y: y + 8), size: 13, color: color)
            y += Self.sentenceHeight
        }
        return y + 12
    }

    // MARK: Devices

    private func draw(_ device: Manifest.Device, at y: Double, on canvas: inout SVGCanvas) {
        canvas.text(device.role, at: .init(x: Self.left, y: y + 14), size: 13)
        canvas.text(
            "\(device.name) · \(device.clock.ppm) ppm · accurate to \(Self.milliseconds(device.clock.uncertainty_us)) ms"
                + (device.clock.restarts > 0 ? " · restarted \(device.clock.restarts)×" : ""),
            at: .init(x: Self.left + 90, y: y + 14), size: 11, color: Color.faint)
        drawTimeSeries(of: device.role, at: y + 22, on: &canvas)
        drawHistogram(of: device, at: y + 22, on: &canvas)
        if manifest.tracks.contains(where: { $0.name == device.role }) {
            drawLane(of: device.role, at: y + 22 + Self.plotHeight + 18, on: &canvas)
        }
    }

    /// Plots the rate error of a device over time, in parts per million.
    private func drawTimeSeries(of role: String, at y: Double, on canvas: inout SVGCanvas) {
        let points = history.clocks[role]?.points ?? []
        let settled = points.filter { $0.time.nanoseconds >= Self.settlingTime }
        let values = (settled.isEmpty ? points : settled).map(\.value.partsPerMillion)
        let (least, greatest) = (values.min() ?? 0, values.max() ?? 0)
        let margin = max((greatest - least) * 0.1, 2)
        let area = PlotArea(
            at: .init(x: Self.left, y: y), width: Self.timeSeriesWidth, height: Self.plotHeight,
            x: 0...duration,
            y: least - margin...greatest + margin)
        area.drawGrid(on: &canvas, ticks: (8, 3), label: Self.clock)
        // The label is placed next to the plot, outside the curve area.
        canvas.text(
            "ppm", at: .init(x: Self.left + Self.timeSeriesWidth + 6, y: y + 10), size: 10, color: Color.faint
        )
        canvas.polyline(
            points.map { area.point(Double($0.time.nanoseconds) / 1e9, $0.value.partsPerMillion) },
            color: Color.line, width: 1.5)
    }

    /// Plots the deviations of the time stamps from the clock's regression line, in milliseconds.
    private func drawHistogram(of device: Manifest.Device, at y: Double, on canvas: inout SVGCanvas) {
        guard let jitter = history.jitters[device.role], jitter.count > 0 else { return }
        let reach = max(jitter.deviation(ofShare: 0.995) * 5 / 4, .microseconds(50))
        let bars = jitter.bars(45, reach: reach)
        let width = 2 * reach.inMilliseconds / Double(bars.count)
        let area = PlotArea(
            at: .init(x: Self.histogramLeft, y: y), width: Self.histogramWidth, height: Self.plotHeight,
            x: -reach.inMilliseconds...reach.inMilliseconds, y: 0...Double(max(bars.max() ?? 1, 1)))
        area.drawGrid(on: &canvas, ticks: (5, 0))
        for (index, count) in bars.enumerated() where count > 0 {
            let begin = -reach.inMilliseconds + Double(index) * width
            area.drawBar(on: &canvas, from: begin, to: begin + width, value: Double(count), color: Color.line)
        }
        canvas.text(
            "jitter \(Self.milliseconds(device.clock.jitter_us)) ms",
            at: .init(x: Self.histogramLeft, y: y - 8),
            size: 11, color: Color.faint)
    }

    // MARK: Tracks

    private func summary(of track: Manifest.Track) -> String {
        guard let frames = track.frames else { return "" }
        return "\(frames.written) frames, \(frames.duplicated) duplicated, "
            + "\(frames.lost.values.reduce(0, +)) lost"
    }

    /// Draws a strip for the entire recording that marks the periods in which a track differs from the captured data.
    private func drawLane(of track: String, at y: Double, on canvas: inout SVGCanvas) {
        let lane = PlotArea(
            at: .init(x: Self.left, y: y), width: Self.timeSeriesWidth, height: 10, x: 0...duration, y: 0...1)
        let reported = manifest.tracks.first { $0.name == track }
        lane.drawSpan(
            on: &canvas, from: Double(max(0, reported?.first_ns ?? 0)) / 1e9,
            to: reported?.ended_ns.map { Double($0) / 1e9 } ?? duration, color: Color.present)
        let points = history.tracks[track]?.points ?? []
        for (before, after) in zip(points, points.dropFirst()) {
            let (begin, end) = (
                Double(before.time.nanoseconds) / 1e9, Double(after.time.nanoseconds) / 1e9
            )
            if after.value.missing > before.value.missing {
                lane.drawSpan(on: &canvas, from: begin, to: end, color: Color.missing)
            } else if after.value.duplicated > before.value.duplicated {
                lane.drawSpan(on: &canvas, from: begin, to: end, color: Color.duplicated)
            }
        }
        for gap in manifest.gaps where gap.track == track {
            lane.drawSpan(
                on: &canvas, from: Double(gap.from.nanoseconds) / 1e9, to: Double(gap.to.nanoseconds) / 1e9,
                color: Color.gap)
        }
    }

    /// Formats a value in milliseconds with two decimals, or three below 0.1 ms.
    private static func milliseconds(_ microseconds: Double) -> String {
        let steps = microseconds < 100 ? 1000.0 : 100
        return Axis.label((microseconds / 1000 * steps).rounded() / steps)
    }

    /// Formats a time as `0:07` or `1:02:30`; fractional values are formatted in seconds with one decimal.
    private static func clock(_ seconds: Double) -> String {
        if seconds != seconds.rounded() { return Axis.label((seconds * 10).rounded() / 10) + " s" }
        let whole = Int(rounding: seconds, .towardZero)
        let minutes = whole / 60
        return minutes < 60
            ? "\(minutes):\((whole % 60).padded(2))"
            : "\(minutes / 60):\((minutes % 60).padded(2)):\((whole % 60).padded(2))"
    }
}

extension Manifest {
    /// Returns `report/sync.svg` for a recovered recording as SVG text. The report is based on the manifest and on the
    /// clock readings in the events.
    package func syncReport(_ events: RecordedEvents) -> String {
        SyncReport(manifest: self, history: SyncHistory(events)).document
    }
}
