internal import Media
package import Plan

extension SessionEvent {
    /// Makes the event at T0 that reports a reduction of the plan before the start.
    package init(reduced step: ReductionStep) {
        self.init(
            .reduced, at: .zero,
            [
                "step": .string(step.step), "reason": .string(step.reason),
                "before": .number(Manifest.Cost.rounded(step.before.total)),
                "after": .number(Manifest.Cost.rounded(step.after.total)),
            ])
    }
}
