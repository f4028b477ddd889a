internal import FoundationEssentials
internal import MulticamContainers
internal import MulticamMedia
internal import MulticamSessionFolder

/// Writes OpenTimelineIO: all angles at the bottom, one per track and disabled, then the layers of the cut,
/// then the audio.
///
/// OpenTimelineIO doesn't define fields for position and scale. These values are stored in pixels in the `multicam`
/// metadata, and in the effect that DaVinci Resolve writes and reads.
struct OpenTimeline {
    private let timeline: EditTimeline

    /// Creates the project of a timeline.
    static func data(of timeline: EditTimeline) -> Data {
        JSONText.pretty(OpenTimeline(timeline: timeline).document) + Data("\n".utf8)
    }

    private var document: JSONValue {
        let angles = timeline.angles.map { angle in
            track(
                timeline.name(of: angle.track), "Video", angle.clips, of: angle.track, isEnabled: false,
                markers: timeline.gaps(of: angle.track).map { marker($0, "RED") })
        }
        let layers = timeline.layers.enumerated().map { index, clips in
            track(index == 0 ? "Cut" : "Cut \(index + 1)", "Video", clips, of: nil)
        }
        let sounds = timeline.sounds.map { sound in
            track(
                timeline.name(of: sound.track), "Audio", sound.clips, of: sound.track,
                markers: timeline.gaps(of: sound.track).map { marker($0, "RED") })
        }
        let stack = object(
            "Stack.1", "tracks",
            [
                "children": .array(angles + layers + sounds),
                "markers": .array(timeline.markers.map { marker($0, "GREEN") }),
            ])
        return object(
            "Timeline.1", timeline.session.title,
            [
                "global_start_time": time(Double(timeline.timecode.firstFrame), at: timeline.rate),
                "tracks": stack,
                "metadata": .object([
                    "multicam": .object([
                        "people": .object(timeline.session.people.mapValues { .string($0) }),
                        "width": .integer(Int64(timeline.session.size.width)),
                        "height": .integer(Int64(timeline.session.size.height)),
                        "drop_frame": .boolean(timeline.timecode.isDropFrame),
                    ])
                ]),
            ])
    }

    // MARK: Tracks

    private func track(
        _ name: String, _ kind: String, _ clips: [EditClip], of track: SessionTrack?, isEnabled: Bool = true,
        markers: [JSONValue] = []
    ) -> JSONValue {
        var children: [JSONValue] = []
        var end: Int64 = 0
        for clip in clips {
            if clip.frames.lowerBound > end { children.append(gap(clip.frames.lowerBound - end)) }
            if let owner = track ?? timeline.session.angle(clip.role) {
                children.append(item(clip, of: owner))
            }
            end = clip.frames.upperBound
        }
        if end < timeline.count { children.append(gap(timeline.count - end)) }
        return object(
            "Track.1", name,
            [
                "kind": .string(kind), "children": .array(children), "markers": .array(markers),
                "enabled": .boolean(isEnabled),
                "metadata": .object(["multicam": .object(track.map { ["role": .string($0.role)] } ?? [:])]),
            ])
    }

    private func gap(_ count: Int64) -> JSONValue {
        object("Gap.1", "", ["source_range": range(0, Double(count), at: timeline.rate)])
    }

    private func item(_ clip: EditClip, of track: SessionTrack) -> JSONValue {
        let begin = timeline.mediaStart(of: clip.part)
        let mediaRate = track.kind == .microphone ? FrameRate(48_000) : track.rate ?? timeline.rate
        let length = timeline.mediaLength(of: clip.part, in: track)
        let media = object(
            "ExternalReference.1", clip.part.file,
            [
                "target_url": .string(EditXML.address(of: clip.part.file)),
                "available_range": range(
                    begin.frames(at: mediaRate), length.frames(at: mediaRate), at: mediaRate),
                "metadata": .object([
                    "multicam": .object([
                        "stream": .integer(Int64(clip.part.stream)),
                        "variable_rate": .boolean(!track.isOnGrid),
                        "rotation": .integer(Int64(track.rotation.degrees)),
                    ])
                ]),
            ])
        var known: [String: JSONValue] = ["role": .string(track.role)]
        var effects: [JSONValue] = []
        if !clip.reason.isEmpty { known["why"] = .string(clip.reason) }
        if track.kind == .microphone {
            known["gain_db"] = .number(clip.gain)
            if clip.gain != 0 { effects.append(effect("Volume", 62, [("volume", clip.gain, 0)])) }
        }
        if let picture = clip.picture {
            known["picture"] = facts(of: picture)
            if !clip.keys.isEmpty || !picture.isPlain(in: timeline.session.size) {
                effects.append(transform(picture, clip.keys))
            }
            if !clip.keys.isEmpty {
                known["motion"] = .array(
                    clip.keys.map { key in
                        .object([
                            "frame": .integer(key.frame), "source": rectangle(key.picture.source),
                        ])
                    })
            }
        }
        return object(
            "Clip.2", track.devices.last.map { "\(track.role): \($0)" } ?? track.role,
            [
                "source_range": range(
                    (begin + clip.start).frames(at: timeline.rate), Double(clip.count), at: timeline.rate),
                "media_references": .object(["DEFAULT_MEDIA": media]),
                "active_media_reference_key": .string("DEFAULT_MEDIA"), "effects": .array(effects),
                "metadata": .object(["multicam": .object(known)]),
            ])
    }

    // MARK: Picture effects

    private func rectangle(_ pixels: PixelRectangle) -> JSONValue {
        .object([
            "x": .integer(Int64(pixels.x)), "y": .integer(Int64(pixels.y)),
            "width": .integer(Int64(pixels.width)), "height": .integer(Int64(pixels.height)),
        ])
    }

    private func facts(of picture: EditPicture) -> JSONValue {
        .object([
            "source": rectangle(picture.source), "target": rectangle(picture.target),
            "rotation": .integer(Int64(picture.rotation.degrees)), "mirrored": .boolean(picture.isMirrored),
            "border": .integer(Int64(picture.border)),
        ])
    }

    /// Zoom values are factors relative to the frame fitted into the picture. Offsets are fractions of the
    /// picture's width and height, to the right and up.
    private func transform(_ picture: EditPicture, _ keys: [EditClip.Key]) -> JSONValue {
        let size = timeline.session.size
        let turn = picture.rotation == .none ? 0 : 360 - picture.rotation.degrees
        func values(of picture: EditPicture) -> [(id: String, value: Double, usual: Double)] {
            let (scale, offset) = picture.transform(in: size)
            return [
                ("transformationZoomX", abs(scale.x), 1), ("transformationZoomY", scale.y, 1),
                ("transformationPan", offset.x / Double(size.width), 0),
                ("transformationTilt", -offset.y / Double(size.height), 0),
                ("transformationRotationAngle", Double(turn), 0),
            ]
        }
        let frames = keys.map { (frame: $0.frame, values: values(of: $0.picture).map(\.value)) }
        return effect(
            "Transform", 2, values(of: picture), frames: frames,
            isFlipped: picture.transform(in: size).scale.x < 0)
    }

    private func effect(
        _ name: String, _ type: Int64, _ parameters: [(id: String, value: Double, usual: Double)],
        frames: [(frame: Int64, values: [Double])] = [], isFlipped: Bool = false
    ) -> JSONValue {
        var list = parameters.enumerated().map { index, parameter in
            // Frames are counted from the beginning of the clip.
            let values = frames.map { (frame: $0.frame, value: $0.values[index]) }
            let isMoving = values.contains { $0.value != values.first?.value }
            let keys = (isMoving ? values : []).map { key in
                (
                    "\(key.frame)",
                    JSONValue.object(["Value": .number(key.value), "Variant Type": .string("Double")])
                )
            }
            return JSONValue.object([
                "Parameter ID": .string(parameter.id), "Parameter Value": .number(parameter.value),
                "Default Parameter Value": .number(parameter.usual),
                "Key Frames": .object(Dictionary(keys, uniquingKeysWith: { first, _ in first })),
                "Variant Type": .string("Double"),
            ])
        }
        if isFlipped {
            list.append(
                .object([
                    "Parameter ID": .string("transformationFlipX"), "Parameter Value": .boolean(true),
                    "Default Parameter Value": .boolean(false), "Key Frames": .object([:]),
                    "Variant Type": .string("Bool"),
                ]))
        }
        return object(
            "Effect.1", "",
            [
                "effect_name": .string("Resolve Effect"),
                "metadata": .object([
                    "Resolve_OTIO": .object([
                        "Effect Name": .string(name), "Name": .string(name), "Enabled": .boolean(true),
                        "Type": .integer(type), "Parameters": .array(list),
                    ])
                ]),
            ])
    }

    // MARK: Schema objects

    private func object(_ schema: String, _ name: String, _ fields: [String: JSONValue]) -> JSONValue {
        .object(fields.merging(["OTIO_SCHEMA": .string(schema), "name": .string(name)]) { own, _ in own })
    }

    private func marker(_ marker: EditTimeline.Marker, _ color: String) -> JSONValue {
        let count = marker.frames.upperBound - marker.frames.lowerBound
        return object(
            "Marker.2", marker.text,
            [
                "marked_range": range(Double(marker.frames.lowerBound), Double(count), at: timeline.rate),
                "color": .string(color),
            ])
    }

    private func range(_ start: Double, _ duration: Double, at rate: FrameRate) -> JSONValue {
        .object([
            "OTIO_SCHEMA": .string("TimeRange.1"), "start_time": time(start, at: rate),
            "duration": time(duration, at: rate),
        ])
    }

    private func time(_ value: Double, at rate: FrameRate) -> JSONValue {
        .object([
            "OTIO_SCHEMA": .string("RationalTime.1"), "value": .number(value),
            "rate": .number(rate.perSecond),
        ])
    }
}
