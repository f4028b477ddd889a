internal import Media

extension SessionEvent {
    /// Something that was given up before the start, told at T0.
    init(reduced step: ReductionStep) {
        self.init(
            .reduced, at: .zero,
            [
                "step": .string(step.step), "reason": .string(step.reason),
                "before": .number(Manifest.Cost.rounded(step.before.total)),
                "after": .number(Manifest.Cost.rounded(step.after.total)),
            ])
    }
}
