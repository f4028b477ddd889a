import MulticamMedia
import MulticamPlan
internal import MulticamProfiles
import MulticamSessionFolder
import MulticamSetup
import MulticamSystem

/// Formats the machine model and hardware costs as text and as JSON.
enum CostText {
    // MARK: Machine model

    /// Returns one line for each kind of work and each hardware encoder, and one line for the disk if its
    /// speed was measured.
    static func lines(_ table: CostTable, _ disk: MeasuredDisk?, _ encoders: [TriedEncoder]) -> [String] {
        let work = WorkKind.allCases.compactMap { kind -> String? in
            guard let plain = table.entry(kind, .plain) else { return nil }
            let detailed = kind.dependsOnDetail ? table.entry(kind, .photographic) : nil
            let figures = [plain, detailed].compactMap { $0 }.map(text).joined(separator: "; photographic ")
            return kind.rawValue.padded(to: 18) + figures
        }
        let writing = disk.map {
            "disk".padded(to: 18)
                + "\(rounded($0.bytesPerSecond / 1e6)) MB/s in \($0.folder.printable(limit: 1000))"
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
        "\(rounded(entry.nanosecondsPerUnit)) ns + \(rounded(entry.nanosecondsPerPiece / 1000)) µs per item"
    }

    // MARK: Plan costs

    /// Formats the cost of a plan as lines of text.
    ///
    /// - Parameters:
    ///   - cost: The cost of the plan.
    ///   - notes: Notes about the computer for which the cost was estimated.
    ///   - limit: The cost that the profile's budget allows.
    /// - Returns: The lines of text. The first line is empty.
    static func lines(_ cost: HardwareCost, notes: [String], limit: Double = 1) -> [String] {
        var words = "hardware cost \(HardwareCost.hundredths(cost.total))"
        if cost.total > limit { words += ", above the budget of \(HardwareCost.hundredths(limit))" }
        if cost.total > 1 { words += " (exceeds this computer's capacity)" }
        var lines = ["", words]
        for term in cost.terms {
            lines.append("  \(term.resource.padded(to: 16)) \(rounded(term.used))  \(term.explanation)")
            guard term.parts.count > 1 else { continue }
            let parts = term.parts.prefix(6).map { "\($0.owner) \(rounded($0.used))" }
            lines.append("                        \(parts.joined(separator: ", "))")
        }
        lines += cost.unknown.map { "  unknown: \($0)" }
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

    /// Formats a value with up to two decimal places.
    static func rounded(_ value: Double) -> String { "\(hundredth(value))" }

    static func hundredth(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}

/// Formats a plan with its cost and reductions as text and as JSON.
enum ReductionText {
    /// Returns lines of text about the requested plan and its cost, the reductions, and the resulting plan.
    /// If the plan doesn't fit the budget, remedies are added.
    ///
    /// - Parameters:
    ///   - reduction: The reduction of the plan.
    ///   - machine: The computer that would run the plan.
    /// - Returns: The lines of text.
    static func lines(_ reduction: PlanReduction, on machine: ThisMachine) -> [String] {
        let limit = reduction.budget.hardwareCost
        var lines = [PlanText.of(reduction.requestedPlan)]
        lines += CostText.lines(reduction.requestedCost, notes: machine.notes, limit: limit)
        lines += RemedyText.lines(reduction.fixes)
        lines += steps(reduction)
        if !reduction.steps.isEmpty {
            lines += ["", "reduced plan"]
            lines += PlanText.devicesAndFiles(of: reduction.plan)
            let news = reduction.plan.notes.filter { !reduction.requestedPlan.notes.contains($0) }
            lines += news.map { "note: \($0.printable(limit: 1000))" }
            lines += CostText.lines(reduction.cost, notes: [], limit: limit)
        }
        lines += disk(reduction.plan, machine.model.disk).map { ["", $0] } ?? []
        if !reduction.remedies.isEmpty {
            lines += ["", "changes that would bring the plan within the budget"]
        }
        return lines + reduction.remedies.map { "  \($0)" }
    }

    private static func steps(_ reduction: PlanReduction) -> [String] {
        var lines: [String] = []
        if !reduction.steps.isEmpty { lines += ["", "reductions, in order"] }
        for (index, step) in reduction.steps.enumerated() {
            lines.append(
                "  \(index + 1). \(step.step): cost \(HardwareCost.hundredths(step.before.total)) → "
                    + HardwareCost.hundredths(step.after.total)
            )
            lines.append("     \(step.reason)")
        }
        if !reduction.skippedReductions.isEmpty { lines += ["", "not reduced"] }
        return lines + reduction.skippedReductions.map { "  \($0)" }
    }

    /// Returns a note if other programs keep the computer busy; otherwise, returns an empty list.
    static func load(_ others: Double?) -> [String] {
        guard let others, ProcessorUse.isBusy(others) else { return [] }
        return [
            "",
            "Other programs use \(Int(rounding: others * 100)) % of the processors. The plan doesn't include them. "
                + "Close other programs before you record.",
        ]
    }

    /// Returns the reasons why `multicam record` would reject the plan; empty if the plan fits the budget.
    static func verdict(_ reduction: PlanReduction) -> [String] {
        reduction.fits
            ? [] : ["", "`multicam record` would refuse this plan (exit status 5): \(reduction.refusal)"]
    }

    private static func disk(_ plan: SessionPlan, _ disk: MachineModel.Disk?) -> String? {
        guard let disk, let time = plan.timeToFill(disk.freeBytes) else { return nil }
        let rate = CostText.rounded(plan.expectedBytesPerSecond / 1e6)
        return
            "disk: \(HardwareCost.megabytes(Double(disk.freeBytes))) free, enough for "
            + "\(time.displayText) at about \(rate) MB/s."
    }

    // MARK: JSON

    /// - Parameters:
    ///   - reduction: The plan and its reductions.
    ///   - machine: The computer for which the cost was estimated.
    ///   - others: The share of all processors that other programs use, from 0 to 1; `nil` if it is unknown.
    /// - Returns: The plan as a JSON object.
    static func json(
        _ reduction: PlanReduction, on machine: ThisMachine, besides others: Double?
    ) -> JSONValue {
        var object = PlanJSON.fields(of: reduction.requestedPlan)
        object["other_programs"] = others.map { .number($0) } ?? .null
        object["other_programs_busy"] = others.map { .boolean(ProcessorUse.isBusy($0)) } ?? .null
        object["cost"] = CostText.json(
            reduction.requestedCost, notes: machine.notes, fixes: RemedyText.json(reduction.fixes))
        object["budget"] = .object([
            "hardware": .number(reduction.budget.hardwareCost),
            "policy": .string(reduction.budget.policy.rawValue),
        ])
        object["reductions"] = .array(
            reduction.steps.map { step in
                .object([
                    "step": .string(step.step), "reason": .string(step.reason),
                    "before": .number(step.before.total), "after": .number(step.after.total),
                ])
            })
        object["skipped_reductions"] = .array(reduction.skippedReductions.map { .string($0) })
        object["fits"] = .boolean(reduction.fits)
        object["remedies"] = .array(reduction.remedies.map { .string($0) })
        if !reduction.fits { object["refusal"] = .string(reduction.refusal) }
        var result = PlanJSON.fields(of: reduction.plan)
        result["cost"] = CostText.json(reduction.cost, notes: [])
        object["result"] = .object(result)
        if let disk = machine.model.disk { object["disk"] = json(reduction.plan, disk) }
        return .object(object)
    }

    private static func json(_ plan: SessionPlan, _ disk: MachineModel.Disk) -> JSONValue {
        .object([
            "minutes": plan.timeToFill(disk.freeBytes).map { .number(CostText.hundredth($0.inSeconds / 60)) }
                ?? .null,
            "free_bytes": .integer(disk.freeBytes),
            "bytes_per_second": .number(plan.expectedBytesPerSecond.rounded()),
            "write_bytes_per_second": disk.bytesPerSecond.map { .number($0.rounded()) } ?? .null,
        ])
    }
}

/// Formats changes that would reduce the cost of a plan as text and as JSON.
enum RemedyText {
    /// Returns one line of text for the most effective remedy of each kind.
    static func lines(_ fixes: PlanRemedies?) -> [String] {
        guard let fixes, !fixes.remedies.isEmpty else { return [] }
        var kinds: Set<Remedy.Effort> = []
        var shown = fixes.remedies.filter { kinds.insert($0.effort).inserted }
        shown += [fixes.combination].compactMap { $0 }
        return ["", "ways to lower the cost, easiest first"]
            + shown.map { "  \($0.sentence.printable(limit: 1000))" }
    }

    /// Returns all remedies as JSON. If no single remedy is sufficient, the last element is a combination of
    /// remedies.
    static func json(_ fixes: PlanRemedies?) -> [JSONValue] {
        guard let fixes else { return [] }
        return (fixes.remedies + [fixes.combination].compactMap { $0 }).map { remedy in
            var fields: [String: JSONValue] = [
                "action": .string(remedy.action.printable(limit: 1000)),
                "effort": .string(remedy.effort.rawValue),
                "before": .number(remedy.before), "after": .number(remedy.after),
                "sentence": .string(remedy.sentence.printable(limit: 1000)),
            ]
            if !remedy.edits.isEmpty { fields["set"] = .object(remedy.edits.mapValues { .string($0) }) }
            return .object(fields)
        }
    }
}
