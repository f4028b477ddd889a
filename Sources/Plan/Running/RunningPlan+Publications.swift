internal import Media

/// Live outputs that come and go while a session runs.
extension RunningPlan {
    /// Takes in a live output that the profile does not name. It costs what one of the profile would.
    ///
    /// - Parameter publication: The output; a virtual camera without frames of its own gets those of its source. One of the same name
    ///   gives way to it.
    package mutating func publish(_ publication: PlannedPublication) {
        var publication = publication
        if publication.kind == .v4l2, publication.frames == nil {
            publication.frames = PlannedPublication.Frames(
                asThoseOf: publication.source, cameras: plan.cameras, program: plan.program)
        }
        unpublish(publication.name)
        plan.publications.append(publication)
    }

    /// Takes out a live output.
    package mutating func unpublish(_ name: String) { plan.publications.removeAll { $0.name == name } }
}
