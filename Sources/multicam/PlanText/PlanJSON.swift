import Media
import Plan
internal import Profiles
import SessionFolder

/// A plan as JSON: devices and tracks with the names and structure of a manifest.
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
            "publications": .array(plan.publications.map(publication)),
            "notes": .array(plan.notes.map { .string($0.printable(limit: 1000)) }),
        ]
    }

    private static func publication(_ publication: PlannedPublication) -> JSONValue {
        .object([
            "name": .string(publication.name), "kind": .string(publication.kind.rawValue),
            "destination": .string(publication.destination.printable(limit: 1000)),
            "of": .string(publication.source), "start": .string(publication.start.rawValue),
            "video": publication.frames.map { frames in
                .object(
                    size(frames.size, frames.rate).merging([
                        "bitrate": frames.bitrate.map { .integer(Int64($0)) } ?? .null
                    ]) { $1 })
            } ?? .null,
        ])
    }

    /// The rotation and mirroring of a connection that carries frames; empty for audio.
    private static func turning(
        of connection: PlannedConnection, in plan: SessionPlan
    ) -> [String: JSONValue] {
        guard let turning = plan.turning(of: connection) else { return [:] }
        return [
            "rotation": .integer(Int64(turning.rotation.degrees)),
            "rotated_by": .string(turning.means.rawValue),
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
            "pick": .array(microphone.pick.map { .integer(Int64($0 + 1)) }),
            "voice": microphone.voice.map {
                .object(["echo": .boolean($0.echo), "noise": .boolean($0.noise)])
            } ?? .null,
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
                "height": .integer(Int64(layer.rectangle.height)), "filling": .string(layer.filling.rawValue),
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

    /// The visible part of the camera's stored frames; null for all of them.
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
