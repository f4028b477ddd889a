internal import Media
internal import Profiles

extension PlanReduction {
    /// One sentence that says why the plan may not run.
    public var refusal: String {
        if let space = missingSpace { return "too little disk: \(space.explanation)\(roomForLess)" }
        let why = cost.excess(over: budget.hardwareCost)
        let tried =
            switch (budget.policy, steps.isEmpty) {
            case (.refuse, _): ", and the profile's policy is to refuse rather than to reduce"
            case (.adapt, true): ", and nothing that the profile lets be reduced would lower it"
            case (.adapt, false): ", even after everything that the profile lets be reduced"
            }
        return "over budget: \(why)\(tried).\(guess)"
    }

    /// The room on the disk, where it alone keeps the plan from running; `nil` otherwise.
    public var missingSpace: HardwareCost.Term? {
        let beyond = cost.terms.filter { $0.used > budget.hardwareCost }
        return beyond.count == 1 && beyond[0].resource == HardwareCost.diskSpace ? beyond[0] : nil
    }

    /// A sentence that says for how long the disk has room.
    private var roomForLess: String {
        let sentence = remedies.first { $0.hasPrefix(BudgetRemedies.roomPrefix) }
        return sentence.map { " \($0.asSentence)" } ?? ""
    }

    /// A sentence that says that the processor's figures are not this computer's, where they decide; else empty.
    private var guess: String {
        let isProcessor = cost.terms.contains {
            $0.used > budget.hardwareCost && ($0.resource == "cpu" || $0.resource.hasPrefix("thread:"))
        }
        guard !isMeasured, isProcessor else { return "" }
        return
            " What work costs was not measured on this computer: `multicam calibrate --machine` does it, and the figures may "
            + "turn out lower."
    }
}

extension ReductionStep {
    /// One sentence for people: what was given up, why, and how it changes the cost.
    public var sentence: String {
        "\(step): \(reason) The cost goes from \(HardwareCost.hundredths(before.total)) to "
            + "\(HardwareCost.hundredths(after.total))."
    }
}
