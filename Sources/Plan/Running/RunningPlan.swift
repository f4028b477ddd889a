package import MulticamMedia
package import MulticamProfiles

/// The plan of a running session, and the rules for changing it.
package struct RunningPlan: Sendable, Equatable {
    /// The session plan after all changes so far. The plan still includes tracks that have ended.
    package var plan: SessionPlan
    /// Roles of the cameras that the program can show. An H.264 camera can be shown only if its stream was
    /// decoded from the start.
    var showable: Set<String>
    let hasAudio: Bool
    /// Rotation stored in the file of each track, by track name, if the camera was rotated after the track started.
    var writtenRotations: [String: Rotation] = [:]
    /// The program before its last change; `nil` before the first change.
    var lastProgram: ProgramState?
    /// The state of the session's devices.
    package var devices: RunningDevices
    /// The machine model and recording length used to estimate the cost of changes; `nil` if the session
    /// wasn't planned for a machine.
    package var budget: RunningBudget?

    /// Creates the running plan of a session that is starting.
    ///
    /// - Parameters:
    ///   - plan: The initial plan of the session.
    ///   - devices: The state of the session's devices.
    ///   - budget: The machine model and recording length used to estimate the cost of changes.
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

    /// Applies a change requested by the user.
    ///
    /// - Parameter change: A change of the program's picture, the program's audio mix, the devices, or the
    ///   tracks.
    /// - Returns: The device commands and file operations that are required to apply the change.
    /// - Throws: `SessionChangeError` with the reason if the change isn't possible. If this method throws,
    ///   the plan is unchanged.
    package mutating func apply(_ change: SessionChange) throws(SessionChangeError) -> [DeviceOperation] {
        switch change {
        case .gain(let role, let decibels): try setGain(of: role, decibels)
        case .processing(let role, let processing): try setProcessing(of: role, processing)
        case .audible(let role, let isAudible): try setAudible(role, isAudible)
        case .scene(let name): try show(scene: name)
        case .undo: try undo()
        case .enabled(let role, let isEnabled):
            return try isAudio(role)
                ? try setMicrophoneEnabled(role, isEnabled) : try setCameraEnabled(role, isEnabled)
        case .format(let role, let size, let rate): return try reformat(role, size, rate)
        case .startTrack(let role):
            return try isAudio(role) ? try startAudio(of: role) : try startTrack(of: role)
        case .stopTrack(let role):
            return try isAudio(role) ? try stopAudio(of: role) : try stopTrack(of: role)
        case .removed(let role):
            return try isAudio(role) ? try remove(microphone: role) : try remove(role)
        case .detection(let role, let kinds): try setDetection(of: role, kinds)
        default: try arrange(change)
        }
        return []
    }

    /// Sets the rotation of a camera for its preview and for files that are started after this call.
    package mutating func rotate(_ role: String, to rotation: Rotation) {
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

    // MARK: Frames

    private mutating func arrange(_ change: SessionChange) throws(SessionChangeError) {
        guard var program = plan.program else {
            throw SessionChangeError(
                .unsupported, "this session does not record a program. Use a profile with a `program`."
            )
        }
        var arrangement = program.arrangement
        switch change {
        case .swap(let role): try swap(&arrangement, with: role)
        case .show(let roles): try show(&arrangement, roles)
        case .layout(let layout): setLayout(&arrangement, layout)
        case .corner(let corner): arrangement.style.corner = corner
        case .scale(let scale): try set(.scale, to: scale, in: &arrangement.style)
        case .inset(let role): try inset(&arrangement, role)
        case .arrange(let several): try arrange(&arrangement, several)
        case .visible(let role, let isVisible): try setVisible(&arrangement, role, isVisible)
        case .rotation(let role, let rotation):
            try check(camera: role)
            arrangement.rotations[role] = rotation
        case .mirrored(let role, let isMirrored):
            try check(camera: role)
            arrangement.mirroring[role] = isMirrored
        case .framing(let role, let mode):
            try check(camera: role)
            arrangement.framings[role] = mode
        case .zoom(let role, let factor):
            guard Zoom.factors.contains(factor) else {
                throw SessionChangeError(
                    .invalid,
                    "invalid zoom factor \(factor): expected a number from \(Zoom.factors.lowerBound) (whole frame) to \(Zoom.factors.upperBound)."
                )
            }
            try zoom(&arrangement, role) { $0.factor = factor }
        case .pan(let role, let position):
            try move(&arrangement, role, to: position, "pan", Framing.canPan) { $0.pan = position }
        case .tilt(let role, let position):
            try move(&arrangement, role, to: position, "tilt", Framing.canTilt) { $0.tilt = position }
        case .gain, .processing, .audible, .enabled, .format, .startTrack, .stopTrack, .removed, .scene,
            .undo, .detection:
            preconditionFailure("`arrange` can't change devices")
        }
        program.arrange(arrangement, cameras: plan.cameras)
        plan.program = program
    }

    func swap(
        _ arrangement: inout ProgramArrangement, with role: String?
    ) throws(SessionChangeError) {
        guard let other = role ?? arrangement.insets.first(where: { !arrangement.hidden.contains($0) }) else {
            throw SessionChangeError(
                .unsupported,
                "the program shows only one camera. Specify the camera to swap with it: \(list(roles)).")
        }
        try check(camera: other)
        guard other != arrangement.main else {
            throw SessionChangeError(.unchanged, "camera \(other) is already the main camera.")
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
                .invalid, "the camera is missing. Specify at least one camera to show: \(list(roles)).")
        }
        for role in roles { try check(camera: role) }
        if let twice = roles.first(where: { role in roles.count { $0 == role } > 1 }) {
            throw SessionChangeError(
                .invalid, "camera \(twice) is listed more than once. List each camera only once.")
        }
        arrangement.main = main
        arrangement.insets = Array(roles.dropFirst())
        arrangement.hidden.subtract(roles)
        if roles.count > 1 { ensureMultiCameraLayout(&arrangement) }
    }

    /// Changes the layout to picture-in-picture if the current layout can show only one camera.
    private func ensureMultiCameraLayout(_ arrangement: inout ProgramArrangement) {
        if arrangement.layout.maximumCameras == 1 { setLayout(&arrangement, .pip) }
    }

    /// Changes the layout. If the previous layout showed only one camera, a layout for several cameras shows
    /// all cameras.
    func setLayout(_ arrangement: inout ProgramArrangement, _ layout: ProgramLayout) {
        if arrangement.style.fit == arrangement.layout.defaultFit {
            arrangement.style.fit = layout.defaultFit
        }
        arrangement.layout = layout
        if arrangement.insets.isEmpty, layout.maximumCameras != 1 {
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
                    .unsupported,
                    "camera \(role) is the only camera in the program. Show another camera first, for example with `unhide`."
                )
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
        // The user takes over from automatic framing.
        if arrangement.framingMode(of: camera) != .off { arrangement.framings[role] = .off }
    }

    /// Switches automatic framing of a camera off if it turns the camera.
    package mutating func endTurning(of role: String) {
        guard var program = plan.program, let camera = plan.cameras.first(where: { $0.role == role }),
            camera.automaticFraming.mover == .camera, program.arrangement.framingMode(of: camera) != .off
        else { return }
        var arrangement = program.arrangement
        arrangement.framings[role] = .off
        program.arrange(arrangement, cameras: plan.cameras)
        plan.program = program
    }

    /// Sets the motion of a camera that is framed automatically.
    ///
    /// - Returns: `false` if automatic framing of the camera is off, so that nothing changes.
    package mutating func setMotion(_ motion: FramingMotion, of role: String) -> Bool {
        guard var program = plan.program, let camera = plan.cameras.first(where: { $0.role == role }),
            program.arrangement.framingMode(of: camera) != .off
        else { return false }
        program.setMotion(motion, of: role, cameras: plan.cameras)
        plan.program = program
        return true
    }

    private mutating func setDetection(
        of role: String, _ kinds: [DetectionKind]
    ) throws(SessionChangeError) {
        try checkPresence(ofCamera: role)
        for index in plan.cameras.indices where plan.cameras[index].role == role {
            plan.cameras[index].detection = kinds
        }
    }

    private func move(
        _ arrangement: inout ProgramArrangement, _ role: String, to position: Double, _ name: String,
        _ hasRoom: (Framing) -> (FrameSize, Rotation) -> Bool, _ change: (inout Zoom) -> Void
    ) throws(SessionChangeError) {
        guard Zoom.positions.contains(position) else {
            throw SessionChangeError(
                .invalid,
                "invalid \(name) position \(position): expected a number from \(Zoom.positions.lowerBound) to \(Zoom.positions.upperBound)."
            )
        }
        try zoom(&arrangement, role, change)
        guard position != 0, let camera = plan.cameras.first(where: { $0.role == role }) else { return }
        guard
            hasRoom(arrangement.framing(of: camera))(camera.format.size, arrangement.rotation(of: camera))
        else {
            throw SessionChangeError(
                .unsupported,
                "camera \(role) shows its whole frame, so it cannot be panned or tilted. Zoom in first: `zoom \(role) 1.5`."
            )
        }
    }

    /// Roles of the cameras that haven't been removed.
    var roles: [String] { plan.cameras.map(\.role).filter { !devices.removed.contains($0) } }

    package func checkPresence(ofCamera role: String) throws(SessionChangeError) {
        guard !roles.contains(role) else { return }
        if isMicrophone(role) {
            throw SessionChangeError(
                .notFound, "\(role) is a microphone. This command needs a camera: \(list(roles)).")
        }
        throw SessionChangeError(
            .notFound,
            roles.isEmpty
                ? "this session does not have a camera."
                : "this session does not have a camera “\(role.printable())”. Choose \(list(roles)).")
    }

    /// Whether a role belongs to a microphone rather than a camera.
    ///
    /// - Throws: `SessionChangeError` if the role belongs to neither a microphone nor a camera.
    private func isAudio(_ role: String) throws(SessionChangeError) -> Bool {
        let present =
            roles + plan.microphones.map(\.role).filter { !devices.removed.contains($0) }
        guard !present.contains(role) else { return isMicrophone(role) }
        throw SessionChangeError(
            .notFound,
            "this session does not have a camera or microphone “\(role.printable())”. Choose \(list(present))."
        )
    }

    func check(camera role: String) throws(SessionChangeError) {
        try checkPresence(ofCamera: role)
        guard showable.contains(role) else {
            throw SessionChangeError(
                .unsupported,
                "camera \(role) delivers H.264 and cannot be shown, because its frames are not decoded. Add the camera to `program` in the profile, or use mjpeg for this camera."
            )
        }
    }

    // MARK: Audio

    private mutating func setGain(of role: String, _ decibels: Double) throws(SessionChangeError) {
        let index = try microphone(role)
        guard SceneSettings.gainRange.contains(decibels) else {
            throw SessionChangeError(
                .invalid,
                "invalid gain \(decibels) dB: expected a value from \(SceneSettings.gainRange.lowerBound) to \(SceneSettings.gainRange.upperBound) dB."
            )
        }
        plan.microphones[index].gain = decibels
    }

    private mutating func setProcessing(
        of role: String, _ processing: SoundProcessing
    ) throws(SessionChangeError) {
        guard role != SessionPlan.programOwner || !hasAudio else {
            plan.program?.mixProcessing = processing
            return
        }
        plan.microphones[try microphone(role)].processing = processing
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
                .unsupported,
                "the program of this session does not have audio. List microphones in `program.audio.mix` of the profile."
            )
        }
        try checkPresence(ofMicrophone: role)
        guard let index = plan.microphones.firstIndex(where: { $0.role == role }) else {
            preconditionFailure("a microphone that is present must be in the plan")
        }
        return index
    }

    func list(_ roles: [String]) -> String { ProfileValue.list(roles) }
}

/// Changes that apply scenes, replace the whole arrangement, or undo the last change.
extension RunningPlan {
    /// Applies a scene: the visible cameras, their positions, and the audio mix if the scene includes one.
    mutating func show(scene name: String) throws(SessionChangeError) {
        let scenes = plan.program?.scenes ?? []
        guard var program = plan.program, let scene = scenes.first(where: { $0.name == name }) else {
            throw Self.unknown(name, among: scenes)
        }
        for role in scene.shown { try check(camera: role) }
        for role in scene.mix ?? [] { try checkPresence(ofMicrophone: role) }
        for role in scene.gains.keys.sorted() { try checkPresence(ofMicrophone: role) }
        program.arrange(program.arrangement.showing(scene), cameras: plan.cameras)
        if let mix = scene.mix, hasAudio {
            program.mix = plan.microphones.map(\.role).filter { mix.contains($0) }
        }
        plan.program = program
        for index in plan.microphones.indices {
            if let gain = scene.gains[plan.microphones[index].role] { plan.microphones[index].gain = gain }
        }
    }

    /// Saves the program's picture and sound as a scene. An existing scene with this name is replaced.
    ///
    /// - Throws: `SessionChangeError` if the scene name is invalid, or if the session doesn't have a program.
    package mutating func saveScene(named name: String) throws(SessionChangeError) -> SceneSettings {
        guard SceneSettings.isValidName(name) else {
            throw SessionChangeError(
                .invalid, "invalid scene name “\(name.printable())”: expected \(SceneSettings.nameRule).")
        }
        guard let scene = plan.scene(named: name, withAudio: hasAudio) else {
            throw SessionChangeError(
                .unsupported,
                "the scene cannot be saved, because this session does not record a program. Use a profile with a `program`."
            )
        }
        save(scene)
        return scene
    }

    /// Deletes a scene. The program's picture doesn't change.
    ///
    /// - Throws: `SessionChangeError` if no scene has this name.
    package mutating func deleteScene(named name: String) throws(SessionChangeError) {
        let scenes = plan.program?.scenes ?? []
        guard scenes.contains(where: { $0.name == name }) else { throw Self.unknown(name, among: scenes) }
        dropScene(named: name)
    }

    /// Removes a scene that the user deleted earlier, if the plan contains it.
    package mutating func dropScene(named name: String) {
        plan.program?.scenes.removeAll { $0.name == name }
    }

    private static func unknown(_ name: String, among scenes: [SceneSettings]) -> SessionChangeError {
        SessionChangeError(
            .notFound,
            scenes.isEmpty
                ? "this session does not have scenes. Define them in `scenes` of the profile, or save the current program with `save-scene NAME`."
                : "this session does not have a scene “\(name.printable())”. Choose \(ProfileValue.list(scenes.map(\.name), nearestTo: name))."
        )
    }

    /// Adds a scene that the user saved earlier.
    package mutating func save(_ scene: SceneSettings) { plan.program?.scenes.save(scene) }

    // MARK: Program arrangement

    func arrange(
        _ arrangement: inout ProgramArrangement, _ change: ArrangementChange
    ) throws(SessionChangeError) {
        if let layout = change.layout { setLayout(&arrangement, layout) }
        if let insets = change.insets {
            let layout = arrangement.layout
            try show(&arrangement, [change.main ?? arrangement.main] + insets)
            // `show` changes the layout if it can't show all cameras. Restore a layout that was requested
            // explicitly.
            if change.layout != nil, arrangement.layout != layout { setLayout(&arrangement, layout) }
        } else if let main = change.main, main != arrangement.main {
            try swap(&arrangement, with: main)
        }
        if let corner = change.style.corner { arrangement.style.corner = corner }
        for number in InsetStyle.Number.allCases {
            if let value = change.style.numbers[number] { try set(number, to: value, in: &arrangement.style) }
        }
    }

    private func set(
        _ number: InsetStyle.Number, to value: Double, in style: inout InsetStyle
    ) throws(SessionChangeError) {
        guard number.range.contains(value) else {
            throw SessionChangeError(
                .invalid,
                "invalid \(number.rawValue) \(number.text(value)): expected \(number.expected).")
        }
        style[number] = value
    }

    /// Shows a camera as the first inset. If the camera was already an inset, the two insets swap positions;
    /// otherwise, the camera replaces the first inset.
    func inset(_ arrangement: inout ProgramArrangement, _ role: String) throws(SessionChangeError) {
        try check(camera: role)
        let first = arrangement.insets.firstIndex { !arrangement.hidden.contains($0) }
        if role == arrangement.main {
            guard first != nil else {
                throw SessionChangeError(
                    .unsupported,
                    "camera \(role) is the main camera, and the program shows no other camera. Use `swap` to choose a new main camera."
                )
            }
            try swap(&arrangement, with: nil)
        } else if let place = arrangement.insets.firstIndex(of: role) {
            if let first, first < place { arrangement.insets.swapAt(first, place) }
        } else if let first {
            arrangement.insets[first] = role
        } else {
            arrangement.insets.insert(role, at: 0)
        }
        arrangement.hidden.remove(role)
        ensureMultiCameraLayout(&arrangement)
    }

    // MARK: Rollback

    /// Stores the state of the program before a change, for `undo`.
    package mutating func storeUndoState(from before: RunningPlan) {
        let was = ProgramState(of: before.plan)
        if let was, was != ProgramState(of: plan) { lastProgram = was }
    }

    /// Restores the program to its state before its last change.
    mutating func undo() throws(SessionChangeError) {
        guard let last = lastProgram, var program = plan.program else {
            throw SessionChangeError(.unchanged, "there is no change to undo.")
        }
        for role in last.arrangement.shown { try check(camera: role) }
        for role in last.mix { try checkPresence(ofMicrophone: role) }
        program.arrange(last.arrangement, cameras: plan.cameras)
        program.mix = last.mix
        program.mixProcessing = last.mixProcessing
        plan.program = program
        for index in plan.microphones.indices {
            let role = plan.microphones[index].role
            if let gain = last.gains[role] { plan.microphones[index].gain = gain }
            if let processing = last.processing[role] { plan.microphones[index].processing = processing }
        }
    }
}

extension RunningPlan {
    /// The session's current connections, without removed devices and ended tracks. Connections of
    /// switched-off devices, hidden cameras, and muted microphones are listed as disabled.
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

    /// Connections of microphones that are muted in the program and can be unmuted.
    private var mutedConnections: [PlannedConnection] {
        guard hasAudio, let program = plan.program else { return [] }
        return plan.microphones.filter { !program.mix.contains($0.role) }.map {
            PlannedConnection(
                input: $0.role, output: SessionPlan.programOwner, isEnabled: false,
                channels: $0.sourceChannels)
        }
    }

    /// Removes all tracks from the plan of a session that doesn't write files.
    package mutating func removeTracks() { plan = plan.withoutTracks }

    /// Prepares the plan for a new recording. The recording's files store the camera rotations that are
    /// current at this time.
    package mutating func prepareForRecording() {
        writtenRotations = [:]
        // A new recording tries the hardware encoders again.
        devices.softwareFallbacks = []
    }

    /// Records that the hardware encoder of a stream (`program` or a role) failed, and that x264 encodes the
    /// stream from now on.
    package mutating func recordFallback(ofStream name: String) { devices.softwareFallbacks.insert(name) }
}

/// Adds and removes live outputs while a session is running.
extension RunningPlan {
    /// Adds a live output that isn't in the profile. Its cost is estimated in the same way as for a live
    /// output in the profile.
    ///
    /// - Parameter liveOutput: The live output. A virtual camera without a frame format uses the size and
    ///   rate of its source. An existing live output with the same name is replaced.
    package mutating func publish(_ liveOutput: PlannedLiveOutput) {
        var liveOutput = liveOutput
        if liveOutput.kind == .v4l2, liveOutput.frames == nil {
            liveOutput.frames = PlannedLiveOutput.Frames(
                asThoseOf: liveOutput.source, cameras: plan.cameras, program: plan.program)
        }
        unpublish(liveOutput.name)
        plan.liveOutputs.append(liveOutput)
    }

    /// Removes the live output with this name, if it exists.
    package mutating func unpublish(_ name: String) { plan.liveOutputs.removeAll { $0.name == name } }
}
