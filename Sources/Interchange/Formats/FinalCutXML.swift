internal import FoundationEssentials
internal import MulticamContainers
internal import MulticamMedia

/// Writes FCPXML 1.10 for Final Cut Pro and DaVinci Resolve: a multicam clip with all angles and microphones, and a
/// project that cuts between them.
///
/// Elements and attributes follow Apple's document type definition. All times are exact fractions of seconds.
struct FinalCutXML {
    private let timeline: EditTimeline
    private let start: ExactTime
    private let formats: [Format]

    /// Size and rate of frames.
    private struct Format: Hashable {
        let size: FrameSize
        let rate: FrameRate
        /// Pixel aspect ratio; `nil` for square pixels.
        var pixel: AspectRatio?
    }

    /// Creates the project of a timeline.
    static func data(of timeline: EditTimeline) -> Data { FinalCutXML(timeline).document }

    private init(_ timeline: EditTimeline) {
        self.timeline = timeline
        start = ExactTime(frame: Int64(timeline.timecode.firstFrame), at: timeline.rate)
        var formats = [Format(size: timeline.session.size, rate: timeline.rate)]
        for (track, clips) in timeline.angles {
            for clip in clips {
                guard let format = Self.format(of: clip.part, in: track), !formats.contains(format) else {
                    continue
                }
                formats.append(format)
            }
        }
        self.formats = formats
    }

    private var document: Data {
        let title = timeline.session.title
        let common: KeyValuePairs = [
            "format": "r1", "duration": duration(timeline.count), "tcStart": Self.time(start),
            "tcFormat": timeline.timecode.isDropFrame ? "DF" : "NDF",
        ]
        let media = EditXML.element(
            "media", ["id": "m1", "name": title], [EditXML.element("multicam", common, angles)])
        let sequence = EditXML.element("sequence", common, [EditXML.element("spine", [:], shots)])
        sequence.addAttribute("audioLayout", "stereo")
        sequence.addAttribute("audioRate", "48k")
        let project = EditXML.element("project", ["name": title], [sequence])
        let root = EditXML.element(
            "fcpxml", ["version": "1.10"],
            [
                EditXML.element("resources", [:], formatElements + assets + [media]),
                EditXML.element(
                    "library", [:], [EditXML.element("event", ["name": timeline.session.name], [project])]),
            ])
        return EditXML.data(root, type: "fcpxml")
    }

    // MARK: Resources

    private var formatElements: [XMLElement] {
        formats.enumerated().map { index, format in
            let (id, frame) = ("r\(index + 1)", Self.time(ExactTime(frame: 1, at: format.rate)))
            let (width, height) = ("\(format.size.width)", "\(format.size.height)")
            guard let pixel = format.pixel else {
                return EditXML.element(
                    "format",
                    [
                        "id": id, "frameDuration": frame, "width": width, "height": height,
                        "colorSpace": "1-1-1 (Rec. 709)",
                    ])
            }
            return EditXML.element(
                "format",
                [
                    "id": id, "frameDuration": frame, "width": width, "height": height,
                    "paspH": "\(pixel.width)", "paspV": "\(pixel.height)", "colorSpace": "1-1-1 (Rec. 709)",
                ])
        }
    }

    /// The files of all tracks, each listed once with the tracks that it contains.
    private var files: [(file: String, tracks: [(track: SessionTrack, part: SessionPart)])] {
        var files: [(file: String, tracks: [(track: SessionTrack, part: SessionPart)])] = []
        for track in timeline.angles.map(\.track) + timeline.sounds.map(\.track) {
            for part in track.parts {
                if let index = files.firstIndex(where: { $0.file == part.file }) {
                    files[index].tracks.append((track, part))
                } else {
                    files.append((part.file, [(track, part)]))
                }
            }
        }
        return files
    }

    private var assets: [XMLElement] {
        files.enumerated().compactMap { index, entry in
            guard let first = entry.tracks.first else { return nil }
            let pictures = entry.tracks.filter { $0.part.size != nil && $0.track.kind != .microphone }
            let channels = entry.tracks.map(\.track.channels).max() ?? 0
            let length = timeline.mediaLength(of: first.part, in: first.track)
            let asset = EditXML.element(
                "asset",
                [
                    "id": "a\(index + 1)", "name": Self.base(entry.file),
                    "start": Self.time(timeline.mediaStart(of: first.part)), "duration": Self.time(length),
                ],
                [
                    EditXML.element(
                        "media-rep", ["kind": "original-media", "src": EditXML.address(of: entry.file)])
                ])
            if let picture = pictures.first {
                asset.addAttribute("hasVideo", "1")
                asset.addAttribute(
                    "videoSources", "\(Set(pictures.map(\.part.stream)).count)")
                asset.addAttribute("format", formatID(of: picture.part, in: picture.track))
            }
            if channels > 0 {
                asset.addAttribute("hasAudio", "1")
                asset.addAttribute("audioSources", "1")
                asset.addAttribute("audioChannels", "\(channels)")
                asset.addAttribute("audioRate", "48000")
            }
            return asset
        }
    }

    private var angles: [XMLElement] {
        let cameras = timeline.angles.map { angle($0.track, $0.clips, isAudio: false) }
        let sounds = timeline.sounds.map { sound in
            // Gains are part of the cut, so each file is a single clip here.
            var clips: [EditClip] = []
            for part in sound.track.parts {
                clips += EditTimeline.clip(of: part, in: sound.track, session: timeline.session)
            }
            return angle(sound.track, clips, isAudio: true)
        }
        return cameras + sounds
    }

    private func angle(_ track: SessionTrack, _ clips: [EditClip], isAudio: Bool) -> XMLElement {
        var children: [XMLElement] = []
        var end: Int64 = 0
        let gaps = timeline.gaps(of: track)
        for clip in clips {
            if clip.frames.lowerBound > end { children.append(gap(end..<clip.frames.lowerBound)) }
            children.append(asset(clip, of: track, gaps: gaps, isAudio: isAudio))
            end = clip.frames.upperBound
        }
        if end < timeline.count { children.append(gap(end..<timeline.count)) }
        return EditXML.element(
            "mc-angle",
            ["name": timeline.name(of: track), "angleID": Self.angleID(track, isAudio: isAudio)], children)
    }

    private func gap(_ frames: Range<Int64>) -> XMLElement {
        EditXML.element(
            "gap",
            [
                "name": "Gap", "offset": time(frames.lowerBound), "start": "0s",
                "duration": duration(frames.upperBound - frames.lowerBound),
            ])
    }

    private func asset(
        _ clip: EditClip, of track: SessionTrack, gaps: [EditTimeline.Marker], isAudio: Bool
    ) -> XMLElement {
        let begin = timeline.mediaStart(of: clip.part) + clip.start
        let number = (files.firstIndex { $0.file == clip.part.file } ?? 0) + 1
        var children: [XMLElement] = []
        if !isAudio, let rate = track.rate, rate != timeline.rate {
            let known = ["23.976": "23.98", "24": "24", "25": "25", "29.97": "29.97", "30": "30", "50": "50"]
            let conform = EditXML.element("conform-rate", ["scaleEnabled": "0"])
            let name = known[rate.description] ?? ["59.94", "60"].first { $0 == rate.description }
            if let name { conform.addAttribute("srcFrameRate", name) }
            children.append(conform)
        }
        let markers = gaps.filter { $0.frames.overlaps(clip.frames) }.map { gap in
            let inside = gap.frames.clamped(to: clip.frames)
            let at = begin + ExactTime(frame: inside.lowerBound - clip.frames.lowerBound, at: timeline.rate)
            return EditXML.element(
                "marker",
                [
                    "start": Self.time(at), "duration": duration(inside.upperBound - inside.lowerBound),
                    "value": gap.text,
                ])
        }
        let position: KeyValuePairs = [
            "ref": "a\(number)", "name": Self.base(clip.part.file), "offset": time(clip.frames.lowerBound),
            "start": Self.time(begin), "duration": duration(clip.count),
        ]
        if !isAudio, clip.part.stream > 0 {
            // Additional video streams of an asset are selected by number, which only `video` supports.
            let video = EditXML.element("video", position, children + markers)
            video.addAttribute("srcID", "\(clip.part.stream + 1)")
            video.addAttribute("role", "video.\(track.role)")
            return video
        }
        let element = EditXML.element("asset-clip", position, children + markers)
        element.addAttribute("srcEnable", isAudio ? "audio" : "video")
        element.addAttribute(
            isAudio ? "audioRole" : "videoRole", (isAudio ? "dialog." : "video.") + track.role)
        if !isAudio {
            element.addAttribute("format", formatID(of: clip.part, in: track))
        }
        return element
    }

    // MARK: Edit

    /// Multicam clips of the project, split at the start of each shot and at each gain change.
    private var shots: [XMLElement] {
        let gains = timeline.sounds.flatMap {
            $0.clips.flatMap { [$0.frames.lowerBound, $0.frames.upperBound] }
        }
        let edges = Set(timeline.cut.shots.map(\.first) + gains + [timeline.count]).sorted()
        return zip(edges, edges.dropFirst()).map { first, end in
            let clips = timeline.layers.map { layer in
                layer.first { $0.frames.contains(first) } ?? layer.first { $0.frames.overlaps(first..<end) }
            }
            return shot(first..<end, clips.compactMap(\.self))
        }
    }

    private func shot(_ frames: Range<Int64>, _ clips: [EditClip]) -> XMLElement {
        let shot = timeline.cut.shot(at: frames.lowerBound)
        let note = EditXML.element("note", [:], text: shot.reason)
        let picture = clips.first.map { [source(of: $0)] } ?? []
        let sounds = timeline.sounds.compactMap { sound -> XMLElement? in
            guard let clip = sound.clips.first(where: { $0.frames.contains(frames.lowerBound) }) else {
                return nil
            }
            let level = EditXML.element("adjust-volume", ["amount": EditXML.number(clip.gain) + "dB"])
            let role = EditXML.element("audio-role-source", ["role": "dialog.\(sound.track.role)"], [level])
            return EditXML.element(
                "mc-source", ["angleID": Self.angleID(sound.track, isAudio: true), "srcEnable": "audio"],
                [role])
        }
        let over = clips.dropFirst().enumerated().map { index, clip in
            multicam(
                frames, offset: time(frames.lowerBound), name: clip.role, children: [source(of: clip)],
                attributes: [("lane", "\(index + 1)"), ("srcEnable", "video")])
        }
        let markers = timeline.markers.filter { frames.contains($0.frames.lowerBound) }.map { marker in
            EditXML.element(
                "marker",
                [
                    "start": time(marker.frames.lowerBound), "duration": duration(1), "value": marker.text,
                ])
        }
        return multicam(
            frames, offset: time(frames.lowerBound), name: shot.cameras.joined(separator: ", "),
            children: [note] + picture + sounds + over + markers,
            attributes: picture.isEmpty ? [("srcEnable", "audio")] : [])
    }

    private func multicam(
        _ frames: Range<Int64>, offset: String, name: String, children: [XMLElement],
        attributes: [(String, String)]
    ) -> XMLElement {
        let element = EditXML.element(
            "mc-clip",
            [
                "ref": "m1", "name": name.isEmpty ? "nothing" : name, "offset": offset,
                "start": time(frames.lowerBound), "duration": duration(frames.upperBound - frames.lowerBound),
            ], children)
        for (key, value) in attributes { element.addAttribute(key, value) }
        return element
    }

    /// Returns the angle for a layer, with the adjustments that position its frame in the picture.
    private func source(of clip: EditClip) -> XMLElement {
        var adjustments: [XMLElement] = []
        let size = timeline.session.size
        if let picture = clip.picture, !clip.keys.isEmpty || !picture.isPlain(in: size) {
            if !clip.keys.isEmpty || picture.source.size != picture.frame {
                adjustments.append(crop(of: picture, in: clip))
            }
            adjustments.append(EditXML.element("adjust-conform", ["type": "fit"]))
            adjustments.append(transform(of: picture, in: clip))
        }
        return EditXML.element("mc-source", ["angleID": clip.role, "srcEnable": "video"], adjustments)
    }

    /// All four values are percentages of the frame's height.
    private func crop(of picture: EditPicture, in clip: EditClip) -> XMLElement {
        let edges: KeyValuePairs<String, (EditPicture) -> Int> = [
            "left": { $0.cropMargins.left }, "top": { $0.cropMargins.top },
            "right": { $0.cropMargins.right }, "bottom": { $0.cropMargins.bottom },
        ]
        func percent(_ picture: EditPicture, _ margin: (EditPicture) -> Int) -> String {
            EditXML.number(100 * Double(margin(picture)) / Double(picture.frame.height))
        }
        let trim = EditXML.element(
            "trim-rect", [:],
            edges.flatMap { name, margin in animation(name, of: clip) { percent($0, margin) } })
        for (name, margin) in edges { trim.addAttribute(name, percent(picture, margin)) }
        return EditXML.element("adjust-crop", ["mode": "trim"], [trim])
    }

    private func transform(of picture: EditPicture, in clip: EditClip) -> XMLElement {
        let size = timeline.session.size
        func position(_ picture: EditPicture) -> String {
            let offset = picture.transform(in: size).offset
            let across = EditXML.number(100 * offset.x / Double(size.height))
            return "\(across) \(EditXML.number(-100 * offset.y / Double(size.height)))"
        }
        func scale(_ picture: EditPicture) -> String {
            let scale = picture.transform(in: size).scale
            return "\(EditXML.number(scale.x)) \(EditXML.number(scale.y))"
        }
        return EditXML.element(
            "adjust-transform",
            [
                "position": position(picture), "scale": scale(picture),
                "rotation": "\(picture.rotation == .none ? 0 : -picture.rotation.degrees)",
            ],
            animation("position", of: clip, value: position) + animation("scale", of: clip, value: scale))
    }

    /// Returns the key frames of a parameter; empty if its value doesn't change. Times are those of the project.
    private func animation(
        _ name: String, of clip: EditClip, value: (EditPicture) -> String
    ) -> [XMLElement] {
        let values = clip.keys.map { (frame: $0.frame, value: value($0.picture)) }
        guard values.contains(where: { $0.value != values.first?.value }) else { return [] }
        let frames = values.map { key in
            EditXML.element(
                "keyframe",
                [
                    "time": time(clip.frames.lowerBound + key.frame), "value": key.value, "curve": "linear",
                ])
        }
        return [
            EditXML.element("param", ["name": name], [EditXML.element("keyframeAnimation", [:], frames)])
        ]
    }

    // MARK: Attribute values

    private static func angleID(_ track: SessionTrack, isAudio: Bool) -> String {
        isAudio ? "audio-\(track.role)" : track.role
    }

    private static func format(of part: SessionPart, in track: SessionTrack) -> Format? {
        guard let size = part.size, let rate = track.rate else { return nil }
        let isTurned = track.rotation.swapsSides
        return Format(
            size: isTurned ? size.transposed : size, rate: rate,
            pixel: isTurned ? track.pixelAspect?.transposed : track.pixelAspect)
    }

    private func formatID(of part: SessionPart, in track: SessionTrack) -> String {
        "r\((Self.format(of: part, in: track).flatMap { formats.firstIndex(of: $0) } ?? 0) + 1)"
    }

    private static func base(_ file: String) -> String {
        file.split(separator: "/").last.map(String.init) ?? file
    }

    /// Returns a frame's time in the project and in the multicam clip. Both times start at the timecode of T0.
    private func time(_ frame: Int64) -> String {
        Self.time(start + ExactTime(frame: frame, at: timeline.rate))
    }

    private func duration(_ count: Int64) -> String { Self.time(ExactTime(frame: count, at: timeline.rate)) }

    private static func time(_ time: ExactTime) -> String {
        time.scale == 1 ? "\(time.value)s" : "\(time.value)/\(time.scale)s"
    }
}
