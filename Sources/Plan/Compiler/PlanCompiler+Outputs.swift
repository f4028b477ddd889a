internal import Media
internal import Profiles

extension PlanCompiler {
    // MARK: Encoders

    /// The settings with the hardware encoder that takes the stream, if any does.
    ///
    /// - Throws: `ProfileError` where the profile asks for hardware and no encoder takes the stream.
    mutating func encoded(
        _ settings: VideoEncodingSettings, _ owner: String, _ video: VideoSettings, field: String
    ) throws(ProfileError) -> VideoEncodingSettings {
        var settings = settings
        let choice = assignment.choose(for: settings, wish: video.encoder)
        settings.hardware = choice.encoder
        settings.isHardwareRequired = video.encoder == .hardware
        if let encoder = choice.encoder {
            notes.append("\(owner): \(encoder.name) encodes it: \(choice.reason)")
        } else if video.encoder == .hardware {
            throw missingEncoder(owner, choice.reason, field: field)
        } else if !choice.reason.isEmpty {
            notes.append("\(owner): x264 encodes it, since no hardware does. \(choice.reason)")
        }
        return settings
    }

    private func missingEncoder(_ owner: String, _ reason: String, field: String) -> ProfileError {
        let why =
            encoders.isEmpty
            ? "no hardware encoder was found and tried on this computer; `multicam calibrate --machine` tries what there is"
            : "no hardware encoder of this computer takes \(owner). \(reason.trimmingFullStop)"
        var error = profile.source.error(
            at: field, found: "hardware", expected: "auto or software, since \(why)")
        error.isMissingDevice = true
        return error
    }

    // MARK: Outputs

    func track(of camera: PlannedCamera) throws(ProfileError) -> PlannedCameraTrack? {
        let output = profile.cameras.first { $0.role == camera.role }?.output
        let mode: PlannedCameraTrack.Mode
        switch profile.tracks.cameras {
        case .none:
            if let output { throw unusable(output, of: camera, why: "no track is made of the camera") }
            return nil
        case .copy:
            if let output, output.size != nil {
                throw unusable(output, of: camera, why: "copied frames keep the camera's size")
            }
            mode = .copy
        case .encode: mode = .encode
        }
        let rate = choices[camera.role]?.trackRate ?? camera.format.rate
        let stored = camera.format.size
        let frame = mode == .copy ? (crop: nil, size: stored) : try encodedPart(of: camera, output)
        let video = profile.tracks.video
        return PlannedCameraTrack(
            role: camera.role, mode: mode,
            file: profile.tracks.files == .one ? Self.commonFile : "cameras/\(camera.role).mov", rate: rate,
            settings: VideoEncodingSettings(
                size: frame.size, rate: rate, preset: video.preset, quality: video.quality,
                color: nil),
            rotation: camera.rotation, crop: frame.crop)
    }

    private func unusable(
        _ output: CameraOutput, of camera: PlannedCamera, why: String
    ) -> ProfileError {
        profile.source.error(
            at: "cameras.\(camera.role).output",
            found: output.size.map { "“\($0)”, though \(why)" } ?? "a rate, though \(why)",
            expected: "tracks: { cameras: encode }, or no output")
    }

    /// The part of a camera's stored frames that its encoded track shows, and the size of the track's frames.
    private func encodedPart(
        of camera: PlannedCamera, _ output: CameraOutput?
    ) throws(ProfileError) -> (crop: PixelRectangle?, size: FrameSize) {
        let stored = camera.format.size
        let part = camera.crop ?? PixelRectangle(x: 0, y: 0, width: stored.width, height: stored.height)
        guard let wanted = output?.size else {
            // 4:2:0 chroma wants even sides; the camera's odd last row or column is left out.
            return (camera.crop, FrameSize(width: part.width / 2 * 2, height: part.height / 2 * 2))
        }
        let size = camera.rotation.swapsSides ? wanted.turned : wanted
        let crop = Framing(area: part, shape: AspectRatio(size)).part(of: stored, rotation: .none)
        let source = crop?.size ?? stored
        guard source.width < size.width || source.height < size.height else { return (crop, size) }
        // A camera that is reduced to stay within the budget has fewer pixels to make the output from.
        guard lowered[camera.role] != nil else {
            let upright = camera.rotation.swapsSides ? part.size.turned : part.size
            throw profile.source.error(
                at: "cameras.\(camera.role).output",
                found:
                    "“\(wanted)”, which is more than the \(upright) that are seen of its camera's frames",
                expected: "no more than that, since nothing is enlarged")
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
        return PlannedProgram(
            file: "program.mp4",
            settings: VideoEncodingSettings(
                size: program.size, rate: program.rate, preset: program.video.preset,
                quality: program.video.quality,
                color: .bt709Limited),
            isCoarse: program.isCoarse, arrangement: ProgramArrangement(program), cameras: cameras,
            mix: program.audio.mix, audioBitrate: program.audio.bitrate, scenes: profile.scenes)
    }
}
