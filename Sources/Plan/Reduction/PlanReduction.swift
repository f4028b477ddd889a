package import MulticamMedia
package import MulticamProfiles

/// A plan reduced to fit its profile's budget before it runs, with the reductions in order and their reasons.
///
/// The reduction takes one step at a time and recomputes the cost after each step. `ReductionRule` defines the
/// reductions that are allowed for each shortage, and `ReductionKind.beforeStart` defines their order. If a USB
/// bus is the scarcest resource and the processors have capacity left, raw frames are replaced by JPEGs of
/// the same size and rate. The next steps are faster encoder presets, smaller frames from cameras that are
/// used only as insets, and a lower decoding quality and frame rate of the program. Other cameras are reduced
/// only if their own processing exceeds the budget: first their frame sizes, from the last camera of the
/// profile to the first, then their frame rates in the same order. A copied track isn't reduced to save
/// processor time. The program's size isn't changed.
///
/// A reduction step is skipped if it doesn't relieve any resource that is over budget, or if it pushes
/// another resource over budget.
public struct PlanReduction: Sendable, Equatable {
    /// The profile's budget: the cost limit, the policy, and the minimum size and rate.
    package let budget: BudgetSettings
    /// The plan as the profile requests it. Latency corrections don't affect the cost, so they may be added
    /// to the plan's devices later.
    package var requestedPlan: SessionPlan
    /// Hardware cost of the plan `requestedPlan`.
    package let requestedCost: HardwareCost
    /// Reductions that were made, in order.
    public let steps: [ReductionStep]
    /// One sentence for each reduction that was considered but not made, with the reason.
    package let skippedReductions: [String]
    /// The plan after all reductions; equal to `requestedPlan` if nothing was reduced.
    public var plan: SessionPlan
    /// Hardware cost of the plan after all reductions.
    public let cost: HardwareCost
    /// If the plan doesn't fit the budget, one sentence for each change that would make it fit, least
    /// intrusive first.
    package let remedies: [String]
    /// Changes that the user can make to avoid some or all reductions; `nil` if the cost wasn't computed from
    /// a machine model.
    package private(set) var fixes: PlanRemedies?
    /// Whether the processor costs were measured on this machine.
    package let isMeasured: Bool

    /// Whether `plan` may run. A resource without cost data never prevents a plan from running.
    public var fits: Bool { cost.total <= budget.hardwareCost }

    /// Reduces a profile's plan to fit its budget, or determines that no reduction is sufficient. With the policy
    /// `refuse`, nothing is reduced.
    ///
    /// - Parameters:
    ///   - profile: The profile, with its budget and the minimum camera size and rate.
    ///   - devices: The devices by role, for every camera and microphone of the profile.
    ///   - machine: The machine that the plan would run on.
    ///   - duration: The length of the recording; `nil` to ignore free disk space.
    /// - Throws: `ProfileError` if the profile can't be compiled for the devices.
    package init(
        of profile: Profile, devices: [String: PlannedDevice], on machine: MachineModel,
        duration: Nanoseconds? = nil
    ) throws(ProfileError) {
        try self.init(
            of: profile, devices: devices, encoders: machine.encoders, duration: duration,
            isMeasured: machine.isMeasured
        ) {
            HardwareCost(of: $0, on: machine, duration: duration)
        }
        fixes = PlanRemedies(
            for: requestedPlan, on: machine, offers: devices.mapValues(\.offers), duration: duration,
            limit: budget.hardwareCost, floors: budget)
    }

    /// Reduces a profile's plan to fit its budget. The function `price` computes costs instead of a machine
    /// model.
    init(
        of profile: Profile, devices: [String: PlannedDevice], encoders: [TriedEncoder] = [],
        duration: Nanoseconds? = nil, isMeasured: Bool = true,
        price: @escaping (SessionPlan) -> HardwareCost
    ) throws(ProfileError) {
        var ladder = try ReductionLadder(
            profile: profile, devices: devices, encoders: encoders, price: price)
        budget = profile.budget
        requestedPlan = ladder.plan
        requestedCost = ladder.cost
        if profile.budget.policy == .adapt { try ladder.descend() }
        steps = ladder.steps
        skippedReductions = ladder.skippedReductions
        plan = ladder.plan
        cost = ladder.cost
        self.isMeasured = isMeasured
        remedies =
            ladder.isOverBudget
            ? BudgetRemedies(
                profile: profile, devices: devices, encoders: encoders, duration: duration, price: price
            ).sentences(for: ladder.cost)
            : []
    }
}

/// One reduction that was made so that a plan fits its budget.
public struct ReductionStep: Sendable, Equatable {
    /// Short description of the change: `face size 1280x720 → 960x540`.
    package let step: String
    /// Sentence that explains the reason for the reduction and for its place in the order.
    package let reason: String
    /// Hardware cost before the reduction.
    package let before: HardwareCost
    /// Hardware cost after the reduction.
    package let after: HardwareCost
}

extension PlanReduction {
    /// Sentence that explains why the plan can't run.
    package var refusal: String {
        if let space = missingSpace {
            return "not enough disk space: \(space.explanation)\(possibleDurationNote)"
        }
        let why = cost.excess(over: budget.hardwareCost)
        let tried =
            switch (budget.policy, steps.isEmpty) {
            case (.refuse, _): ", and the profile's policy is `refuse`"
            case (.adapt, true): ", and no reduction that the profile allows would lower the cost"
            case (.adapt, false): ", even after all reductions that the profile allows"
            }
        return "over budget: \(why)\(tried).\(unmeasuredNote)"
    }

    /// The cost term for disk space if only insufficient disk space prevents the plan from running; otherwise
    /// `nil`.
    package var missingSpace: HardwareCost.Term? {
        let beyond = cost.terms.filter { $0.used > budget.hardwareCost }
        return beyond.count == 1 && beyond[0].resource == HardwareCost.diskSpace ? beyond[0] : nil
    }

    /// Sentence that states how long a recording can be before the disk is full.
    private var possibleDurationNote: String {
        let sentence = remedies.first { $0.hasPrefix(BudgetRemedies.roomPrefix) }
        return sentence.map { " \($0.asSentence)" } ?? ""
    }

    /// Sentence stating that the processor costs weren't measured on this computer; empty if they were
    /// measured or if the processor isn't the limiting factor.
    private var unmeasuredNote: String {
        let isProcessor = cost.terms.contains {
            $0.used > budget.hardwareCost && ($0.resource == "cpu" || $0.resource.hasPrefix("thread:"))
        }
        guard !isMeasured, isProcessor else { return "" }
        return " Processing costs have not been measured on this computer"
            + onCommandLine(
                ". Run `multicam calibrate --machine`; the measured costs may be lower.",
                otherwise: ", and may be lower.")
    }
}

extension ReductionStep {
    /// User-readable sentence with the reduction, the reason, and the change in cost.
    public var sentence: String {
        "\(step): \(reason) The cost changes from \(HardwareCost.hundredths(before.total)) to "
            + "\(HardwareCost.hundredths(after.total))."
    }
}
