internal import Media
internal import Monitoring
internal import Plots

/// The charts of one run: what its cameras delivered and lost, and the state of the computer.
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
                title: "Frames", unit: "arrived a second", kind: .lines, seconds: seconds,
                series: series { $0.rate }),
            StressChart(
                title: "Jitter", unit: "mean distance of a time stamp from an even rhythm, in milliseconds",
                kind: .lines, seconds: seconds, series: series { $0.jitter_us.map { $0.map { $0 / 1000 } } },
                height: 90,
                least: 0.1),
        ]
        for role in roles { charts += [losses(of: role, course, seconds)].compactMap { $0 } }
        charts.append(
            StressChart(
                title: "Processors", unit: "busy, measured and as the plan expected", kind: .lines,
                seconds: seconds, series: processors(course), height: 90))
        charts.append(
            StressChart(
                title: "Disk", unit: "megabytes written a second", kind: .lines, seconds: seconds,
                series: [.init(name: "", color: "var(--s5)", values: megabytes(course))], height: 80))
        charts.append(
            StressChart(
                title: "Temperature", unit: "°C, of the hottest zone", kind: .lines, seconds: seconds,
                series: [.init(name: "", color: "var(--s1)", values: course.temperature)], height: 80,
                least: 60))
        charts.append(
            StressChart(
                title: "System pressure", unit: "level", kind: .steps, seconds: seconds,
                series: [.init(name: "", color: "var(--s4)", values: course.pressure.map(Self.height))],
                height: 80, names: PressureLevel.allCases.map(\.rawValue)))
        return charts.compactMap(\.html)
    }

    /// The chart of a camera's losses; `nil` when it lost none.
    private func losses(
        of role: String, _ course: StressCertificate.Course, _ seconds: [Double]
    ) -> StressChart? {
        guard let lost = course.cameras[role]?.lost, !lost.isEmpty else { return nil }
        let series = lost.keys.sorted().map { cause in
            StressChart.Series(
                name: cause, color: StressStyle.cause(cause), values: (lost[cause] ?? []).map { Double($0) })
        }
        return StressChart(
            title: "Lost frames of \(role)", unit: "since the beginning, by cause", kind: .steps,
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
                name: "expected", color: "var(--s7)", values: course.at_ns.map { _ in expected }),
        ]
    }

    private func megabytes(_ course: StressCertificate.Course) -> [Double?] {
        course.bytes_per_second.map { $0.map { $0 / 1e6 } }
    }

    private static func height(_ level: PressureLevel) -> Double? {
        PressureLevel.allCases.firstIndex(of: level).map { Double($0) }
    }
}
