import MulticamMedia
import MulticamPlan
internal import MulticamProfiles
import MulticamSessionFolder

/// Formats a plan as text.
enum PlanText {
    static func of(_ plan: SessionPlan) -> String {
        var lines = ["profile \(plan.profile)", ""] + devicesAndFiles(of: plan)
        if !plan.notes.isEmpty { lines += [""] + plan.notes.map { "note: \($0.printable(limit: 1000))" } }
        return lines.joined(separator: "\n")
    }

    /// Returns lines of text that describe the inputs and outputs of a plan.
    static func devicesAndFiles(of plan: SessionPlan) -> [String] {
        var lines = ["inputs"]
        for camera in plan.cameras {
            lines.append(
                "  \(camera.role): \(camera.identity.name.printable()) (\(camera.identity.description.printable()))"
            )
            lines.append("    \(camera.reason.isEmpty ? camera.format.description : camera.reason)")
            lines.append(
                "    preview \(camera.preview.isMirrored ? "mirrored" : "not mirrored"): \(camera.preview.reason)"
            )
            if camera.rotationSource == .sensor {
                lines.append(
                    "    rotated by \(camera.rotation.degrees)° for the computer's current orientation")
            }
            if camera.latencySource != .none {
                lines.append(
                    "    latency \(Milliseconds.text(camera.latency)) ms, \(text(of: camera.latencySource))")
            }
        }
        for microphone in plan.microphones {
            let channels = text(
                channels: microphone.sourceChannels.isEmpty
                    ? microphone.format.channels : microphone.sourceChannels.count)
            lines.append("  \(microphone.role): \(microphone.identity.name.printable())")
            lines.append("    \(microphone.format.rate) Hz, \(channels)")
            if let processing = microphone.voiceProcessing {
                let words = [
                    processing.echoCancellation ? "echo" : nil, processing.noiseSuppression ? "noise" : nil,
                ].compactMap(\.self)
                lines.append("    \(words.joined(separator: " and ")) removed in the program")
            }
            if microphone.offsetSource != .none {
                lines.append(
                    "    offset \(Milliseconds.text(microphone.offset)) ms, \(text(of: microphone.offsetSource))"
                )
            }
        }
        lines += ["", "outputs"]
        if let program = plan.program { lines += text(of: program) }
        for track in plan.cameraTracks {
            let how = track.mode == .copy ? "copied" : "encoded as \(text(of: track.settings))"
            let turn = track.rotation == .none ? "" : ", rotated by \(track.rotation.degrees)° for viewing"
            lines.append(
                "  \(track.file): \(track.role) \(how), \(track.settings.size) at \(track.rate)\(part(track.crop))\(turn)"
            )
        }
        for camera in plan.cameras {
            guard let file = camera.metadataFile else { continue }
            lines.append("  \(file): \(camera.role), one line per frame")
        }
        for track in plan.microphoneTracks { lines.append("  \(track.file): \(track.role), 48000 Hz") }
        if !plan.liveOutputs.isEmpty { lines += ["", "live"] + plan.liveOutputs.map(text) }
        return lines
    }

    /// Formats a live output as one line with its content, its destination, and the condition for its start.
    private static func text(of liveOutput: PlannedLiveOutput) -> String {
        let what =
            liveOutput.frames.map { frames in
                let bits = frames.bitrate.map { "encoded separately at \($0 / 1000)k" } ?? "as raw frames"
                return "\(liveOutput.source), \(frames.size) at \(frames.rate), \(bits)"
            } ?? (liveOutput.kind == .pulse ? "the mix" : "the encoded packets of the recording")
        let start =
            switch liveOutput.start {
            case .recording: "with each recording"
            case .session: "while the session is on standby or recording"
            case .command: "started by `multicam ctl publish \(liveOutput.name)`"
            }
        return "  \(liveOutput.name): \(what), to \(liveOutput.address), \(start)"
    }

    /// Formats the visible part of a camera in the program.
    private static func part(of layer: PlannedLayer) -> String {
        guard layer.motion != nil, let least = layer.crop else { return part(layer.crop) }
        return ", framed automatically, at least \(least.size)"
    }

    /// Formats the visible part of a camera's frame; empty for the whole frame.
    private static func part(_ crop: PixelRectangle?) -> String {
        crop.map { ", cropped to \($0.size) at \($0.x),\($0.y)" } ?? ""
    }

    /// Formats the encoder of a stream: `h264 superfast` for x264, or `h264 with` and the name of the
    /// hardware encoder.
    private static func text(of settings: VideoEncodingSettings) -> String {
        settings.hardware.map { "h264 with \($0.name)" } ?? "h264 \(settings.preset.rawValue)"
    }

    private static func text(channels: Int) -> String {
        switch channels {
        case 1: "mono"
        case 2: "stereo"
        default: "\(channels) channels"
        }
    }

    private static func text(of source: CorrectionSource) -> String {
        switch source {
        case .none: "not set"
        case .profile: "from the profile"
        case .calibration: "from calibration"
        }
    }

    private static func text(of program: PlannedProgram) -> [String] {
        let settings = program.settings
        var lines = [
            "  \(program.file): \(settings.size) at \(settings.rate), \(text(of: settings)) \(settings.quality)"
        ]
        for layer in program.layers {
            let place = layer.rectangle
            lines.append(
                "    \(layer.role): \(place.size) at \(place.x),\(place.y), \(layer.fit.rawValue)\(part(of: layer))"
            )
        }
        if !program.mix.isEmpty {
            lines.append(
                "    audio: \(program.mix.joined(separator: ", ")), aac \(program.audioBitrate / 1000)k")
        }
        return lines
    }
}

/// Formats a plan as JSON. Devices and tracks have the same field names and structure as in a manifest.
enum PlanJSON {
    static func fields(of plan: SessionPlan) -> [String: JSONValue] {
        [
            "profile": .string(plan.profile.printable()),
            "devices": .array(plan.cameras.map(device) + plan.microphones.map(device)),
            "tracks": .array(tracks(of: plan)),
            "connections": .array(
                plan.connections.map { connection in
                    .object(
                        ["input": .string(connection.input), "output": .string(connection.output)].merging(
                            turning(of: connection, in: plan)
                        ) { $1 })
                }),
            "live_outputs": .array(plan.liveOutputs.map(liveOutput)),
            "notes": .array(plan.notes.map { .string($0.printable(limit: 1000)) }),
        ]
    }

    private static func liveOutput(_ liveOutput: PlannedLiveOutput) -> JSONValue {
        .object([
            "name": .string(liveOutput.name), "kind": .string(liveOutput.kind.rawValue),
            "address": .string(liveOutput.address.printable(limit: 1000)),
            "of": .string(liveOutput.source), "start": .string(liveOutput.start.rawValue),
            "video": liveOutput.frames.map { frames in
                .object(
                    size(frames.size, frames.rate).merging([
                        "bitrate": frames.bitrate.map { .integer(Int64($0)) } ?? .null
                    ]) { $1 })
            } ?? .null,
        ])
    }

    /// Returns the JSON fields for the rotation and mirroring of a video connection; empty for an audio
    /// connection.
    private static func turning(
        of connection: PlannedConnection, in plan: SessionPlan
    ) -> [String: JSONValue] {
        guard let turning = plan.orientation(of: connection) else { return [:] }
        return [
            "rotation": .integer(Int64(turning.rotation.degrees)),
            "rotated_by": .string(turning.method.rawValue),
            "mirrored": .boolean(turning.isMirrored),
        ]
    }

    private static func device(_ camera: PlannedCamera) -> JSONValue {
        .object(
            [
                "role": .string(camera.role), "kind": .string("camera"),
                "identity": .string(camera.identity.description.printable()),
                "name": .string(camera.identity.name.printable()),
                "selector": .string(camera.selector.printable()),
                "format": .object(
                    size(camera.format.size, camera.format.rate).merging([
                        "pixel": .string(camera.format.pixel.rawValue)
                    ]) { $1 }),
                "rotation": .integer(Int64(camera.rotation.degrees)),
                "rotation_source": .string(camera.rotationSource.rawValue),
                "preview": .object([
                    "rotation": .integer(Int64(camera.preview.rotation.degrees)),
                    "mirrored": .boolean(camera.preview.isMirrored),
                    "reason": .string(camera.preview.reason.printable(limit: 1000)),
                ]),
                "latency_ns": .integer(camera.latency.count),
                "latency_source": .string(camera.latencySource.rawValue),
                "reason": .string(camera.reason.printable(limit: 1000)),
            ].merging(camera.metadataFile.map { ["metadata": .string($0)] } ?? [:]) { $1 })
    }

    private static func device(_ microphone: PlannedMicrophone) -> JSONValue {
        .object([
            "role": .string(microphone.role), "kind": .string("microphone"),
            "identity": .string(microphone.identity.description.printable()),
            "name": .string(microphone.identity.name.printable()),
            "selector": .string(microphone.selector.printable()),
            "format": .object([
                "channels": .integer(Int64(microphone.format.channels)),
                "rate": .integer(Int64(microphone.format.rate)),
            ]),
            "offset_ns": .integer(microphone.offset.count),
            "offset_source": .string(microphone.offsetSource.rawValue),
            "source_channels": .array(microphone.sourceChannels.map { .integer(Int64($0 + 1)) }),
            "echo_cancellation": .boolean(microphone.voiceProcessing?.echoCancellation ?? false),
            "noise_suppression": .boolean(microphone.voiceProcessing?.noiseSuppression ?? false),
        ])
    }

    private static func tracks(of plan: SessionPlan) -> [JSONValue] {
        let cameras = plan.cameraTracks.map { track in
            let pixel = plan.cameras.first { $0.role == track.role }?.format.pixel.rawValue ?? ""
            return JSONValue.object(
                size(track.settings.size, track.rate).merging([
                    "name": .string(track.role), "kind": .string("camera"), "file": .string(track.file),
                    "codec": .string(track.mode == .copy ? pixel : "h264"),
                    "mode": .string(track.mode.rawValue),
                    "rotation": .integer(Int64(track.rotation.degrees)),
                    "encoder": track.mode == .copy ? .null : encoder(track.settings),
                    "crop": crop(track.crop),
                ]) { $1 })
        }
        let microphones = plan.microphoneTracks.map { track in
            JSONValue.object([
                "name": .string(track.role), "kind": .string("microphone"), "file": .string(track.file),
                "rate": .integer(Int64(AudioFormat.sessionRate)),
            ])
        }
        return cameras + microphones + (plan.program.map { [program($0)] } ?? [])
    }

    private static func program(_ program: PlannedProgram) -> JSONValue {
        let layers = program.layers.map { layer in
            JSONValue.object([
                "role": .string(layer.role), "x": .integer(Int64(layer.rectangle.x)),
                "y": .integer(Int64(layer.rectangle.y)), "width": .integer(Int64(layer.rectangle.width)),
                "height": .integer(Int64(layer.rectangle.height)), "fit": .string(layer.fit.rawValue),
                "rotation": .integer(Int64(layer.rotation.degrees)),
                "mirrored": .boolean(layer.isMirrored), "border": .integer(Int64(layer.border)),
                "crop": crop(layer.crop),
            ])
        }
        return .object(
            size(program.settings.size, program.settings.rate).merging([
                "name": .string("program"), "kind": .string("program"), "file": .string(program.file),
                "codec": .string("h264"), "preset": .string(program.settings.preset.rawValue),
                "encoder": encoder(program.settings),
                "quality": .integer(Int64(program.settings.quality)), "layers": .array(layers),
                "mix": .array(program.mix.map { .string($0) }),
                "sound_bitrate": .integer(Int64(program.audioBitrate)),
            ]) { $1 })
    }

    /// Returns the visible part of a camera's stored frames as JSON; null for the whole frame.
    private static func crop(_ part: PixelRectangle?) -> JSONValue {
        guard let part else { return .null }
        return .object([
            "x": .integer(Int64(part.x)), "y": .integer(Int64(part.y)), "width": .integer(Int64(part.width)),
            "height": .integer(Int64(part.height)),
        ])
    }

    private static func encoder(_ settings: VideoEncodingSettings) -> JSONValue {
        guard let hardware = settings.hardware else { return .object(["name": .string("libx264")]) }
        return .object([
            "name": .string(hardware.library.printable()), "device": .string(hardware.node.printable()),
        ])
    }

    private static func size(_ size: FrameSize, _ rate: FrameRate) -> [String: JSONValue] {
        [
            "width": .integer(Int64(size.width)), "height": .integer(Int64(size.height)),
            "rate": .number(rate.perSecond),
        ]
    }
}
