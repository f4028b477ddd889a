internal import Media

/// Changes of microphones and of their tracks.
extension RunningPlan {
    func isMicrophone(_ role: String) -> Bool { plan.microphones.contains { $0.role == role } }

    func checkPresence(ofMicrophone role: String) throws(SessionChangeError) {
        let present = plan.microphones.map(\.role).filter { !devices.removed.contains($0) }
        guard !present.contains(role) else { return }
        throw SessionChangeError(
            present.isEmpty
                ? "there is no microphone in this session."
                : "there is no microphone “\(role.printable())” in this session: it has \(list(present)).")
    }

    mutating func setHeard(_ role: String, _ isHeard: Bool) throws(SessionChangeError) -> [DeviceOrder] {
        try checkPresence(ofMicrophone: role)
        guard devices.disabled.contains(role) == isHeard else {
            throw SessionChangeError("microphone \(role) is \(isHeard ? "on" : "off") already.")
        }
        if isHeard { devices.disabled.remove(role) } else { devices.disabled.insert(role) }
        return [.hear(role: role, isHeard)]
    }

    /// A microphone's track that has not ended.
    private func runningTrack(of role: String) -> PlannedMicrophoneTrack? {
        plan.microphoneTracks.last { $0.role == role && !devices.endedTracks.contains($0.name) }
    }

    mutating func endAudio(of role: String) throws(SessionChangeError) -> [DeviceOrder] {
        try checkPresence(ofMicrophone: role)
        guard let track = runningTrack(of: role) else {
            throw SessionChangeError("microphone \(role) has no track of its own that could be ended.")
        }
        guard track.isWave else {
            throw SessionChangeError(
                "track \(track.name) shares its file with others, which go on: record with `tracks: { files: one-each }` to end one."
            )
        }
        devices.endedTracks.insert(track.name)
        return [.endTrack(name: track.name)]
    }

    mutating func beginAudio(of role: String) throws(SessionChangeError) -> [DeviceOrder] {
        try checkPresence(ofMicrophone: role)
        guard runningTrack(of: role) == nil else {
            throw SessionChangeError(
                "microphone \(role) has a track of its own already. End that first: `end \(role)`.")
        }
        guard plan.microphoneTracks.contains(where: { $0.role == role }) else {
            throw SessionChangeError(
                "microphone \(role) has no track of its own in this profile: name it in `tracks`.")
        }
        let name = nextName(of: role)
        let track = PlannedMicrophoneTrack(name: name, role: role, file: PlannedMicrophoneTrack.wave(name))
        plan.microphoneTracks.append(track)
        return [.beginAudio(track)]
    }

    mutating func remove(microphone role: String) throws(SessionChangeError) -> [DeviceOrder] {
        try checkPresence(ofMicrophone: role)
        var orders: [DeviceOrder] = []
        if runningTrack(of: role) != nil { orders += try endAudio(of: role) }
        plan.program?.mix.removeAll { $0 == role }
        devices.removed.insert(role)
        return orders + [.hear(role: role, false)]
    }

    /// Adds a microphone to the session. The program's audio can have it from then on.
    ///
    /// - Parameters:
    ///   - microphone: The microphone, with a role that no device has had in this recording.
    ///   - track: Its own track; `nil` for none.
    /// - Throws: `SessionChangeError` when the role is or was in use; the plan is unchanged then.
    package mutating func admit(
        _ microphone: PlannedMicrophone, _ track: PlannedMicrophoneTrack?
    ) throws(SessionChangeError) {
        try checkFreedom(of: microphone.role, for: "microphone")
        plan.microphones.append(microphone)
        if let track { plan.microphoneTracks.append(track) }
    }
}
