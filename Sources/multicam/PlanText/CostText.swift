import Media
import Plan
import SessionFolder
import Setup

/// Costs, for people and as JSON.
enum CostText {
    // MARK: The machine

    /// One line for each kind of work, one for the disk if it was measured, and one for each hardware encoder.
    static func lines(_ table: CostTable, _ disk: MeasuredDisk?, _ encoders: [TriedEncoder]) -> [String] {
        let work = WorkKind.allCases.compactMap { kind -> String? in
            guard let plain = table.entry(kind, .plain) else { return nil }
            let detailed = kind.dependsOnDetail ? table.entry(kind, .photographic) : nil
            let figures = [plain, detailed].compactMap { $0 }.map(text).joined(separator: "; photographic ")
            return kind.rawValue.padded(to: 18) + figures
        }
        let writing = disk.map {
            "disk".padded(to: 18)
                + "\(rounded($0.bytesPerSecond / 1e6)) MB a second in \($0.folder.printable(limit: 1000))"
        }
        return work + [writing].compactMap { $0 } + encoders.map { "encoder".padded(to: 18) + $0.sentence }
    }

    static func json(_ table: CostTable, _ disk: MeasuredDisk?, _ encoders: [TriedEncoder]) -> String {
        var object: [String: JSONValue] = [:]
        for (name, entries) in [("plain", table.plain), ("photographic", table.photographic)] {
            object[name] = .object(
                Dictionary(
                    uniqueKeysWithValues: entries.map { kind, entry in
                        (
                            kind.rawValue,
                            .object([
                                "ns_per_piece": .number(entry.nanosecondsPerPiece),
                                "ns_per_unit": .number(entry.nanosecondsPerUnit),
                            ])
                        )
                    }))
        }
        object["disk"] =
            disk.map {
                .object([
                    "folder": .string($0.folder.printable(limit: 4096)),
                    "write_bytes_per_second": .number($0.bytesPerSecond.rounded()),
                ])
            } ?? .null
        object["encoders"] = .array(encoders.map(json))
        return JSONText.line(JSONValue.object(object))
    }

    private static func json(_ tried: TriedEncoder) -> JSONValue {
        var object: [String: JSONValue] = [
            "name": .string(tried.encoder.library.printable()),
            "device": .string(tried.encoder.node.printable()),
            "card": .string(tried.encoder.device.printable()),
            "driver": .string(tried.encoder.driver.printable()),
        ]
        switch tried.outcome {
        case .fails(let reason):
            object["works"] = .boolean(false)
            object["reason"] = .string(reason.printable(limit: 1000))
        case .works(let figures):
            object["works"] = .boolean(true)
            object["sizes"] = .array(figures.sizes.map { .string($0.description) })
            object["pixels_per_second"] = .number(figures.pixelsPerSecond.rounded())
            object["streams"] = .integer(Int64(figures.streams))
            object["lowest_psnr_db"] = .number(hundredth(figures.lowestPSNR))
            object["processor"] = .object([
                "ns_per_piece": .number(figures.processor.nanosecondsPerPiece),
                "ns_per_unit": .number(figures.processor.nanosecondsPerUnit),
            ])
        }
        return .object(object)
    }

    private static func text(_ entry: CostTable.Entry) -> String {
        "\(rounded(entry.nanosecondsPerUnit)) ns + \(rounded(entry.nanosecondsPerPiece / 1000)) µs a piece"
    }

    // MARK: A plan

    /// The lines about a plan's cost.
    ///
    /// - Parameters:
    ///   - cost: The cost of the plan.
    ///   - notes: Notes on the machine that the cost is computed for.
    ///   - limit: The cost that the profile's budget allows.
    /// - Returns: The lines, an empty one first.
    static func lines(_ cost: HardwareCost, notes: [String], limit: Double = 1) -> [String] {
        var words = "hardware cost \(HardwareCost.hundredths(cost.total))"
        if cost.total > limit { words += ", above the budget of \(HardwareCost.hundredths(limit))" }
        if cost.total > 1 { words += ": more than this computer has" }
        var lines = ["", words]
        for term in cost.terms {
            lines.append("  \(term.resource.padded(to: 16)) \(rounded(term.used))  \(term.explanation)")
            guard term.parts.count > 1 else { continue }
            let parts = term.parts.prefix(6).map { "\($0.owner) \(rounded($0.used))" }
            lines.append("                        \(parts.joined(separator: ", "))")
        }
        lines += cost.unknown.map { "  not known: \($0)" }
        return lines + notes.map { "  note: \($0.printable(limit: 1000))" }
    }

    static func json(_ cost: HardwareCost, notes: [String], fixes: [JSONValue] = []) -> JSONValue {
        .object([
            "fixes": .array(fixes),
            "hardware": .number(cost.total),
            "terms": .array(
                cost.terms.map { term in
                    .object([
                        "resource": .string(term.resource), "used": .number(term.used),
                        "explanation": .string(term.explanation),
                        "parts": .array(
                            term.parts.map {
                                .object(["owner": .string($0.owner), "used": .number($0.used)])
                            }),
                    ])
                }),
            "unknown": .array(cost.unknown.map { .string($0) }),
            "notes": .array(notes.map { .string($0.printable(limit: 1000)) }),
        ])
    }

    /// The value with two decimal places.
    static func rounded(_ value: Double) -> String { "\(hundredth(value))" }

    static func hundredth(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
