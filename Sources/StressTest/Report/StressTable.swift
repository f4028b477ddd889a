internal import Plots

/// Builds the tables of a stress report.
enum StressTable {
    /// Builds a table.
    ///
    /// - Parameters:
    ///   - heads: The titles of the columns; empty for a table without a head.
    ///   - rows: The rows of the body.
    ///   - numbers: The columns with numbers, which are aligned to the right.
    /// - Returns: A table that scrolls by itself on a narrow page.
    static func table(_ heads: [String], _ rows: [HTML], numbers: Set<Int> = []) -> HTML {
        let cells = heads.enumerated().map { index, head in
            HTML.element(
                "th", numbers.contains(index) ? ["scope": "col", "class": "number"] : ["scope": "col"], head)
        }
        let head = HTML.element("thead", [:], [.element("tr", [:], cells)])
        return .element(
            "div", ["class": "scroll"],
            [.element("table", [:], (heads.isEmpty ? [] : [head]) + [.element("tbody", [:], rows)])])
    }

    /// A row with a run's cameras, result and reasons.
    static func row(_ run: StressCertificate.Run) -> HTML {
        .element(
            "tr", [:],
            [
                .element("th", ["scope": "row"], [.text(run.name), .element("small", [:], run.title)]),
                .element("td", [:], run.cameras.map { .element("div", [:], $0.description) }),
                .element("td", [:], [badge(run)]),
                .element("td", ["class": "wide"], run.reasons.map { .element("div", [:], $0) }),
            ])
    }

    /// The result of a run in a word.
    static func badge(_ run: StressCertificate.Run) -> HTML {
        switch run.verdict {
        case .held: .element("span", ["class": "badge held"], "held")
        case .failed: .element("span", ["class": "badge failed"], run.cause?.rawValue ?? "failed")
        case .notRun:
            .element(
                "span", ["class": "badge failed"], "no start\(run.cause.map { ": \($0.rawValue)" } ?? "")")
        }
    }

    /// A table of the losses of each track.
    static func tracks(_ tracks: [StressCertificate.Track]) -> HTML {
        let rows = tracks.map { track in
            let causes = track.lost.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            let share = (track.lostShare * 100_000).rounded() / 1000
            return HTML.element(
                "tr", [:],
                [
                    .element("th", ["scope": "row"], track.name), .element("td", [:], track.kind),
                    .element("td", ["class": "number"], "\(track.captured)"),
                    .element("td", ["class": "number"], "\(track.lostInAll)"),
                    .element("td", ["class": "number"], "\(Axis.label(share)) %"),
                    .element("td", ["class": "wide"], causes),
                ])
        }
        return table(["Track", "Kind", "Captured", "Lost", "Share", "By cause"], rows, numbers: [2, 3, 4])
    }
}
