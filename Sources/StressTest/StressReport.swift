internal import MulticamMedia
internal import MulticamMonitoring
internal import MulticamPlots

/// Renders a certificate as `report.html`: a single file that needs no network access or scripts, designed
/// for screens (dark or light) and for printing.
package struct StressReport {
    private let certificate: StressCertificate

    /// Creates the report of a certificate.
    package init(_ certificate: StressCertificate) {
        self.certificate = certificate
    }

    /// The complete HTML document.
    package var document: String {
        HTML.page(
            title: "Stress test of \(certificate.profile)", style: StressStyle.sheet,
            body: [
                .element(
                    "main", [:],
                    [
                        header, devices, sets, climb, soak, StressCostSection(certificate.runs).html,
                        environment,
                        footer,
                    ].compactMap { $0 })
            ])
    }

    // MARK: Header and footer

    private var header: HTML {
        let (word, style): (String, String) =
            switch certificate.verdict {
            case .held: ("Passed", "held")
            case .failed, .notRun: ("Failed", "failed")
            case nil: ("No result", "unknown")
            }
        let machine = certificate.machine
        let place = [machine.host, machine.processor, "\(machine.processors) processors", machine.system]
            .compactMap { $0 }.joined(separator: " · ")
        let when =
            "\(certificate.started.prefix(19).replacing("T", with: " ")) · "
            + "\(StressCertificate.length(certificate.duration_ns)) · multicam \(certificate.multicam)"
        return .element(
            "header", ["class": style],
            [
                .element("p", ["class": "kicker"], "Stress test of the profile “\(certificate.profile)”"),
                .element("h1", [:], word), .element("p", ["class": "lead"], certificate.summary.first ?? ""),
                .element("ul", [:], certificate.summary.dropFirst().map { .element("li", [:], $0) }),
                .element("p", ["class": "meta"], when), .element("p", ["class": "meta"], place),
            ])
    }

    private var footer: HTML {
        let asked = certificate.asked
        let kinds = asked.runs.map(\.rawValue).joined(separator: ", ")
        let soak = asked.soak_ns.map { "; soak test: \(StressCertificate.length($0))" } ?? ""
        let notes = certificate.notes.map { HTML.element("li", [:], $0) }
        return .element(
            "footer", [:],
            [
                .element("ul", [:], notes),
                .element(
                    "p", [:],
                    "Tests: \(kinds). Duration of each run: \(StressCertificate.length(asked.each_ns))\(soak). Loss limit: \(asked.lost_limit * 100) % of the frames of each track. All measurements are in certificate.json, in the same folder as this page."
                ),
            ])
    }

    private static func section(_ title: String, _ children: [HTML]) -> HTML {
        .element("section", [:], [.element("h2", [:], title)] + children)
    }

    // MARK: Devices

    private var devices: HTML {
        let rows = certificate.devices.map { device in
            let connection = [device.controller, device.megabits.map { "\($0) Mbit/s" }].compactMap { $0 }
            let release = [device.product, device.firmware.map { "release \($0)" }].compactMap { $0 }
            return HTML.element(
                "tr", [:],
                [
                    .element("th", ["scope": "row"], device.role),
                    .element(
                        "td", ["class": "name"],
                        [.text(device.name), .element("small", [:], device.identity)]),
                    .element("td", [:], release.joined(separator: ", ")),
                    .element("td", [:], connection.joined(separator: ", ")),
                    .element(
                        "td", ["class": "wide"], device.formats.suffix(6).reversed().joined(separator: "; ")),
                ])
        }
        return Self.section(
            "Devices",
            [StressTable.table(["Role", "Device", "Product", "Connection", "Largest formats"], rows)])
    }

    // MARK: Camera sets

    private var sets: HTML? {
        guard let sets = certificate.sets else { return nil }
        let matrix = StressSetsMatrix(sets.runs).html
        let leftOut = HTML.element("ul", ["class": "quiet"], sets.left_out.map { .element("li", [:], $0) })
        return Self.section(
            "Camera combinations",
            [matrix, sets.left_out.isEmpty ? nil : leftOut, Self.details(sets.runs)].compactMap { $0 })
    }

    /// Returns a table of all runs with their reasons, collapsed if it has more than 12 rows.
    private static func details(_ runs: [StressCertificate.Run]) -> HTML {
        .element(
            "details", runs.count <= 12 ? ["open": "open"] : [:],
            [
                .element("summary", [:], "All runs (\(runs.count))"),
                StressTable.table(["Run", "Cameras", "Result", "Reason"], runs.map(StressTable.row)),
            ])
    }

    // MARK: Load climb

    private var climb: HTML? {
        guard let climb = certificate.climb, !climb.runs.isEmpty else { return nil }
        var children: [HTML] = []
        if let failure = climb.failure {
            children.append(
                .element(
                    "p", ["class": "callout"],
                    [
                        .element(
                            "b", [:],
                            "Step \(failure.step) failed first (\(failure.change))"
                        ),
                        .text(". Cause: \(failure.cause.words). \(failure.sentence)"),
                    ]))
        }
        children.append(StressLadder(climb.runs).html)
        children.append(Self.details(climb.runs))
        return Self.section("First failure", children)
    }

    // MARK: Soak test

    private var soak: HTML? {
        guard let soak = certificate.soak else { return nil }
        let reasons = soak.reasons.map { HTML.element("p", ["class": "callout"], $0) }
        return Self.section(
            "Soak test", reasons + [StressTable.tracks(soak.tracks)] + StressCharts(soak).html)
    }

    // MARK: Environment

    private var environment: HTML {
        let environment = certificate.environment
        var rows: [(String, String)] = [
            (
                "Temperature",
                environment.temperature.map {
                    "\(Axis.label(($0.lowest * 10).rounded() / 10)) to \(Axis.label(($0.highest * 10).rounded() / 10)) °C"
                } ?? "unknown"
            ), ("Peak system pressure", environment.pressure_peak?.rawValue ?? "unknown"),
            ("Memory", certificate.machine.memory_bytes.map { "\($0 / 1_000_000_000) GB" } ?? "unknown"),
            (
                "USB controllers",
                certificate.machine.controllers.isEmpty
                    ? "none"
                    : certificate.machine.controllers.map { controller in
                        "\(controller.name) \(controller.bus)\(controller.megabits.map { " \($0) Mbit/s" } ?? "")"
                    }.joined(separator: "; ")
            ),
        ]
        rows += environment.missing.map { ("Not available: \($0.source.rawValue)", $0.description) }
        return Self.section(
            "Computer",
            [
                StressTable.table(
                    [],
                    rows.map { name, value in
                        .element(
                            "tr", [:],
                            [
                                .element("th", ["scope": "row"], name),
                                .element("td", ["class": "wide"], value),
                            ])
                    })
            ])
    }
}

/// Builds the tables of a stress report.
enum StressTable {
    /// Builds an HTML table.
    ///
    /// - Parameters:
    ///   - heads: The titles of the columns; empty for a table without a header.
    ///   - rows: The rows of the body.
    ///   - numbers: The indices of the columns that contain numbers, which are right-aligned.
    /// - Returns: A table that scrolls independently on a narrow page.
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

    /// Returns a table row with a run's cameras, result, and reasons.
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

    /// Returns the result of a run as one word.
    static func badge(_ run: StressCertificate.Run) -> HTML {
        switch run.verdict {
        case .held: .element("span", ["class": "badge held"], "passed")
        case .failed: .element("span", ["class": "badge failed"], run.cause?.rawValue ?? "failed")
        case .notRun:
            .element(
                "span", ["class": "badge failed"], "not started\(run.cause.map { ": \($0.rawValue)" } ?? "")")
        }
    }

    /// Returns a table of the losses of each track.
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
        return table(["Track", "Kind", "Captured", "Lost", "Share", "Causes"], rows, numbers: [2, 3, 4])
    }
}

/// The style sheet of a stress report, for screens (dark or light) and for printing.
enum StressStyle {
    /// Returns the color of a series, as a variable of the style sheet.
    static func series(_ index: Int) -> String { "var(--s\(index % 8))" }

    /// Returns the color of a column of losses, as a variable of the style sheet.
    ///
    /// - Parameter name: The raw value of a `LossCause`, or `StressCourse.computerLosses`.
    /// - Returns: The color.
    static func cause(_ name: String) -> String {
        guard let cause = LossCause(rawValue: name) else {
            return name == StressCourse.computerLosses ? "var(--s0)" : "var(--s6)"
        }
        return switch cause {
        case .bus: "var(--s1)"
        case .driver: "var(--s4)"
        case .corrupt: "var(--s3)"
        case .lowLight: "var(--s5)"
        case .disconnected: "var(--s7)"
        case .late, .encoder, .disk, .governor, .reconfigured, .network: "var(--s6)"
        }
    }

    static let ink = "var(--ink)"
    static let faint = "var(--faint)"
    static let good = "var(--good)"
    static let bad = "var(--bad)"

    static let sheet = """
        :root { --paper: #ffffff; --card: #f6f7f9; --ink: #1c2128; --faint: #5d6773; --line: #dfe3e8; --good: #1d7a3d;
          --good-soft: #e3f3e7; --bad: #b3261e; --bad-soft: #fbe9e7; --look: #8a5a00; --look-soft: #fdf1d8;
          --s0: #1f5fa8; --s1: #c2410c; --s2: #2e7d32; --s3: #7e3ba8; --s4: #b58900; --s5: #0f8a8a; --s6: #ad1457; --s7: #6b7280; }
        @media screen and (prefers-color-scheme: dark) { :root { --paper: #12161c; --card: #1b212a; --ink: #e8ebef; --faint: #9aa5b1;
          --line: #303945; --good: #6fd08c; --good-soft: #15321f; --bad: #ff8a80; --bad-soft: #3b1a18; --look: #ffcf70;
          --look-soft: #3a2c0c; --s0: #6cb0ff; --s1: #ff9a5c; --s2: #7bd389; --s3: #c99bf0; --s4: #f0cf5a; --s5: #5fd3d3;
          --s6: #ff8ab8; --s7: #a3adba; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto,
          "Helvetica Neue", sans-serif; }
        main { max-width: 1080px; margin: 0 auto; padding: 28px 24px 60px; }
        header { border-left: 6px solid var(--look); background: var(--look-soft); border-radius: 6px; padding: 20px 26px; }
        header.held { border-color: var(--good); background: var(--good-soft); }
        header.failed { border-color: var(--bad); background: var(--bad-soft); }
        header h1 { margin: 2px 0 6px; font-size: 32px; line-height: 1.15; color: var(--look); }
        header.held h1 { color: var(--good); }
        header.failed h1 { color: var(--bad); }
        .kicker, .meta, small, .quiet, footer, figcaption { color: var(--faint); }
        .kicker { margin: 0; font-size: 13px; letter-spacing: .02em; }
        .lead { margin: 0 0 10px; font-size: 18px; line-height: 1.4; }
        header ul { margin: 0 0 12px; padding-left: 20px; }
        .meta { margin: 0; font-size: 13px; }
        section { margin-top: 38px; }
        h2 { font-size: 20px; margin: 0 0 12px; padding-bottom: 6px; border-bottom: 1px solid var(--line); }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-size: 14px; }
        th, td { text-align: left; vertical-align: top; padding: 7px 14px 7px 0; border-bottom: 1px solid var(--line); }
        thead th { color: var(--faint); font-weight: 600; font-size: 12.5px; white-space: nowrap; }
        tbody th { font-weight: 600; }
        td div { white-space: nowrap; }
        td.wide { min-width: 16em; overflow-wrap: anywhere; }
        td.wide div { white-space: normal; }
        td.name { min-width: 15em; }
        th.number { text-align: right; white-space: normal; }
        td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        small { display: block; font-size: 12px; font-weight: 400; overflow-wrap: anywhere; }
        .badge { display: inline-block; padding: 1px 9px; border-radius: 10px; font-size: 12.5px; font-weight: 600;
          white-space: nowrap; }
        .badge.held { color: var(--good); background: var(--good-soft); }
        .badge.failed { color: var(--bad); background: var(--bad-soft); }
        .callout { background: var(--bad-soft); border-left: 4px solid var(--bad); padding: 10px 16px; border-radius: 4px;
          margin: 0 0 14px; overflow-wrap: anywhere; }
        figure { margin: 18px 0 0; break-inside: avoid; }
        figure svg { width: 100%; height: auto; display: block; }
        figcaption { font-size: 13px; margin-bottom: 4px; }
        figcaption b { color: var(--ink); font-size: 14.5px; margin-right: 8px; }
        .key { white-space: nowrap; margin-left: 12px; }
        .key i { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 5px; }
        details { margin-top: 16px; }
        summary { cursor: pointer; color: var(--faint); font-size: 14px; margin-bottom: 6px; }
        ul.quiet { font-size: 13.5px; padding-left: 20px; }
        footer { margin-top: 44px; font-size: 13px; border-top: 1px solid var(--line); padding-top: 10px; }
        footer ul { padding-left: 20px; }
        @media print { body { font-size: 12px; } main { max-width: none; padding: 0; } header, .badge, .callout, svg {
          print-color-adjust: exact; -webkit-print-color-adjust: exact; } section { margin-top: 24px; } tr { break-inside: avoid; }
          h2 { break-after: avoid; } }
        @page { margin: 16mm; }
        """
}
