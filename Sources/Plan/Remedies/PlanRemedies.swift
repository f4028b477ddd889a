public import Media
public import Profiles

/// The changes that would lower the cost of a plan, each tried: a pure function of the plan, the machine and the cameras'
/// offers.
public struct PlanRemedies: Sendable, Equatable {
    /// The changes that help by themselves, the cheapest for the person first; of equal ones the one that helps most.
    public let remedies: [Remedy]
    /// Several changes together that are enough, or come nearest, where no single one is enough; `nil` otherwise.
    public let together: Remedy?

    /// The least gain in cost that a remedy must bring, so that people see it in the figures.
    private static let leastGain = 0.02
    /// The largest number of changes that are proposed together: nobody makes more to get one recording going.
    private static let mostTogether = 4

    /// Tries changes of a plan and its machine.
    ///
    /// - Parameters:
    ///   - plan: The plan, which may cost too much.
    ///   - machine: The machine that it is to run on.
    ///   - offers: The formats that its cameras offer, by role; for a role that is left out no other format is proposed.
    ///   - duration: The length of the recording; `nil` leaves the room on the disk out of account.
    ///   - limit: The cost that the plan may have. Where it costs no more, only moves to other sockets are proposed that free
    ///     half of the scarcest resource, since they cost nothing and leave room.
    ///   - floors: The size and rate below which nothing is proposed.
    public init(
        for plan: SessionPlan, on machine: MachineModel, offers: [String: PlannedDevice.Offers] = [:],
        duration: Nanoseconds? = nil, limit: Double = 1, floors: BudgetSettings = BudgetSettings()
    ) {
        let search = RemedySearch(offers: offers, floors: floors)
        func cost(_ state: RemedySearch.State) -> Double {
            HardwareCost(of: state.plan, on: state.machine, duration: duration).total
        }
        let start = RemedySearch.State(plan: plan, machine: machine)
        let before = cost(start)
        func tried(_ state: RemedySearch.State, from now: Double) -> [(Remedy, RemedySearch.State)] {
            search.changes(of: state).map { change in
                (
                    Remedy(
                        effort: change.effort, action: change.action, edits: change.edits, before: now,
                        after: cost(change.state)),
                    change.state
                )
            }.filter { $0.0.after <= now - Self.leastGain }
        }
        let singles = tried(start, from: before).map(\.0)
        guard before > limit else {
            remedies = Self.best(singles.filter { $0.effort == .move && $0.after <= before / 2 })
            together = nil
            return
        }
        remedies = Self.best(singles)
        guard !singles.isEmpty, singles.allSatisfy({ $0.after > limit }) else {
            together = nil
            return
        }
        // Adds the cheapest change, one after the other, as long as it helps.
        var (state, now, actions) = (start, before, [Remedy]())
        while now > limit, actions.count < Self.mostTogether {
            // The first of equal ones.
            let next = tried(state, from: now).min { Self.isBetter($0.0, $1.0) }
            guard let next else { break }
            actions.append(next.0)
            (state, now) = (next.1, next.0.after)
        }
        together =
            actions.count < 2
            ? nil
            : Remedy(
                effort: actions.map(\.effort).max() ?? .rate,
                action: actions.map(\.action).joined(separator: ", and "),
                edits: actions.contains(where: \.edits.isEmpty)
                    ? [:] : actions.reduce(into: [:]) { edits, action in edits.merge(action.edits) { $1 } },
                before: before, after: now)
    }

    /// Whether a remedy is to be listed before another. Costs that look alike to people are alike.
    private static func isBetter(_ one: Remedy, _ other: Remedy) -> Bool {
        func figure(_ remedy: Remedy) -> Double { (remedy.after * 100).rounded() }
        return (one.effort, figure(one)) < (other.effort, figure(other))
    }

    /// The remedies in order; equal ones stay in the order in which they were tried: the last camera of the plan comes first.
    private static func best(_ remedies: [Remedy]) -> [Remedy] {
        remedies.enumerated().sorted { one, other in
            if isBetter(one.element, other.element) { return true }
            return !isBetter(other.element, one.element) && one.offset < other.offset
        }.map(\.element)
    }
}
