extension SessionPlan {
    /// Whether the plan writes files: it has a program, or a track of a camera or microphone.
    public var writesAnything: Bool {
        program != nil || !cameraTracks.isEmpty || !microphoneTracks.isEmpty
    }

    /// The plan without tracks: its devices, and the program as it is arranged.
    package var withoutTracks: Self {
        var plan = self
        plan.cameraTracks = []
        plan.microphoneTracks = []
        for index in plan.cameras.indices { plan.cameras[index].metadataFile = nil }
        return plan
    }
}
