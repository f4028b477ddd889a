extension PlanReduction {
    /// Why the plan may not run: one sentence.
    public var refusal: String {
        let why = cost.excess(over: budget.hardwareCost)
        let tried =
            switch (budget.policy, steps.isEmpty) {
            case (.refuse, _): ", and the profile's policy is to refuse rather than to reduce"
            case (.adapt, true): ", and nothing that the profile lets be reduced would lower it"
            case (.adapt, false): ", even after everything that the profile lets be reduced"
            }
        return "over budget: \(why)\(tried).\(guess)"
    }

    /// What a person is told of where the figures come from, where they are not this computer's.
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
    /// For people: what, why, and what it brought.
    public var sentence: String {
        "\(step): \(reason) The cost goes from \(HardwareCost.hundredths(before.total)) to "
            + "\(HardwareCost.hundredths(after.total))."
    }
}
