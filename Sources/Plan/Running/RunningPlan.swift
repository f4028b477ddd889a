package import Media
internal import Profiles

/// The plan of a running session, and the rules for changing it. Pure.
package struct RunningPlan: Sendable, Equatable {
    /// The plan as changed so far, including the tracks that have ended.
    package var plan: SessionPlan
    /// Cameras that the program can show. H.264 is decoded from the beginning or not at all.
    var showable: Set<String>
    let hasAudio: Bool
    /// The rotation that the file of each track states, by the track's name, where the camera was turned since it began.
    var writtenRotations: [String: Rotation] = [:]
    /// The program before the last change of it; `nil` before the first.
    var lastProgram: ProgramState?
    /// The state of the session's devices, as far as changes depend on it.
    package var devices: RunningDevices
    /// The machine on which changes are priced; `nil` where the session was not planned for one.
    package var budget: RunningBudget?

    /// Creates the plan of a session that begins.
    ///
    /// - Parameters:
    ///   - plan: The plan with which the session began.
    ///   - devices: The state of its devices.
    ///   - budget: The machine on which changes are priced.
    package init(
        _ plan: SessionPlan, devices: RunningDevices = RunningDevices(), budget: RunningBudget? = nil
    ) {
        self.plan = plan
        self.devices = devices
        self.budget = budget
        showable = Set(
            plan.cameras.filter { $0.format.pixel != .h264 || plan.decodes($0.role) }.map(\.role))
        hasAudio = plan.program.map { !$0.mix.isEmpty } ?? false
    }

    /// Changes the plan as a person asks.
    ///
    /// - Parameter change: A change of what the program shows, of its mix, of devices or of their tracks.
    /// - Returns: Orders to devices and files that the change needs.
    /// - Throws: `SessionChangeError` with the reason why it cannot be made; the plan is unchanged then.
    package mutating func apply(_ change: SessionChange) throws(SessionChangeError) -> [DeviceOrder] {
        switch change {
        case .gain(let role, let decibels): try setGain(of: role, decibels)
        case .audible(let role, let isAudible): try setAudible(role, isAudible)
        case .scene(let name): try show(scene: name)
        case .undo: try undo()
        case .enabled(let role, let isEnabled):
            return try isAudio(role) ? try setHeard(role, isEnabled) : try setEnabled(role, isEnabled)
        case .format(let role, let size, let rate): return try reformat(role, size, rate)
        case .recorded(let role, true):
            return try isAudio(role) ? try beginAudio(of: role) : try beginTrack(of: role)
        case .recorded(let role, false):
            return try isAudio(role) ? try endAudio(of: role) : try endTrack(of: role)
        case .removed(let role):
            return try isAudio(role) ? try remove(microphone: role) : try remove(role)
        default: try arrange(change)
        }
        return []
    }

    /// Turns a camera: its preview, and files that begin from now on.
    package mutating func turn(_ role: String, to rotation: Rotation) {
        for index in plan.cameras.indices where plan.cameras[index].role == role {
            plan.cameras[index].rotation = rotation
            plan.cameras[index].preview.rotation = rotation
        }
        for index in plan.cameraTracks.indices where plan.cameraTracks[index].role == role {
            let track = plan.cameraTracks[index]
            if writtenRotations[track.name] == nil { writtenRotations[track.name] = track.rotation }
            plan.cameraTracks[index].rotation = rotation
        }
    }

    /// Range of an inset's width, as a share of the program's width.
    static let insetShares = 0.05...1.0

    // MARK: Frames

    private mutating func arrange(_ change: SessionChange) throws(SessionChangeError) {
        guard var program = plan.program else {
            throw SessionChangeError(
                "this session records no program, so there is no frame to arrange. Record a profile with a `program`."
            )
        }
        var arrangement = program.arrangement
        switch change {
        case .swap(let role): try swap(&arrangement, with: role)
        case .show(let roles): try show(&arrangement, roles)
        case .layout(let layout): lay(&arrangement, layout)
        case .corner(let corner): arrangement.corner = corner
        case .insetShare(let share): try scale(&arrangement, to: share)
        case .inset(let role): try inset(&arrangement, role)
        case .arrange(let several): try arrange(&arrangement, several)
        case .visible(let role, let isVisible): try setVisible(&arrangement, role, isVisible)
        case .rotation(let role, let rotation):
            try check(camera: role)
            arrangement.rotations[role] = rotation
        case .mirrored(let role, let isMirrored):
            try check(camera: role)
            arrangement.mirroring[role] = isMirrored
        case .zoom(let role, let factor):
            guard Zoom.factors.contains(factor) else {
                throw SessionChangeError(
                    "a zoom of \(factor): expected \(Zoom.factors.lowerBound) (all is seen) to \(Zoom.factors.upperBound)."
                )
            }
            try zoom(&arrangement, role) { $0.factor = factor }
        case .pan(let role, let position):
            try move(&arrangement, role, to: position, "pan", Framing.canPan) { $0.pan = position }
        case .tilt(let role, let position):
            try move(&arrangement, role, to: position, "tilt", Framing.canTilt) { $0.tilt = position }
        case .gain, .audible, .enabled, .format, .recorded, .removed, .scene, .undo:
            preconditionFailure("audio, devices, tracks and scenes are not arranged")
        }
        program.arrange(arrangement, cameras: plan.cameras)
        plan.program = program
    }

    func swap(
        _ arrangement: inout ProgramArrangement, with role: String?
    ) throws(SessionChangeError) {
        guard let other = role ?? arrangement.insets.first(where: { !arrangement.hidden.contains($0) }) else {
            throw SessionChangeError(
                "the program shows one camera, so there is none to swap it with: name one of "
                    + "\(list(roles)).")
        }
        try check(camera: other)
        guard other != arrangement.main else {
            throw SessionChangeError("camera \(other) is the main one already.")
        }
        if let place = arrangement.insets.firstIndex(of: other) {
            arrangement.insets[place] = arrangement.main
        }
        arrangement.main = other
        arrangement.hidden.remove(other)
    }

    func show(
        _ arrangement: inout ProgramArrangement, _ roles: [String]
    ) throws(SessionChangeError) {
        guard let main = roles.first else {
            throw SessionChangeError(
                "which cameras are to be shown? Name one or several of \(list(roles)).")
        }
        for role in roles { try check(camera: role) }
        if let twice = roles.first(where: { role in roles.count { $0 == role } > 1 }) {
            throw SessionChangeError("camera \(twice) is named twice: each has one place in the program.")
        }
        arrangement.main = main
        arrangement.insets = Array(roles.dropFirst())
        arrangement.hidden.subtract(roles)
        if roles.count > 1, arrangement.layout == .single { lay(&arrangement, .pip) }
    }

    /// Changes the layout. Where only one camera was shown so far, a layout of several shows all.
    func lay(_ arrangement: inout ProgramArrangement, _ layout: ProgramSettings.Layout) {
        if arrangement.filling == arrangement.layout.usualFilling {
            arrangement.filling = layout.usualFilling
        }
        arrangement.layout = layout
        if arrangement.insets.isEmpty, layout != .single {
            arrangement.insets = roles.filter { $0 != arrangement.main && showable.contains($0) }
        }
    }

    private func setVisible(
        _ arrangement: inout ProgramArrangement, _ role: String, _ isVisible: Bool
    ) throws(SessionChangeError) {
        try check(camera: role)
        if isVisible {
            arrangement.hidden.remove(role)
            if arrangement.main != role, !arrangement.insets.contains(role) {
                arrangement.insets.append(role)
            }
        } else {
            let before = arrangement.shown
            arrangement.hidden.insert(role)
            guard !arrangement.shown.isEmpty || before.isEmpty else {
                throw SessionChangeError(
                    "camera \(role) is the only one that the program shows, and a program shows at least one: show another one first, "
                        + "for example with `unhide`.")
            }
        }
    }

    private func zoom(
        _ arrangement: inout ProgramArrangement, _ role: String, _ change: (inout Zoom) -> Void
    ) throws(SessionChangeError) {
        try check(camera: role)
        guard let camera = plan.cameras.first(where: { $0.role == role }) else { return }
        var zoom = arrangement.framing(of: camera).zoom
        change(&zoom)
        arrangement.zooms[role] = zoom
    }

    private func move(
        _ arrangement: inout ProgramArrangement, _ role: String, to position: Double, _ name: String,
        _ hasRoom: (Framing) -> (FrameSize, Rotation) -> Bool, _ change: (inout Zoom) -> Void
    ) throws(SessionChangeError) {
        guard Zoom.positions.contains(position) else {
            throw SessionChangeError(
                "a \(name) of \(position): expected \(Zoom.positions.lowerBound) to \(Zoom.positions.upperBound)."
            )
        }
        try zoom(&arrangement, role, change)
        guard position != 0, let camera = plan.cameras.first(where: { $0.role == role }) else { return }
        guard
            hasRoom(arrangement.framing(of: camera))(camera.format.size, arrangement.rotation(of: camera))
        else {
            throw SessionChangeError(
                "all of camera \(role)'s frame is seen, so there is nothing to move to. Zoom it first: `zoom \(role) 1.5`."
            )
        }
    }

    /// Roles of the cameras that have not been removed.
    var roles: [String] { plan.cameras.map(\.role).filter { !devices.removed.contains($0) } }

    package func checkPresence(ofCamera role: String) throws(SessionChangeError) {
        guard !roles.contains(role) else { return }
        if isMicrophone(role) {
            throw SessionChangeError("\(role) is a microphone, and this is for cameras: name \(list(roles)).")
        }
        throw SessionChangeError(
            roles.isEmpty
                ? "there is no camera in this session."
                : "there is no camera “\(role.printable())” in this session: it has \(list(roles)).")
    }

    /// Whether a role is a microphone's, and not a camera's.
    ///
    /// - Throws: `SessionChangeError` where it is neither's.
    private func isAudio(_ role: String) throws(SessionChangeError) -> Bool {
        let present =
            roles + plan.microphones.map(\.role).filter { !devices.removed.contains($0) }
        guard !present.contains(role) else { return isMicrophone(role) }
        throw SessionChangeError(
            "there is no camera or microphone “\(role.printable())” in this session: it has \(list(present))."
        )
    }

    func check(camera role: String) throws(SessionChangeError) {
        try checkPresence(ofCamera: role)
        guard showable.contains(role) else {
            throw SessionChangeError(
                "camera \(role) delivers H.264, which is decoded only for what the profile shows or encodes: name it in "
                    + "`program`, or record it as mjpeg.")
        }
    }

    // MARK: Audio

    private mutating func setGain(of role: String, _ decibels: Double) throws(SessionChangeError) {
        let index = try microphone(role)
        guard SceneSettings.gainRange.contains(decibels) else {
            throw SessionChangeError(
                "a gain of \(decibels) dB: expected \(SceneSettings.gainRange.lowerBound) to \(SceneSettings.gainRange.upperBound)."
            )
        }
        plan.microphones[index].gain = decibels
    }

    private mutating func setAudible(_ role: String, _ isAudible: Bool) throws(SessionChangeError) {
        let index = try microphone(role)
        plan.program?.mix.removeAll { $0 == role }
        guard isAudible else { return }
        let earlier = Set(plan.microphones[..<index].map(\.role))
        let place = plan.program?.mix.lastIndex { earlier.contains($0) }.map { $0 + 1 } ?? 0
        plan.program?.mix.insert(role, at: place)
    }

    private func microphone(_ role: String) throws(SessionChangeError) -> Int {
        guard hasAudio else {
            throw SessionChangeError(
                "this session's program has no audio to change. Name microphones in `program.audio.mix` of the profile."
            )
        }
        try checkPresence(ofMicrophone: role)
        guard let index = plan.microphones.firstIndex(where: { $0.role == role }) else {
            preconditionFailure("a microphone that is there is in the plan")
        }
        return index
    }

    func list(_ roles: [String]) -> String { ProfileValue.list(roles) }
}
