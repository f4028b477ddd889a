internal import Media

extension RunningPlan {
    /// The connections as they are now: without removed devices and ended tracks; those of a device that is switched off, of a
    /// hidden camera and of a muted microphone are not enabled.
    package var connections: [PlannedConnection] {
        let ended = devices.endedTracks
        let endedOutputs = Set(
            plan.cameraTracks.map { ($0.name, $0.output) }.filter { ended.contains($0.0) }.map(\.1)
                + plan.microphoneTracks.map { ($0.name, $0.output) }.filter { ended.contains($0.0) }.map(\.1))
        let present = (plan.connections + mutedConnections).filter {
            !devices.removed.contains($0.input) && !endedOutputs.contains($0.output)
        }
        return present.map { connection in
            var connection = connection
            if devices.disabled.contains(connection.input) { connection.isEnabled = false }
            if let track = plan.cameraTracks.first(where: { $0.output == connection.output }),
                let rotation = writtenRotations[track.name]
            {
                connection.rotation = rotation
            }
            return connection
        }
    }

    /// The connections of microphones that the program does not hear, and may hear again.
    private var mutedConnections: [PlannedConnection] {
        guard hasAudio, let program = plan.program else { return [] }
        return plan.microphones.filter { !program.mix.contains($0.role) }.map {
            PlannedConnection(
                input: $0.role, output: SessionPlan.programOwner, isEnabled: false, channels: $0.pick)
        }
    }

    /// Notes that the session runs without files.
    package mutating func dropTracks() { plan = plan.withoutTracks }

    /// Notes that a recording begins: its files state the rotations that the plan has now.
    package mutating func beginFiles() {
        writtenRotations = [:]
        // A new recording tries the hardware encoders again.
        devices.fallen = []
    }

    /// Takes over that x264 encodes a stream, named `program` or by role, since its hardware encoder has failed.
    package mutating func noteFallback(ofStream name: String) { devices.fallen.insert(name) }
}
