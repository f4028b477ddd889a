package import Media

extension SessionPlan {
    /// The plan with x264 in place of hardware encoders for some streams, named `program` or by role.
    package func withoutHardware(for streams: Set<String>) -> Self {
        var plan = self
        if streams.contains(Self.programOwner) { plan.program?.settings.hardware = nil }
        for index in plan.cameraTracks.indices where streams.contains(plan.cameraTracks[index].role) {
            plan.cameraTracks[index].settings.hardware = nil
        }
        return plan
    }

    /// The frame rate of an encoded stream, named `program` or by role; `nil` where the plan does not encode it.
    package func rate(ofStream name: String) -> FrameRate? {
        encoders.first { $0.owner == name }?.settings.rate
    }
}
