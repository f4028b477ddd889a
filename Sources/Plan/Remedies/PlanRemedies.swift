public import Media
public import Profiles

/// The things that would bring down what a plan costs, each tried: a pure function of the plan, the machine and what the cameras
/// offer.
public struct PlanRemedies: Sendable, Equatable {
    /// Those that help by themselves, the cheapest for the person first; of equal ones the one that helps most.
    public let remedies: [Remedy]
    /// Where none of them is enough: several together that are, or that come nearest.
    public let together: Remedy?

    /// A remedy must be seen in the figures that people read.
    private static let leastGain = 0.02
    /// More changes at once nobody makes to get one recording going.
    private static let mostTogether = 4

    /// - Parameters:
    ///   - plan: That costs too much.
    ///   - machine: That it is to run on.
    ///   - offers: What its cameras can do, by role; of a role that is left out no other format is proposed.
    ///   - duration: As of `HardwareCost`.
    ///   - limit: What the plan may cost. Where it costs no more, only moves are proposed that free half of what is scarcest, since
    ///     they cost nothing and leave room.
    ///   - floors: Below which no size and rate is proposed.
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
                        effort: change.effort, action: change.action, before: now,
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
        // One after the other what is cheapest, as long as it helps.
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
                action: actions.map(\.action).joined(separator: ", and "), before: before, after: now)
    }

    /// What differs by less than people read is alike.
    private static func isBetter(_ one: Remedy, _ other: Remedy) -> Bool {
        func figure(_ remedy: Remedy) -> Double { (remedy.after * 100).rounded() }
        return (one.effort, figure(one)) < (other.effort, figure(other))
    }

    /// Equal ones in the order in which they were tried: the last camera of the plan comes first.
    private static func best(_ remedies: [Remedy]) -> [Remedy] {
        remedies.enumerated().sorted { one, other in
            if isBetter(one.element, other.element) { return true }
            return !isBetter(other.element, one.element) && one.offset < other.offset
        }.map(\.element)
    }
}
