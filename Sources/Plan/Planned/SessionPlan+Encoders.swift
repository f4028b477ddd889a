package import Media

extension SessionPlan {
    /// The same with x264 for some streams, by `program` or role.
    package func withoutHardware(for streams: Set<String>) -> Self {
        var plan = self
        if streams.contains(Self.programOwner) { plan.program?.settings.hardware = nil }
        for index in plan.cameraTracks.indices where streams.contains(plan.cameraTracks[index].role) {
            plan.cameraTracks[index].settings.hardware = nil
        }
        return plan
    }

    /// Of an encoded stream's ticks.
    package func rate(ofStream name: String) -> FrameRate? {
        encoders.first { $0.owner == name }?.settings.rate
    }
}
