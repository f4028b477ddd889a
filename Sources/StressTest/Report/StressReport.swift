internal import Media
internal import Monitoring
internal import Plots

/// Renders a certificate for people as `report.html`: one file without network access or scripts, for screens, dark or light, and
/// for paper.
public struct StressReport {
    private let certificate: StressCertificate

    /// Creates the report of a certificate.
    public init(_ certificate: StressCertificate) {
        self.certificate = certificate
    }

    /// The whole HTML file.
    public var document: String {
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

    // MARK: Head and foot

    private var header: HTML {
        let (word, style): (String, String) =
            switch certificate.verdict {
            case .held: ("Held", "held")
            case .failed, .notRun: ("Did not hold", "failed")
            case nil: ("Not known", "unknown")
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
        let soak = asked.soak_ns.map { ", the soak \(StressCertificate.length($0))" } ?? ""
        let notes = certificate.notes.map { HTML.element("li", [:], $0) }
        return .element(
            "footer", [:],
            [
                .element("ul", [:], notes),
                .element(
                    "p", [:],
                    "Asked: \(kinds); each run \(StressCertificate.length(asked.each_ns))\(soak); tracks may lose "
                        + "\(asked.lost_limit * 100) % of their frames. All figures are in certificate.json beside this page."
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

    // MARK: Sets

    private var sets: HTML? {
        guard let sets = certificate.sets else { return nil }
        let matrix = StressSetsMatrix(sets.runs).html
        let leftOut = HTML.element("ul", ["class": "quiet"], sets.left_out.map { .element("li", [:], $0) })
        return Self.section(
            "Which cameras run together",
            [matrix, sets.left_out.isEmpty ? nil : leftOut, Self.details(sets.runs)].compactMap { $0 })
    }

    /// A table of every run with its reasons, folded when it has more than 12 rows.
    private static func details(_ runs: [StressCertificate.Run]) -> HTML {
        .element(
            "details", runs.count <= 12 ? ["open": "open"] : [:],
            [
                .element("summary", [:], "Every run (\(runs.count))"),
                StressTable.table(["Run", "Cameras", "Result", "Why"], runs.map(StressTable.row)),
            ])
    }

    // MARK: Climb

    private var climb: HTML? {
        guard let climb = certificate.climb, !climb.runs.isEmpty else { return nil }
        var children: [HTML] = []
        if let gave = climb.gave {
            children.append(
                .element(
                    "p", ["class": "callout"],
                    [
                        .element(
                            "b", [:],
                            "\(gave.cause.words.prefix(1).uppercased())\(gave.cause.words.dropFirst()) gave first"
                        ),
                        .text(" at step \(gave.step), \(gave.change). \(gave.sentence)"),
                    ]))
        }
        children.append(StressLadder(climb.runs).html)
        children.append(Self.details(climb.runs))
        return Self.section("What gives first", children)
    }

    // MARK: Soak

    private var soak: HTML? {
        guard let soak = certificate.soak else { return nil }
        let reasons = soak.reasons.map { HTML.element("p", ["class": "callout"], $0) }
        return Self.section(
            "Soak", reasons + [StressTable.tracks(soak.tracks)] + StressCharts(soak).html)
    }

    // MARK: Environment

    private var environment: HTML {
        let environment = certificate.environment
        var rows: [(String, String)] = [
            (
                "Temperature",
                environment.temperature.map {
                    "\(Axis.label(($0.lowest * 10).rounded() / 10)) to \(Axis.label(($0.highest * 10).rounded() / 10)) °C"
                } ?? "not known"
            ), ("Highest system pressure", environment.pressure_peak?.rawValue ?? "not known"),
            ("Memory", certificate.machine.memory_bytes.map { "\($0 / 1_000_000_000) GB" } ?? "not known"),
            (
                "USB controllers",
                certificate.machine.controllers.isEmpty
                    ? "none"
                    : certificate.machine.controllers.map { controller in
                        "\(controller.name) \(controller.bus)\(controller.megabits.map { " \($0) Mbit/s" } ?? "")"
                    }.joined(separator: "; ")
            ),
        ]
        rows += environment.missing.map { ("Not told: \($0.source.rawValue)", $0.description) }
        return Self.section(
            "The computer",
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
