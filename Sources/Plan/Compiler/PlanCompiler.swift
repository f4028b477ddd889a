internal import Media
internal import Profiles

/// The compiler of a profile and its devices into a plan, role by role.
struct PlanCompiler {
    var profile: Profile
    private let devices: [String: PlannedDevice]
    /// Formats by role that replace those that the profile's wishes lead to.
    let lowered: [String: CameraFormatChoice]
    var notes: [String] = []
    var choices: [String: CameraFormatChoice] = [:]
    let encoders: [TriedEncoder]
    var assignment: EncoderAssignment

    init(
        profile: Profile, devices: [String: PlannedDevice], encoders: [TriedEncoder] = [],
        lowered: [String: CameraFormatChoice] = [:]
    ) {
        self.profile = profile
        self.devices = devices
        self.encoders = encoders
        assignment = EncoderAssignment(encoders)
        self.lowered = lowered
    }

    /// Compiles the plan.
    mutating func plan() throws(ProfileError) -> SessionPlan {
        try checkNodes()
        var formats = MatchedFormats(profile, devices)
        profile.cameras = formats.cameras
        notes += formats.takeNotes()
        var cameras: [PlannedCamera] = []
        for camera in profile.cameras where isUsed(camera.role) { cameras.append(try planned(camera)) }
        var microphones: [PlannedMicrophone] = []
        for microphone in profile.microphones where isUsed(microphone.role) {
            microphones.append(try planned(microphone))
        }
        var program = try profile.program.map { program throws(ProfileError) in
            try planned(program, cameras: cameras)
        }
        if let settings = program?.settings, let video = profile.program?.video {
            program?.settings = try encoded(
                settings, SessionPlan.programOwner, video, field: "program.video.encoder")
        }
        var cameraTracks: [PlannedCameraTrack] = []
        for camera in cameras {
            guard var track = try track(of: camera) else { continue }
            if track.mode == .encode {
                track.settings = try encoded(
                    track.settings, track.role, profile.tracks.video, field: "tracks.video.encoder")
            }
            cameraTracks.append(track)
        }
        let microphoneTracks = profile.tracks.microphones == .none ? [] : microphones.map { track(of: $0) }
        for role in profile.cameras.map(\.role) + profile.microphones.map(\.role) where !isUsed(role) {
            notes.append("\(role): nothing is made of it, so it is not opened.")
        }
        let live = try publications(cameras: cameras, program: program)
        var plan = SessionPlan(
            profile: profile.name, cameras: cameras, microphones: microphones, program: program,
            cameraTracks: cameraTracks, microphoneTracks: microphoneTracks,
            limits: profile.limits, budget: profile.budget, notes: notes)
        plan.publications = live
        if profile.editing != EditingSettings() { plan.editing = profile.editing }
        return plan
    }

    /// Whether a device is opened: something is made of it, or nothing is made of any device, so that all are there to be
    /// looked at and listened to.
    private func isUsed(_ role: String) -> Bool {
        guard profile.writesAnything else { return true }
        let program = profile.program.map { $0.shown + $0.audio.mix } ?? []
        if profile.publications.contains(where: { $0.source == role }) { return true }
        if program.contains(role) || profile.scenes.contains(where: { $0.shown.contains(role) }) {
            return true
        }
        if profile.scenes.contains(where: { $0.mix?.contains(role) ?? false }) { return true }
        return profile.cameras.contains { $0.role == role }
            ? profile.tracks.cameras != .none : profile.tracks.microphones != .none
    }

    // MARK: Devices

    private func device(
        _ role: String, _ field: String, _ mediaType: CaptureDevice.MediaType
    ) throws(ProfileError) -> PlannedDevice {
        let kind = mediaType == .video ? "camera" : "microphone"
        guard let device = devices[role] else {
            throw profile.source.error(at: "\(field).device", found: "no device", expected: "a \(kind)")
        }
        guard device.device.mediaType == mediaType else {
            throw profile.source.error(
                at: "\(field).device", found: "“\(device.selector)”, which is no \(kind)",
                expected: "a \(kind)")
        }
        return device
    }

    /// Checks that a real camera has one role only. Two roles may share a microphone: each takes its channels.
    private mutating func checkNodes() throws(ProfileError) {
        var taken: [String: String] = [:]
        for camera in profile.cameras where isUsed(camera.role) {
            guard let device = devices[camera.role]?.device, Self.isHardware(device) else { continue }
            if let other = taken.updateValue(camera.role, forKey: device.node) {
                throw profile.source.error(
                    at: "cameras.\(camera.role).device",
                    found: "“\(camera.device)”, the camera \(device.node) that \(other) has already",
                    expected: "another camera, or any")
            }
        }
        var heard: [String: MicrophoneRole] = [:]
        for microphone in profile.microphones where isUsed(microphone.role) {
            guard let device = devices[microphone.role]?.device, Self.isHardware(device) else { continue }
            if let other = heard.updateValue(microphone, forKey: device.node), other.pick == microphone.pick {
                notes.append(
                    "\(microphone.role): it is the same microphone as \(other.role), so both tracks are alike."
                )
            }
        }
    }

    private static func isHardware(_ device: CaptureDevice) -> Bool {
        device.deviceType != .virtual && device.deviceType != .file && !device.node.isEmpty
    }

    private mutating func planned(_ camera: CameraRole) throws(ProfileError) -> PlannedCamera {
        let field = "cameras.\(camera.role)"
        let device = try device(camera.role, field, .video)
        let isCopied = profile.tracks.cameras == .copy
        let (rotation, rotationSource) = try rotation(of: camera, device)
        let asked = try CameraFormatChoice.choose(
            for: camera, on: device, rotation: rotation, isCopied: isCopied, source: profile.source)
        let choice = lowered[camera.role] ?? asked
        choices[camera.role] = choice
        let zoom = try PlannedZoom(camera, device.device, rotation: rotation, source: profile.source)
        var framing = camera.framing(zoom: zoom.cropped)
        framing.area = try area(of: camera, in: asked.format.size)
        try zoom.checkMoves(framing, in: asked.format.size)
        framing.area = framing.area?.scaled(from: asked.format.size, to: choice.format.size)
        noteRate(camera.role, choice)
        if profile.tracks.cameras != .none, choice.trackRate < asked.trackRate {
            notes.append(
                "\(camera.role): its camera is reduced to \(choice.trackRate) frames a second, and its track has as many "
                    + "instead of \(asked.trackRate)."
            )
        }
        let mirroring = camera.previewMirroring.decision(for: device.device)
        let part = framing.part(of: choice.format.size, rotation: rotation)
        try noteFraming(of: camera, zoom, part)
        if let wanted = camera.output?.rate ?? camera.rate, choice.trackRate > wanted {
            notes.append(
                "\(camera.role): of copied H.264 no frame can be left out, so its track has the camera's \(choice.trackRate) "
                    + "frames a second instead of \(wanted)."
            )
        }
        if isCopied, choice.format.pixel == .h264 {
            notes.append(
                "\(camera.role): H.264 is copied as it is: its frames keep their own times instead of the track's grid."
            )
        }
        if let match = camera.match, match.traits.contains(where: { $0 != .size && $0 != .rate }) {
            notes.append(
                "\(camera.role): before the recording begins it takes over what \(match.camera) has metered, and both are locked."
            )
        }
        return PlannedCamera(
            role: camera.role, selector: device.selector, identity: device.device.identity,
            format: choice.format,
            rotation: rotation, rotationSource: rotationSource, isMirrored: camera.isMirrored,
            preview: PreviewConnection(
                role: camera.role, rotation: rotation, isMirrored: mirroring.isMirrored,
                reason: mirroring.reason), framing: framing, latency: camera.latency ?? .zero,
            latencySource: camera.latency == nil ? .none : .profile,
            controls: try controls(of: camera, device.device).filter { request in
                !zoom.requests.contains { $0.name == request.name }
            } + zoom.requests, match: camera.match, reason: choice.reason,
            metadataFile: profile.tracks.metadata == .ndjson ? "cameras/\(camera.role).ndjson" : nil,
            usb: device.usb)
    }

    // MARK: Angles

    private mutating func rotation(
        of camera: CameraRole, _ device: PlannedDevice
    ) throws(ProfileError) -> (Rotation, RotationSource) {
        switch camera.rotation {
        case .fixed(let rotation): return (rotation, .profile)
        case .sensor: return try sensedRotation(of: camera, device)
        case nil:
            let mounting = device.device.mounting
            if mounting != .none {
                notes.append(
                    "\(camera.role): its camera is mounted turned, so its frame is turned by \(mounting.degrees)° clockwise; "
                        + "`rotation: 0` in the profile leaves it as it is."
                )
            }
            return (mounting, .mounting)
        }
    }

    private mutating func sensedRotation(
        of camera: CameraRole, _ planned: PlannedDevice
    ) throws(ProfileError) -> (Rotation, RotationSource) {
        let device = planned.device
        func refusal(_ why: String) -> ProfileError {
            profile.source.error(
                at: "cameras.\(camera.role).rotation", found: "sensor",
                expected: "0, 90, 180 or 270, since \(why)")
        }
        guard device.turnsWithComputer else {
            guard device.deviceType == .virtual || device.deviceType == .file else {
                throw refusal(
                    "\(device.name) is no part of the computer and does not turn with it; where it is one, say so with "
                        + "`multicam devices --set \(device.selector.shellQuoted()) --type built-in`")
            }
            notes.append(
                "\(camera.role): a synthetic camera does not turn with the computer, so its frame stays as it is."
            )
            return (device.mounting, .mounting)
        }
        let stance = CameraMounting(device)
        if device.position == .unspecified {
            notes.append(
                "\(camera.role): nobody has said where the camera looks, so it is taken for one that looks at its user; "
                    + "`multicam devices --set \(device.selector.shellQuoted()) --position back` says otherwise."
            )
        }
        switch planned.turn {
        case .turned(let turn): return (stance.captureAngle(whileComputerIs: turn), .sensor)
        case .undecided:
            notes.append(
                "\(camera.role): the computer lies flat, so it is taken as held upright until it is raised.")
            return (stance.captureAngle(whileComputerIs: .none), .sensor)
        case .unknown(let why):
            var error = refusal(why)
            error.isMissingDevice = true
            throw error
        case nil: throw refusal("nothing tells this plan how the computer is held")
        }
    }

    private mutating func controls(
        of camera: CameraRole, _ device: CaptureDevice
    ) throws(ProfileError) -> [ControlRequest] {
        let planned = PlannedControls(camera, device, source: profile.source)
        let requests = try planned.requests()
        if let lock = planned.rateLock {
            notes.append(
                "\(camera.role): its rate is locked in the dark: its frames become darker there, not fewer "
                    + "(`\(lock.name)` is set to 0; `controls: { \(lock.name): 1 }` in the profile lets it slow down)."
            )
        }
        return requests + [planned.rateLock].compactMap { $0 }
    }

    /// Adds notes on the parts that are cut out of a camera's frame, and on outputs that have the whole frame.
    ///
    /// - Throws: `ProfileError` where all that is made of the camera are copies, which always have the whole frame.
    private mutating func noteFraming(
        of camera: CameraRole, _ zoom: PlannedZoom, _ part: PixelRectangle?
    ) throws(ProfileError) {
        if let note = zoom.note { notes.append("\(camera.role): \(note)") }
        let isShown = profile.program?.shown.contains(camera.role) ?? false
        if profile.tracks.cameras == .copy, part != nil, !isShown {
            let field = camera.crop != nil ? "crop" : camera.zoom.factor > 1 ? "zoom" : "pan"
            throw profile.source.error(
                at: "cameras.\(camera.role).\(field)",
                found: "a part of a frame of which only a copy is made, and a copy has all of it",
                expected: "tracks: { cameras: encode }, or a program that shows \(camera.role)")
        }
        guard profile.tracks.cameras != .none else { return }
        if camera.isMirrored || (part != nil && profile.tracks.cameras == .copy) {
            let what =
                profile.tracks.cameras == .encode || part == nil
                ? "mirrored" : camera.isMirrored ? "mirrored and cropped" : "cropped"
            notes.append(
                "\(camera.role): it is \(what) in the program only; its track "
                    + (profile.tracks.cameras == .copy ? "has the whole frame as captured." : "is not.")
            )
        }
    }

    private mutating func noteRate(_ role: String, _ choice: CameraFormatChoice) {
        guard profile.tracks.cameras != .none || profile.program != nil else { return }
        let (camera, track) = (choice.format.rate, choice.trackRate)
        guard abs(camera.perSecond / track.perSecond - 1) > 0.002 else { return }
        notes.append(
            camera < track
                ? "\(role): the camera runs at \(camera) at most and is to have \(track): frames are repeated."
                : "\(role): the camera runs at \(camera), the nearest rate above the wanted \(track): surplus frames are skipped."
        )
    }

    /// The crop of the profile with even position and size, as 4:2:0 chroma needs it, and never larger than asked.
    private func area(of camera: CameraRole, in size: FrameSize) throws(ProfileError) -> PixelRectangle? {
        guard case .rectangle(let crop) = camera.crop else { return nil }
        guard crop.x >= 0, crop.y >= 0, crop.width >= 2, crop.height >= 2, crop.x + crop.width <= size.width,
            crop.y + crop.height <= size.height
        else {
            throw profile.source.error(
                at: "cameras.\(camera.role).crop",
                found: "\(crop.width)x\(crop.height) at \(crop.x), \(crop.y)",
                expected: "a rectangle inside the camera's \(size)")
        }
        let (x, y) = ((crop.x + 1) / 2 * 2, (crop.y + 1) / 2 * 2)
        return PixelRectangle(
            x: x, y: y, width: max(2, (crop.x + crop.width - x) / 2 * 2),
            height: max(2, (crop.y + crop.height - y) / 2 * 2))
    }

    private mutating func planned(_ microphone: MicrophoneRole) throws(ProfileError) -> PlannedMicrophone {
        let field = "microphones.\(microphone.role)"
        let device = try device(microphone.role, field, .audio)
        let native = device.device.audio
        let pick = microphone.pick ?? []
        let highest = pick.max() ?? 0
        if let native, highest > native.channels {
            throw profile.source.error(
                at: "\(field).pick", found: "channel \(highest) of “\(device.selector)”",
                expected: native.channels == 1
                    ? "channel 1, its only one" : "its channels 1 to \(native.channels)")
        }
        // Synthetic devices and files deliver all channels that they have; hardware is opened with those that are wanted.
        let isAsItIs = !pick.isEmpty || !Self.isHardware(device.device)
        let channels = isAsItIs ? native?.channels ?? max(highest, microphone.channels) : microphone.channels
        let recorded = pick.isEmpty ? channels : pick.count
        if profile.tracks.files == .one, profile.tracks.microphones == .wav, recorded > 2 {
            throw profile.source.error(
                at: "tracks.files",
                found: "one, with the \(recorded) channels of microphone \(microphone.role)",
                expected:
                    "one-each, since a movie's audio has two channels at most, or `pick` of one or two channels"
            )
        }
        var planned = PlannedMicrophone(
            role: microphone.role, selector: device.selector, identity: device.device.identity,
            format: AudioFormat(
                rate: native?.rate ?? AudioFormat.sessionRate,
                channels: channels),
            gain: microphone.gainDecibels, offset: microphone.offset ?? .zero,
            offsetSource: microphone.offset == nil ? .none : .profile, pick: pick.map { $0 - 1 },
            voice: try voice(of: microphone, device.device, field))
        planned.camera = microphone.camera ?? camera(with: device.device)
        guard planned.camera != nil || profile.program?.cutting != .voice else {
            throw profile.source.error(
                at: "\(field).camera", found: "no camera",
                expected: "the camera that shows who speaks, since the program is cut by voice: "
                    + ProfileValue.list(profile.cameras.map(\.role)))
        }
        return planned
    }

    /// Role of the camera in which a microphone sits: both are functions of one USB device.
    private func camera(with microphone: CaptureDevice) -> String? {
        profile.cameras.first { role in
            guard let camera = devices[role.role]?.device.identity else { return false }
            return microphone.companion?.busPath == camera.busPath && !camera.busPath.isEmpty
                || camera.isFunction(of: microphone.identity)
        }?.role
    }

    /// The voice processing of a real microphone; `nil` for synthetic ones and files, whose audio is used as it is.
    private mutating func voice(
        of microphone: MicrophoneRole, _ device: CaptureDevice, _ field: String
    ) throws(ProfileError) -> VoiceSettings? {
        guard microphone.voice.isActive else { return nil }
        guard profile.program != nil else {
            throw profile.source.error(
                at: "\(field).voice", found: "a profile without a program",
                expected:
                    "a program, which alone has the voice: the microphone's own track keeps all of its audio")
        }
        guard Self.isHardware(device) else {
            notes.append(
                "\(microphone.role): nothing is taken out of its audio, as only the sound server's microphones have a `voice`."
            )
            return nil
        }
        return microphone.voice
    }
}
