internal import Media
package import Plan

extension SessionEvent {
    /// Something that was given up before the start, told at T0.
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
