public import Media
public import Profiles

/// A plan brought within its profile's budget before it runs: what is given up, in which order and why. Pure.
///
/// One step at a time, and the cost is reckoned anew after each. `ReliefRule` says what may be given up for which shortage, and
/// `Concession.beforeStart` in which order: where a USB bus is the scarcest and the processors are not, raw frames become JPEGs of the same
/// size and rate; then encoders' presets; the size of a camera that is only an inset; the program's decoding and rate. Cameras follow only
/// where their own work is too much: sizes from the last camera of the profile to the first, then rates in the same order. What is
/// copied gives nothing for the processor's sake. The program's size stays.
///
/// A step that would lower nothing that is above the budget is not made, nor one that lifts something else above it.
public struct PlanReduction: Sendable, Equatable {
    public let budget: BudgetSettings
    /// As the profile asks for it. Corrections of its devices' times may be put in later: they cost nothing.
    public var asked: SessionPlan
    public let askedCost: HardwareCost
    /// What was given up, in order.
    public let steps: [ReductionStep]
    /// What was looked at and left as it is, each with the reason: one sentence each.
    public let passedOver: [String]
    /// As it would run: `asked` where nothing was given up.
    public var plan: SessionPlan
    public let cost: HardwareCost
    /// What would make it fit, where it does not: one sentence each, the gentlest first.
    public let remedies: [String]
    /// What a person could do so that nothing, or less, had to be given up; nothing where no machine model tells.
    public private(set) var fixes: PlanRemedies?
    /// Whether the processor's part is reckoned with figures of this very machine.
    public let isMeasured: Bool

    /// Whether `plan` may run. What nothing is known of never stands in its way.
    public var fits: Bool { cost.total <= budget.hardwareCost }

    /// Brings a profile's plan within its budget, or finds that nothing helps. With the policy `refuse` nothing is given up.
    ///
    /// - Parameters:
    ///   - profile: With the budget and the floors.
    ///   - devices: By role, for every camera and microphone of the profile.
    ///   - machine: That it would run on.
    ///   - duration: How long; `nil` leaves the disk's room out of account.
    /// - Throws: What is wrong with the profile.
    public init(
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
            for: asked, on: machine, offers: devices.mapValues(\.offers), duration: duration,
            limit: budget.hardwareCost, floors: budget)
    }

    /// The same for a cost that something else than a machine model tells.
    init(
        of profile: Profile, devices: [String: PlannedDevice], encoders: [TriedEncoder] = [],
        duration: Nanoseconds? = nil, isMeasured: Bool = true,
        price: @escaping (SessionPlan) -> HardwareCost
    ) throws(ProfileError) {
        var ladder = try ReductionLadder(
            profile: profile, devices: devices, encoders: encoders, price: price)
        budget = profile.budget
        asked = ladder.plan
        askedCost = ladder.cost
        if profile.budget.policy == .adapt { try ladder.descend() }
        steps = ladder.steps
        passedOver = ladder.passedOver
        plan = ladder.plan
        cost = ladder.cost
        self.isMeasured = isMeasured
        remedies =
            ladder.isOver
            ? BudgetRemedies(
                profile: profile, devices: devices, encoders: encoders, duration: duration, price: price
            ).sentences(for: ladder.cost)
            : []
    }
}
