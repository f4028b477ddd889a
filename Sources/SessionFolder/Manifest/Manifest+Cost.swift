package import Plan

extension Manifest.Cost {
    /// Takes the predicted cost of a plan before the start; `nil` where no cost was computed.
    package init?(_ reduction: PlanReduction?) {
        guard let reduction else { return nil }
        hardware = Self.rounded(reduction.cost.total)
        terms = reduction.cost.terms.map { term in
            Manifest.CostTerm(
                resource: term.resource, used: Self.rounded(term.used), explanation: term.explanation,
                parts: term.parts.map { Manifest.CostPart(owner: $0.owner, used: Self.rounded($0.used)) })
        }
        unknown = reduction.cost.unknown
        reductions = reduction.steps.map {
            Manifest.Reduction(
                step: $0.step, reason: $0.reason, before: Self.rounded($0.before.total),
                after: Self.rounded($0.after.total))
        }
    }

    /// Rounds a cost to 0.0001, which is more than is known of any, and limits it to 10⁹: a resource of which there is none
    /// costs infinitely much, and JSON has no infinity.
    static func rounded(_ value: Double) -> Double {
        Manifest.Clock.rounded(min(value, 1e9), 10_000)
    }
}
