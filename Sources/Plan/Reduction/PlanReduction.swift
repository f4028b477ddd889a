public import Media
public import Profiles

/// A plan that was brought within its profile's budget before it runs, with all that is given up, in order, and why. Pure.
///
/// The reduction takes one step at a time, and reckons the cost anew after each. `ReliefRule` says what may be given up for
/// which shortage, and `Concession.beforeStart` in which order. Where a USB bus is the scarcest resource and the processors
/// have room, raw frames become JPEGs of the same size and rate. Then come encoders' presets; the size of a camera that is
/// only an inset; the program's decoding and rate. Cameras follow only where their own work is too much: sizes from the last
/// camera of the profile to the first, then rates in the same order. A copied track gives nothing for the processor's sake.
/// The program's size stays.
///
/// A step is not taken if it lowers nothing that is above the budget, or lifts something else above it.
public struct PlanReduction: Sendable, Equatable {
    /// The profile's budget: the limit, the policy and the floors.
    public let budget: BudgetSettings
    /// The plan as the profile asks for it. Corrections of its devices' times may be put in later: they cost nothing.
    public var asked: SessionPlan
    /// The cost of `asked`.
    public let askedCost: HardwareCost
    /// The reductions that were made, in order.
    public let steps: [ReductionStep]
    /// One sentence for each thing that was considered and left as it is, with the reason.
    public let passedOver: [String]
    /// The plan as it would run: `asked` where nothing was given up.
    public var plan: SessionPlan
    /// The cost of `plan`.
    public let cost: HardwareCost
    /// One sentence for each change that would make the plan fit where it does not, the gentlest first.
    public let remedies: [String]
    /// Changes by a person that would spare some or all reductions; `nil` where the cost does not come from a machine model.
    public private(set) var fixes: PlanRemedies?
    /// Whether the processor's figures were measured on this machine.
    public let isMeasured: Bool

    /// Whether `plan` may run. Resources of which nothing is known never stand in its way.
    public var fits: Bool { cost.total <= budget.hardwareCost }

    /// Brings a profile's plan within its budget, or finds that nothing helps. Under the policy `refuse` nothing is given up.
    ///
    /// - Parameters:
    ///   - profile: The profile, with the budget and the floors.
    ///   - devices: The devices by role, for every camera and microphone of the profile.
    ///   - machine: The machine that the plan would run on.
    ///   - duration: The length of the recording; `nil` leaves the room on the disk out of account.
    /// - Throws: `ProfileError` when the profile cannot be compiled for the devices.
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

    /// Brings a profile's plan within its budget by costs that `price` tells in place of a machine model.
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
