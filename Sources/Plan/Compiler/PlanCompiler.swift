internal import MulticamMedia
internal import MulticamProfiles

/// Compiles a profile and the devices of its roles into a session plan.
struct PlanCompiler {
    var profile: Profile
    private let devices: [String: PlannedDevice]
    /// Camera formats, by role, that override the formats derived from the profile.
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
        notes += formats.drainNotes()
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
            notes.append("\(role): the device is not used by any track or the program, so it is not opened.")
        }
        let live = try liveOutputs(cameras: cameras, program: program)
        var plan = SessionPlan(
            profile: profile.name, cameras: cameras, microphones: microphones, program: program,
            cameraTracks: cameraTracks, microphoneTracks: microphoneTracks,
            limits: profile.limits, budget: profile.budget, notes: notes)
        plan.liveOutputs = live
        if profile.editing != EditingSettings() { plan.editing = profile.editing }
        return plan
    }

    /// Whether the session opens a role's device. A device is opened if an output uses it. If the profile
    /// doesn't write any output, all devices are opened for monitoring.
    private func isUsed(_ role: String) -> Bool {
        guard profile.writesAnything else { return true }
        let program = profile.program.map { $0.shown + $0.audio.mix } ?? []
        if profile.liveOutputs.contains(where: { $0.source == role }) { return true }
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
                at: "\(field).device", found: "“\(device.selector)”, which is not a \(kind)",
                expected: "a \(kind)")
        }
        return device
    }

    /// Checks that each physical camera has only one role. Two roles may share a microphone if each role uses
    /// different channels.
    private mutating func checkNodes() throws(ProfileError) {
        var taken: [String: String] = [:]
        for camera in profile.cameras where isUsed(camera.role) {
            guard let device = devices[camera.role]?.device, Self.isHardware(device) else { continue }
            if let other = taken.updateValue(camera.role, forKey: device.node) {
                throw profile.source.error(
                    at: "cameras.\(camera.role).device",
                    found: "“\(camera.device)”, which is the same camera (\(device.node)) as \(other)",
                    expected: "another camera, or any")
            }
        }
        var heard: [String: MicrophoneRole] = [:]
        for microphone in profile.microphones where isUsed(microphone.role) {
            guard let device = devices[microphone.role]?.device, Self.isHardware(device) else { continue }
            if let other = heard.updateValue(microphone, forKey: device.node),
                other.sourceChannels == microphone.sourceChannels
            {
                notes.append(
                    "\(microphone.role): this role uses the same microphone as \(other.role), so both tracks are identical."
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
        let isCopied = profile.copiesTrack(of: device)
        let (rotation, rotationSource) = try rotation(of: camera, device)
        let asked = try CameraFormatChoice.choose(
            for: camera, on: device, rotation: rotation, isCopied: isCopied, source: profile.source)
        let choice = lowered[camera.role] ?? asked
        choices[camera.role] = choice
        let zoom = try PlannedZoom(camera, device.device, rotation: rotation, source: profile.source)
        var framing = camera.framing(zoom: zoom.cropped)
        if let pixel = device.device.pixelAspect {
            // The requested aspect ratio refers to the upright frame, as viewers see it.
            framing.shape = framing.shape?.stored(inPixelsOf: pixel, rotation: rotation)
            notes.append(
                "\(camera.role): the pixel aspect ratio is \(pixel). The track keeps this ratio, and the program is converted to square pixels."
            )
        }
        framing.area = try area(of: camera, in: asked.format.size)
        try zoom.checkPanAndTilt(framing, in: asked.format.size)
        framing.area = framing.area?.scaled(from: asked.format.size, to: choice.format.size)
        addRateNote(camera.role, choice)
        if profile.tracks.cameras != .none, choice.trackRate < asked.trackRate {
            notes.append(
                "\(camera.role): the camera's frame rate is reduced to \(choice.trackRate) fps, so its track is recorded at \(choice.trackRate) fps instead of \(asked.trackRate) fps."
            )
        }
        let mirroring = camera.previewMirroring.decision(for: device.device)
        let part = framing.part(of: choice.format.size, rotation: rotation)
        try addFramingNote(of: camera, zoom, part)
        if let wanted = camera.output?.rate ?? camera.rate, choice.trackRate > wanted {
            notes.append(
                "\(camera.role): frames cannot be dropped from a copied H.264 stream, so the track is recorded at the camera's rate of \(choice.trackRate) fps instead of \(wanted) fps."
            )
        }
        if profile.tracks.cameras == .copy, !isCopied {
            notes.append("\(camera.role): the track is encoded, because raw frames can't be copied.")
        }
        if isCopied, choice.format.pixel == .h264 {
            notes.append(
                "\(camera.role): the H.264 stream is copied unchanged, so the track has a variable frame rate."
            )
        }
        if let match = camera.match, match.traits.contains(where: { $0 != .size && $0 != .rate }) {
            notes.append(
                "\(camera.role): before the recording starts, the automatic settings of \(match.camera) are applied to this camera, and the settings of both cameras are locked."
            )
        }
        var planned = PlannedCamera(
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
        planned.pixelAspect = device.device.pixelAspect
        planned.automaticFraming = camera.automaticFraming
        if camera.automaticFraming.mover == .camera, !CameraAim.isPossible(with: device.device.controls) {
            planned.automaticFraming.mover = .crop
            notes.append(
                "\(camera.role): the camera does not have pan and tilt controls, so automatic framing crops its frames in the program."
            )
        }
        planned.detection = camera.detection
        if camera.automaticFraming.mode != .off, profile.program == nil {
            throw profile.source.error(
                at: "\(field).framing",
                found: "automatic framing in a profile that doesn't have a program",
                expected: "a `program`, because only the program shows the framed picture")
        }
        return planned
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
                let reason =
                    SourceKind(device.device) == .file
                    ? "the file is marked as rotated" : "the camera is mounted in a rotated position"
                notes.append(
                    "\(camera.role): \(reason), so its frames are rotated \(mounting.degrees)° clockwise. To prevent this, set `rotation: 0` in the profile."
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
                expected: "0, 90, 180, or 270, because \(why)")
        }
        guard device.rotatesWithComputer else {
            guard device.deviceType == .virtual || device.deviceType == .file else {
                throw refusal(
                    "\(device.name) is not marked as built in"
                        + onCommandLine(
                            ". If it is built into the computer, run `multicam devices --set \(device.selector.shellQuoted()) --type built-in`"
                        )
                )
            }
            notes.append(
                "\(camera.role): a synthetic camera does not rotate with the computer, so its frames are not rotated."
            )
            return (device.mounting, .mounting)
        }
        let stance = CameraMounting(device)
        if device.position == .unspecified {
            notes.append(
                "\(camera.role): the camera position is unknown, so a front camera is assumed."
                    + onCommandLine(
                        " For a back camera, run `multicam devices --set \(device.selector.shellQuoted()) --position back`."
                    )
            )
        }
        switch planned.turn {
        case .rotated(let turn): return (stance.captureAngle(forComputerRotation: turn), .sensor)
        case .undecided:
            notes.append(
                "\(camera.role): the computer is lying flat, so upright orientation is assumed until the computer is tilted up."
            )
            return (stance.captureAngle(forComputerRotation: .none), .sensor)
        case .unknown(let why):
            var error = refusal(why)
            error.isMissingDevice = true
            throw error
        case nil: throw refusal("the orientation of the computer is unknown")
        }
    }

    private mutating func controls(
        of camera: CameraRole, _ device: CaptureDevice
    ) throws(ProfileError) -> [ControlRequest] {
        let planned = PlannedControls(camera, device, source: profile.source)
        let requests = try planned.requests()
        if let lock = planned.rateLock {
            notes.append(
                "\(camera.role): in low light, the camera keeps its frame rate and the picture gets darker, because `\(lock.name)` is set to 0. To allow a lower frame rate, set `controls: { \(lock.name): 1 }` in the profile."
            )
        }
        return requests + [planned.rateLock].compactMap { $0 }
    }

    /// Adds notes for the user about cropped camera frames, and about outputs that show the whole frame.
    ///
    /// - Throws: `ProfileError` if all of the camera's outputs are copies, which always contain the whole frame.
    private mutating func addFramingNote(
        of camera: CameraRole, _ zoom: PlannedZoom, _ part: PixelRectangle?
    ) throws(ProfileError) {
        if let note = zoom.note { notes.append("\(camera.role): \(note)") }
        let isShown = profile.program?.shown.contains(camera.role) ?? false
        let isCopied = isCopied(camera.role)
        if isCopied, part != nil, !isShown {
            let field = camera.crop != nil ? "crop" : camera.zoom.factor > 1 ? "zoom" : "pan"
            throw profile.source.error(
                at: "cameras.\(camera.role).\(field)",
                found:
                    "a crop, zoom, or pan for a camera with only a copied track, which always contains the whole frame",
                expected: "tracks: { cameras: encode }, or a program that shows \(camera.role)")
        }
        guard profile.tracks.cameras != .none else { return }
        if camera.isMirrored || (part != nil && isCopied) {
            let what =
                !isCopied || part == nil
                ? "mirrored" : camera.isMirrored ? "mirrored and cropped" : "cropped"
            notes.append(
                "\(camera.role): the camera is \(what) only in the program. Its track "
                    + (isCopied
                        ? "contains the whole frame as captured." : "is not mirrored.")
            )
        }
    }

    private mutating func addRateNote(_ role: String, _ choice: CameraFormatChoice) {
        guard profile.tracks.cameras != .none || profile.program != nil else { return }
        let (camera, track) = (choice.format.rate, choice.trackRate)
        guard abs(camera.perSecond / track.perSecond - 1) > 0.002 else { return }
        notes.append(
            camera < track
                ? "\(role): the camera supports at most \(camera) fps, but its track has \(track) fps, so frames are duplicated."
                : "\(role): the camera runs at \(camera) fps, the lowest available rate above the requested \(track) fps, so its track is decimated."
        )
    }

    /// Returns the profile's crop rectangle, rounded to an even position and size, as 4:2:0 chroma requires.
    /// The rectangle is never larger than requested.
    private func area(of camera: CameraRole, in size: FrameSize) throws(ProfileError) -> PixelRectangle? {
        guard case .rectangle(let crop) = camera.crop else { return nil }
        guard crop.x >= 0, crop.y >= 0, crop.width >= 2, crop.height >= 2, crop.x + crop.width <= size.width,
            crop.y + crop.height <= size.height
        else {
            throw profile.source.error(
                at: "cameras.\(camera.role).crop",
                found: "\(crop.width)x\(crop.height) at \(crop.x), \(crop.y)",
                expected: "a rectangle within the camera's \(size) frame")
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
        let sourceChannels = microphone.sourceChannels ?? []
        let highest = sourceChannels.max() ?? 0
        if let native, highest > native.channels {
            throw profile.source.error(
                at: "\(field).source_channels", found: "channel \(highest) of “\(device.selector)”",
                expected: native.channels == 1
                    ? "channel 1, the only channel" : "a channel from 1 to \(native.channels)")
        }
        // Synthetic microphones and files deliver all of their channels. Physical microphones are opened with
        // only the requested channels.
        let isAsItIs = !sourceChannels.isEmpty || !Self.isHardware(device.device)
        let channels = isAsItIs ? native?.channels ?? max(highest, microphone.channels) : microphone.channels
        let recorded = sourceChannels.isEmpty ? channels : sourceChannels.count
        if profile.tracks.files == .one, profile.tracks.microphones == .wav, recorded > 2 {
            throw profile.source.error(
                at: "tracks.files",
                found: "“one” with microphone \(microphone.role), which has \(recorded) channels",
                expected:
                    "`one-each`, or `source_channels` with one or two channels, because audio in a movie file has at most two channels"
            )
        }
        var planned = PlannedMicrophone(
            role: microphone.role, selector: device.selector, identity: device.device.identity,
            format: AudioFormat(
                rate: native?.rate ?? AudioFormat.sessionRate,
                channels: channels),
            gain: microphone.gainDecibels, offset: microphone.offset ?? .zero,
            offsetSource: microphone.offset == nil ? .none : .profile,
            sourceChannels: sourceChannels.map { $0 - 1 },
            voiceProcessing: try voiceProcessing(of: microphone, device.device, field))
        planned.processing = microphone.processing
        planned.camera = microphone.camera ?? camera(with: device.device)
        guard planned.camera != nil || profile.program?.switching != .voice else {
            throw profile.source.error(
                at: "\(field).camera", found: "no camera",
                expected:
                    "the role of the camera that shows the speaker, because the program is switched by voice: "
                    + ProfileValue.list(profile.cameras.map(\.role)))
        }
        return planned
    }

    /// Returns the role of the camera with this built-in microphone. A camera and its built-in microphone are
    /// functions of the same USB device.
    private func camera(with microphone: CaptureDevice) -> String? {
        profile.cameras.first { role in
            guard let camera = devices[role.role]?.device.identity else { return false }
            return microphone.companion?.busPath == camera.busPath && !camera.busPath.isEmpty
                || camera.isSameUSBDevice(as: microphone.identity)
        }?.role
    }

    /// Returns the voice processing of a physical microphone; `nil` for synthetic microphones and files, which aren't
    /// processed.
    private mutating func voiceProcessing(
        of microphone: MicrophoneRole, _ device: CaptureDevice, _ field: String
    ) throws(ProfileError) -> VoiceProcessing? {
        let processing = microphone.voiceProcessing
        guard processing.isActive else { return nil }
        guard profile.program != nil else {
            throw profile.source.error(
                at: "\(field).\(processing.echoCancellation ? "echo_cancellation" : "noise_suppression")",
                found: "a profile without a program",
                expected:
                    "a program, because audio processing applies to the program mix, not to the microphone track"
            )
        }
        guard Self.isHardware(device) else {
            notes.append(
                "\(microphone.role): the audio is not processed, because only microphones of the sound server support `echo_cancellation` and `noise_suppression`."
            )
            return nil
        }
        return processing
    }
}

extension PlanCompiler {
    // MARK: Encoders

    /// Returns a stream's encoding settings with the hardware encoder assigned to it, if any.
    ///
    /// - Throws: `ProfileError` if the profile requires hardware encoding and no encoder accepts the stream.
    mutating func encoded(
        _ settings: VideoEncodingSettings, _ owner: String, _ video: VideoSettings, field: String
    ) throws(ProfileError) -> VideoEncodingSettings {
        var settings = settings
        let choice = assignment.choose(for: settings, preference: video.encoder)
        settings.hardware = choice.encoder
        settings.isHardwareRequired = video.encoder == .hardware
        if let encoder = choice.encoder {
            notes.append("\(owner): encoded by \(encoder.name). \(choice.reason)")
        } else if video.encoder == .hardware {
            throw missingEncoder(owner, choice.reason, field: field)
        } else if !choice.reason.isEmpty {
            notes.append(
                "\(owner): encoded by x264, because no hardware encoder is available for this stream. \(choice.reason)"
            )
        }
        return settings
    }

    private func missingEncoder(_ owner: String, _ reason: String, field: String) -> ProfileError {
        let why =
            encoders.isEmpty
            ? "no hardware encoder was found and tested on this computer"
                + onCommandLine(". To test its encoders, run `multicam calibrate --machine`")
            : "no hardware encoder on this computer can encode \(owner): \(reason.trimmingFullStop)"
        var error = profile.source.error(
            at: field, found: "hardware", expected: "`auto` or `software`, because \(why)")
        error.isMissingDevice = true
        return error
    }

    // MARK: Outputs

    func track(of camera: PlannedCamera) throws(ProfileError) -> PlannedCameraTrack? {
        let output = profile.cameras.first { $0.role == camera.role }?.output
        let mode: PlannedCameraTrack.Mode
        switch profile.tracks.cameras {
        case .none:
            if let output { throw unusable(output, of: camera, why: "the camera has no track") }
            return nil
        case .copy where isCopied(camera.role):
            if let output, output.size != nil {
                throw unusable(output, of: camera, why: "copied frames keep the camera's size")
            }
            mode = .copy
        case .copy, .encode: mode = .encode
        }
        let rate = choices[camera.role]?.trackRate ?? camera.format.rate
        let stored = camera.format.size
        let frame = mode == .copy ? (crop: nil, size: stored) : try encodedPart(of: camera, output)
        let video = profile.tracks.video
        var track = PlannedCameraTrack(
            role: camera.role, mode: mode,
            file: profile.tracks.files == .one ? Self.commonFile : "cameras/\(camera.role).mov", rate: rate,
            settings: VideoEncodingSettings(
                size: frame.size, rate: rate, preset: video.preset, quality: video.quality,
                color: nil),
            rotation: camera.rotation, crop: frame.crop)
        track.pixelAspect = camera.pixelAspect
        return track
    }

    private func isCopied(_ role: String) -> Bool {
        devices[role].map { profile.copiesTrack(of: $0) } ?? (profile.tracks.cameras == .copy)
    }

    private func unusable(
        _ output: CameraOutput, of camera: PlannedCamera, why: String
    ) -> ProfileError {
        profile.source.error(
            at: "cameras.\(camera.role).output",
            found: output.size.map { "“\($0)”, but \(why)" } ?? "an output rate, but \(why)",
            expected: "tracks: { cameras: encode }, or no `output` field")
    }

    /// Returns the part of a camera's stored frames that its encoded track shows, and the frame size of the
    /// track.
    private func encodedPart(
        of camera: PlannedCamera, _ output: CameraOutput?
    ) throws(ProfileError) -> (crop: PixelRectangle?, size: FrameSize) {
        let stored = camera.format.size
        let part = camera.crop ?? PixelRectangle(x: 0, y: 0, width: stored.width, height: stored.height)
        guard let wanted = output?.size else {
            // 4:2:0 chroma requires even dimensions, so an odd last row or column is dropped.
            return (camera.crop, FrameSize(width: part.width / 2 * 2, height: part.height / 2 * 2))
        }
        let size = camera.rotation.swapsSides ? wanted.transposed : wanted
        let crop = Framing(area: part, shape: AspectRatio(size)).part(of: stored, rotation: .none)
        let source = crop?.size ?? stored
        guard source.width < size.width || source.height < size.height else { return (crop, size) }
        // If a camera's resolution was reduced to stay within the budget, the output gets smaller too.
        guard lowered[camera.role] != nil else {
            let upright = camera.rotation.swapsSides ? part.size.transposed : part.size
            throw profile.source.error(
                at: "cameras.\(camera.role).output",
                found:
                    "“\(wanted)”, which is larger than the camera's visible area of \(upright)",
                expected: "at most \(upright), because frames are never upscaled")
        }
        return (crop, FrameSize(width: source.width / 2 * 2, height: source.height / 2 * 2))
    }

    func track(of microphone: PlannedMicrophone) -> PlannedMicrophoneTrack {
        PlannedMicrophoneTrack(
            role: microphone.role,
            file: profile.tracks.files == .one
                ? Self.commonFile : PlannedMicrophoneTrack.wave(microphone.role))
    }

    private static let commonFile = "session.mov"

    func planned(
        _ program: ProgramSettings, cameras: [PlannedCamera]
    ) throws(ProfileError) -> PlannedProgram {
        for role in program.shown where !cameras.contains(where: { $0.role == role }) {
            throw profile.source.error(
                at: role == program.main ? "program.main" : "program.inset", found: "“\(role)”",
                expected: "the role of a camera: \(ProfileValue.list(profile.cameras.map(\.role)))")
        }
        for role in program.audio.mix where !profile.microphones.contains(where: { $0.role == role }) {
            throw profile.source.error(
                at: "program.audio.mix", found: "“\(role)”",
                expected: "the role of a microphone: \(ProfileValue.list(profile.microphones.map(\.role)))")
        }
        for scene in profile.scenes {
            for role in scene.shown where !cameras.contains(where: { $0.role == role }) {
                throw profile.source.error(
                    at: "scenes.\(scene.name)", found: "“\(role)”",
                    expected: "the role of a camera: \(ProfileValue.list(profile.cameras.map(\.role)))")
            }
        }
        var planned = PlannedProgram(
            file: "program.mp4",
            settings: VideoEncodingSettings(
                size: program.size, rate: program.rate, preset: program.video.preset,
                quality: program.video.quality,
                color: .bt709Limited),
            isCoarse: program.isCoarse, arrangement: ProgramArrangement(program), cameras: cameras,
            mix: program.audio.mix, audioBitrate: program.audio.bitrate, scenes: profile.scenes)
        planned.mixProcessing = program.audio.processing
        return planned
    }
}

extension PlanCompiler {
    /// Default bits per pixel of a live encoder, used if the profile doesn't set a bit rate: 2.8 Mbit/s for
    /// 1280×720 at 30 fps.
    private static let usualBitsPerPixel = 0.1
    private static let bitrates = 300_000...100_000_000

    /// Plans the live outputs of the profile. The profile's addresses are already parsed.
    ///
    /// - Parameters:
    ///   - cameras: The plan's cameras.
    ///   - program: The plan's program; `nil` if the plan doesn't have one.
    /// - Returns: The live outputs, in the profile's order.
    /// - Throws: `ProfileError` if an address couldn't be parsed, or if this kind of live output doesn't
    ///   support the profile's settings.
    mutating func liveOutputs(
        cameras: [PlannedCamera], program: PlannedProgram?
    ) throws(ProfileError) -> [PlannedLiveOutput] {
        var planned: [PlannedLiveOutput] = []
        for liveOutput in profile.liveOutputs {
            let field = "publish.\(liveOutput.name)"
            guard case .inline(let address) = liveOutput.address else {
                throw profile.source.error(
                    at: "\(field).url_from", found: "an address that has not been read",
                    expected: "a plan created by SessionSetup")
            }
            if address.kind == .pulse, program?.mix.isEmpty ?? true {
                notes.append(
                    "\(liveOutput.name): the program does not have an audio mix, so this output is not started."
                )
                continue
            }
            if let fault = liveOutput.fault(with: address.kind, profile.program) {
                throw profile.source.error(at: field, found: fault.found, expected: fault.expected)
            }
            planned.append(
                PlannedLiveOutput(
                    name: liveOutput.name, kind: address.kind, address: address.printable,
                    source: liveOutput.source, start: liveOutput.start,
                    frames: try frames(of: liveOutput, address.kind, cameras: cameras, program: program)))
            addKeyNote(of: liveOutput, address)
        }
        return planned
    }

    private func frames(
        of liveOutput: LiveOutputSettings, _ kind: LiveOutputAddress.Kind, cameras: [PlannedCamera],
        program: PlannedProgram?
    ) throws(ProfileError) -> PlannedLiveOutput.Frames? {
        guard kind == .v4l2 || liveOutput.hasOwnFrames else { return nil }
        guard
            var frames = PlannedLiveOutput.Frames(
                asThoseOf: liveOutput.source, cameras: cameras, program: program)
        else {
            throw profile.source.error(
                at: "publish.\(liveOutput.name).of", found: "“\(liveOutput.source)”",
                expected: ProfileValue.list([LiveOutputSettings.program] + cameras.map(\.role)))
        }
        frames.size = liveOutput.size ?? frames.size
        frames.rate = liveOutput.rate ?? frames.rate
        guard kind != .v4l2 else { return frames }
        let usual = Int(
            Int64(
                rounding: Double(frames.size.pixelCount) * frames.rate.perSecond * Self.usualBitsPerPixel
                    / 1e5))
        let bounded = min(max(usual * 100_000, Self.bitrates.lowerBound), Self.bitrates.upperBound)
        frames.bitrate = liveOutput.bitrate ?? bounded
        return frames
    }

    /// Adds a warning for the user if the profile contains a stream key in plain text.
    private mutating func addKeyNote(of liveOutput: LiveOutputSettings, _ address: LiveOutputAddress) {
        let hasKey =
            switch address.kind {
            case .rtmp: true
            case .srt: ["passphrase=", "streamid="].contains { address.text.contains($0) }
            case .whip, .v4l2, .pulse: false
            }
        guard hasKey, !liveOutput.hasExternalAddress else { return }
        notes.append(
            "\(liveOutput.name): the profile contains the stream key of this output, so everyone who can read the profile can see it. Use `url_from` to read it from a file or an environment variable."
        )
    }
}

extension Profile {
    /// Whether the track of a camera stores the camera's frames unchanged. The raw frames of a camera that isn't connected to
    /// this computer can't be copied, so its track is encoded, unless the profile's file requires copies.
    func copiesTrack(of device: PlannedDevice) -> Bool {
        guard tracks.cameras == .copy else { return false }
        let (camera, isRequired) = (device.device, source.has("tracks.cameras"))
        guard !isRequired, camera.node.isEmpty, camera.deviceType != .virtual, camera.deviceType != .file,
            case .listed(let formats) = device.offers, !formats.isEmpty
        else { return true }
        return formats.contains(where: \.pixel.isCompressed)
    }
}
