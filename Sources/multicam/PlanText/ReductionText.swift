import Media
import Plan
internal import Profiles
import SessionFolder
import Setup

/// A plan with its cost and its reductions, for people and as JSON.
enum ReductionText {
    /// The plan as asked and its cost, what is given up, the plan that would run, and remedies when it does not fit.
    ///
    /// - Parameters:
    ///   - reduction: The reduction of the plan.
    ///   - machine: The computer that it is computed for.
    /// - Returns: The lines, for people.
    static func lines(_ reduction: PlanReduction, on machine: ThisMachine) -> [String] {
        let limit = reduction.budget.hardwareCost
        var lines = [PlanText.of(reduction.asked)]
        lines += CostText.lines(reduction.askedCost, notes: machine.notes, limit: limit)
        lines += RemedyText.lines(reduction.fixes)
        lines += steps(reduction)
        if !reduction.steps.isEmpty {
            lines += ["", "as it would run"]
            lines += PlanText.devicesAndFiles(of: reduction.plan)
            let news = reduction.plan.notes.filter { !reduction.asked.notes.contains($0) }
            lines += news.map { "note: \($0.printable(limit: 1000))" }
            lines += CostText.lines(reduction.cost, notes: [], limit: limit)
        }
        lines += disk(reduction.plan, machine.model.disk).map { ["", $0] } ?? []
        if !reduction.remedies.isEmpty { lines += ["", "what would make it fit"] }
        return lines + reduction.remedies.map { "  \($0)" }
    }

    private static func steps(_ reduction: PlanReduction) -> [String] {
        var lines: [String] = []
        if !reduction.steps.isEmpty { lines += ["", "what is given up to fit, in order"] }
        for (index, step) in reduction.steps.enumerated() {
            lines.append(
                "  \(index + 1). \(step.step): cost \(HardwareCost.hundredths(step.before.total)) → "
                    + HardwareCost.hundredths(step.after.total)
            )
            lines.append("     \(step.reason)")
        }
        if !reduction.passedOver.isEmpty { lines += ["", "what stays as it is"] }
        return lines + reduction.passedOver.map { "  \($0)" }
    }

    /// Why `multicam record` would refuse the plan; empty when it fits.
    static func verdict(_ reduction: PlanReduction) -> [String] {
        reduction.fits ? [] : ["", "`multicam record` would refuse (exit status 5): \(reduction.refusal)"]
    }

    private static func disk(_ plan: SessionPlan, _ disk: MachineModel.Disk?) -> String? {
        guard let disk, let time = plan.timeToFill(disk.freeBytes) else { return nil }
        let rate = CostText.rounded(plan.expectedBytesPerSecond / 1e6)
        return
            "disk: the \(HardwareCost.megabytes(Double(disk.freeBytes))) that are free last for "
            + "\(time.words), at about \(rate) MB a second."
    }

    // MARK: JSON

    static func json(_ reduction: PlanReduction, on machine: ThisMachine) -> JSONValue {
        var object = PlanJSON.fields(of: reduction.asked)
        object["cost"] = CostText.json(
            reduction.askedCost, notes: machine.notes, fixes: RemedyText.json(reduction.fixes))
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
        object["passed_over"] = .array(reduction.passedOver.map { .string($0) })
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
