package import Plan

extension Manifest.Cost {
    /// What is known before the start; `nil` where nobody reckoned.
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

    /// More digits than are known of anything; a resource that there is nothing of is a large number, as JSON has no infinity.
    static func rounded(_ value: Double) -> Double {
        Manifest.Clock.rounded(min(value, 1e9), 10_000)
    }
}
