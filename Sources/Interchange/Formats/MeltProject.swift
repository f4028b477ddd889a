internal import FoundationEssentials
internal import MulticamMedia
internal import MulticamSessionFolder

/// Writes MLT XML for Kdenlive, Shotcut, and `melt`: a black track, the audio, the angles (hidden), and the
/// layers of the cut.
///
/// Paths are relative to the project file. Times are frames at the project's rate, as in MLT itself. A filter
/// positions each clip of the cut, since Shotcut doesn't read positions from transitions. The tracks have the
/// names and order that both editors expect.
struct MeltProject {
    private let timeline: EditTimeline

    /// Creates the project of a timeline.
    static func data(of timeline: EditTimeline) -> Data { EditXML.data(MeltProject(timeline).document) }

    init(_ timeline: EditTimeline) { self.timeline = timeline }

    private var last: String { "\(timeline.count - 1)" }

    private var document: XMLElement {
        let size = timeline.session.size
        let profile = EditXML.element(
            "profile",
            [
                "description": "multicam", "width": "\(size.width)", "height": "\(size.height)",
                "frame_rate_num": "\(timeline.rate.frames)", "frame_rate_den": "\(timeline.rate.seconds)",
                "progressive": "1", "sample_aspect_num": "1", "sample_aspect_den": "1",
                "display_aspect_num": "\(size.width)", "display_aspect_den": "\(size.height)",
                "colorspace": "709",
            ])
        let black = EditXML.element(
            "producer", ["id": "black", "in": "0", "out": last],
            properties([("mlt_service", "color"), ("resource", "black"), ("length", "\(timeline.count)")]))
        let background = EditXML.element(
            "playlist", ["id": Self.background],
            [EditXML.element("entry", ["producer": "black", "in": "0", "out": last])])
        let sounds = timeline.sounds.enumerated().map { index, sound in
            playlist("sound\(index)", timeline.name(of: sound.track), sound.clips, isAudio: true)
        }
        let angles = timeline.angles.enumerated().map { index, angle in
            playlist("angle\(index)", timeline.name(of: angle.track), angle.clips, isAudio: false)
        }
        let layers = timeline.layers.enumerated().map { index, clips in
            playlist("cut\(index)", index == 0 ? "Cut" : "Cut \(index + 1)", clips, isAudio: false)
        }
        // Kdenlive places audio tracks below video tracks.
        let tracks =
            [EditXML.element("track", ["producer": Self.background])]
            + sounds.indices.map { EditXML.element("track", ["producer": "sound\($0)", "hide": "video"]) }
            + angles.indices.map { EditXML.element("track", ["producer": "angle\($0)", "hide": "both"]) }
            + layers.indices.map { EditXML.element("track", ["producer": "cut\($0)", "hide": "audio"]) }
        let mixes = sounds.indices.map { track in
            transition("mix", onto: 1 + track, [("sum", "1")])
        }
        let composites = layers.indices.map { layer in
            transition(
                "composite", onto: 1 + sounds.count + angles.count + layer,
                [("geometry", "0/0:100%x100%:100"), ("distort", "1"), ("progressive", "1")])
        }
        let tractor = EditXML.element(
            "tractor", ["id": "multicam", "in": "0", "out": last],
            properties([
                ("shotcut", "1"), ("kdenlive:projectTractor", "1"),
                ("kdenlive:sequenceproperties.guides", guides),
            ]) + [markers] + tracks + mixes + composites)
        return EditXML.element(
            "mlt", ["LC_NUMERIC": "C", "producer": "multicam", "title": timeline.session.title],
            [profile, black] + producers + [bin, background] + sounds + angles + layers + [tractor])
    }

    /// Kdenlive's name for the black track, which Shotcut recognizes too.
    private static let background = "black_track"

    /// The clip bin of both editors, with Kdenlive's project properties.
    private var bin: XMLElement {
        let entries = sources.enumerated().map { index, source in
            EditXML.element(
                "entry", ["producer": "file\(index)", "in": "0", "out": "\(length(of: source) - 1)"])
        }
        return EditXML.element(
            "playlist", ["id": "main_bin"],
            properties([
                // Project format of Kdenlive 22.12. Later versions can read this format.
                ("kdenlive:docproperties.version", "1.04"),
                ("kdenlive:docproperties.documentid", "\(timeline.session.startSince1970.count / 1_000_000)"),
                ("kdenlive:docproperties.guides", guides), ("xml_retain", "1"),
            ]) + entries)
    }

    /// Creates a transition that composes a whole track over the tracks below. The transition is marked as
    /// created by Kdenlive itself, so that Kdenlive doesn't display it.
    private func transition(_ service: String, onto track: Int, _ list: [(String, String)]) -> XMLElement {
        EditXML.element(
            "transition", [:],
            properties(
                [
                    ("a_track", "0"), ("b_track", "\(track)"), ("mlt_service", service),
                    ("always_active", "1"), ("internal_added", "237"),
                ] + list))
    }

    // MARK: Files

    /// A media file as opened by an MLT producer. A separate producer is needed for each stream, and for each
    /// rotation that differs from the rotation declared in the file.
    private struct Source: Hashable {
        let file: String
        let stream: Int
        let rotation: Rotation?
        let isAudio: Bool

        init(_ clip: EditClip, rotation: Rotation, isAudio: Bool) {
            file = clip.part.file
            stream = clip.part.stream
            let turn = clip.picture?.rotation ?? .none
            self.rotation = isAudio || turn == .none ? nil : rotation + turn
            self.isAudio = isAudio
        }
    }

    private func source(_ clip: EditClip, isAudio: Bool) -> Source {
        Source(clip, rotation: timeline.session.angle(clip.role)?.rotation ?? .none, isAudio: isAudio)
    }

    private var sources: [Source] {
        var sources: [Source] = []
        let pictures = (timeline.angles.map(\.clips) + timeline.layers).joined().map {
            source($0, isAudio: false)
        }
        for source in pictures + timeline.sounds.flatMap(\.clips).map({ source($0, isAudio: true) })
        where !sources.contains(source) {
            sources.append(source)
        }
        return sources
    }

    private var producers: [XMLElement] {
        sources.enumerated().map { index, source in
            let length = length(of: source)
            var list = [
                ("resource", "../" + source.file), ("mlt_service", "avformat-novalidate"),
                ("length", "\(length)"),
                ("eof", "pause"), ("seekable", "1"),
                (
                    "audio_index",
                    source.isAudio ? (source.file.hasSuffix(".wav") ? "0" : audioIndex(source)) : "-1"
                ),
                ("video_index", source.isAudio ? "-1" : "\(source.stream)"),
            ]
            if let rotation = source.rotation { list.append(("rotate", "\(rotation.degrees)")) }
            // Kdenlive numbers clips starting at 2, and reserves lower numbers.
            list += [
                ("kdenlive:id", "\(index + 2)"), ("kdenlive:folderid", "-1"),
                ("kdenlive:clipname", name(of: source.file)), ("shotcut:caption", name(of: source.file)),
            ]
            return EditXML.element(
                "producer", ["id": "file\(index)", "in": "0", "out": "\(length - 1)"], properties(list))
        }
    }

    /// Returns the number of frames that clips use from a file.
    private func length(of source: Source) -> Int64 {
        let clips = timeline.angles.flatMap(\.clips) + timeline.sounds.flatMap(\.clips)
        return clips.filter { $0.part.file == source.file }.map { offset(of: $0) + $0.count }.max() ?? 1
    }

    private func name(of file: String) -> String { file.split(separator: "/").last.map(String.init) ?? file }

    /// The program's audio stream follows its video stream.
    private func audioIndex(_ source: Source) -> String {
        timeline.session.program?.parts.contains { $0.file == source.file } == true ? "1" : "\(source.stream)"
    }

    /// Returns the first frame of a clip within its file, counted from the first frame that the file shows, as in MLT.
    private func offset(of clip: EditClip) -> Int64 {
        guard clip.part.firstFrame > clip.part.from else { return clip.start.nearestFrame(at: timeline.rate) }
        return clip.frames.lowerBound - timeline.rate.ticks(before: clip.part.firstFrame)
    }

    // MARK: Tracks

    private func playlist(_ id: String, _ name: String, _ clips: [EditClip], isAudio: Bool) -> XMLElement {
        let sources = sources
        var children = properties(
            [("shotcut:name", name), ("kdenlive:track_name", name)]
                + (isAudio
                    ? [("shotcut:audio", "1"), ("kdenlive:audio_track", "1")] : [("shotcut:video", "1")]))
        var end: Int64 = 0
        for clip in clips {
            if clip.frames.lowerBound > end {
                children.append(EditXML.element("blank", ["length": "\(clip.frames.lowerBound - end)"]))
            }
            let first = offset(of: clip)
            let index = sources.firstIndex(of: source(clip, isAudio: isAudio)) ?? 0
            children.append(
                EditXML.element(
                    "entry",
                    ["producer": "file\(index)", "in": "\(first)", "out": "\(first + clip.count - 1)"],
                    properties(clip.reason.isEmpty ? [] : [("shotcut:comment", clip.reason)])
                        + filters(of: clip)))
            end = clip.frames.upperBound
        }
        return EditXML.element("playlist", ["id": id], children)
    }

    private func filters(of clip: EditClip) -> [XMLElement] {
        var filters: [XMLElement] = []
        /// Kdenlive and Shotcut name an effect separately from the MLT service that implements it.
        func add(_ service: String, kdenlive: String, shotcut: String, _ list: [(String, String)]) {
            let names = [("mlt_service", service), ("kdenlive_id", kdenlive), ("shotcut:filter", shotcut)]
            filters.append(EditXML.element("filter", [:], properties(names + list)))
        }
        if clip.gain != 0 {
            add("volume", kdenlive: "volume", shotcut: "audioGain", [("level", EditXML.number(clip.gain))])
        }
        guard let picture = clip.picture else { return filters }
        // The positions of a moving part are animated by the filter that places the picture, because MLT's filter `crop` can't be
        // animated. The picture then extends beyond its place, and is cropped there.
        let isMoving = !clip.keys.isEmpty
        if picture.source.size != picture.frame, !isMoving {
            let cut = turned(picture)
            add(
                "crop", kdenlive: "crop", shotcut: "crop",
                [
                    ("left", "\(cut.left)"), ("top", "\(cut.top)"), ("right", "\(cut.right)"),
                    ("bottom", "\(cut.bottom)"), ("use_profile", "0"),
                ])
        }
        if picture.isMirrored { add("mirror", kdenlive: "mirror", shotcut: "mirror", [("mirror", "flip")]) }
        let place = picture.target
        let whole = isMoving ? clip.keys.map { "\($0.frame)=\(wholeFrame($0.picture))" } : []
        add(
            "affine", kdenlive: "pan_zoom", shotcut: "affineSizePosition",
            [
                (
                    "transition.rect",
                    isMoving
                        ? whole.joined(separator: ";")
                        : "\(place.x) \(place.y) \(place.width) \(place.height) 1"
                ),
                ("transition.fill", "1"), ("transition.distort", "1"), ("background", "color:#00000000"),
            ])
        if isMoving, place.size != timeline.session.size {
            add(
                "qtcrop", kdenlive: "qtcrop", shotcut: "cropRectangle",
                [
                    ("rect", "\(place.x) \(place.y) \(place.width) \(place.height) 1"), ("circle", "0"),
                    ("color", "#00000000"), ("radius", "0"),
                ])
        }
        guard isMoving else { return filters }
        // Key frames are counted from the first frame of a filter, which is the first one of the clip.
        let first = offset(of: clip)
        for filter in filters {
            filter.addAttribute("in", "\(first)")
            filter.addAttribute("out", "\(first + clip.count - 1)")
        }
        return filters
    }

    /// Returns the position and size in the picture of the whole frame, of which the picture's source fills the target.
    private func wholeFrame(_ picture: EditPicture) -> String {
        let (cut, place) = (turned(picture), picture.target)
        let part = picture.rotation.swapsSides ? picture.source.size.transposed : picture.source.size
        let frame = picture.rotation.swapsSides ? picture.frame.transposed : picture.frame
        let across = Double(place.width) / Double(part.width)
        let down = Double(place.height) / Double(part.height)
        let left = picture.isMirrored ? cut.right : cut.left
        let values = [
            Double(place.x) - Double(left) * across, Double(place.y) - Double(cut.top) * down,
            Double(frame.width) * across, Double(frame.height) * down,
        ]
        return values.map(EditXML.number).joined(separator: " ") + " 1"
    }

    /// Returns the crop at each edge of the frame after the rotation, which the producer applies first.
    private func turned(_ picture: EditPicture) -> (left: Int, top: Int, right: Int, bottom: Int) {
        let cut = picture.cropMargins
        return switch picture.rotation {
        case .none: cut
        case .quarter: (cut.bottom, cut.left, cut.top, cut.right)
        case .half: (cut.right, cut.bottom, cut.left, cut.top)
        case .threeQuarters: (cut.top, cut.right, cut.bottom, cut.left)
        }
    }

    // MARK: Markers

    /// Kdenlive's markers with positions in frames and type 0.
    private var guides: String {
        let list = (timeline.markers + timeline.angles.flatMap { timeline.gaps(of: $0.track) }).map {
            marker in
            JSONValue.object([
                "comment": .string(marker.text), "pos": .integer(marker.frames.lowerBound),
                "type": .integer(0),
                "duration": .integer(marker.frames.upperBound - marker.frames.lowerBound),
            ])
        }
        return JSONText.line(JSONValue.array(list))
    }

    /// Shotcut's markers.
    private var markers: XMLElement {
        let gaps = timeline.angles.flatMap { timeline.gaps(of: $0.track) }
        let list = timeline.markers.map { ($0, "#00ff00") } + gaps.map { ($0, "#ff0000") }
        let elements = list.enumerated().map { index, entry in
            EditXML.element(
                "properties", ["name": "\(index)"],
                properties([
                    ("text", entry.0.text), ("start", clock(entry.0.frames.lowerBound)),
                    ("end", clock(entry.0.frames.upperBound - 1)), ("color", entry.1),
                ]))
        }
        return EditXML.element("properties", ["name": "shotcut:markers"], elements)
    }

    /// Formats a frame number in MLT's time format, for example `00:01:02.033`.
    private func clock(_ frame: Int64) -> String {
        let milliseconds = timeline.rate.time(ofTick: frame).ticks(perSecond: 1000)
        let seconds = milliseconds / 1000
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0.padded(2) }
        return time.joined(separator: ":") + "." + (milliseconds % 1000).padded(3)
    }

    private func properties(_ list: [(String, String)]) -> [XMLElement] {
        list.map { EditXML.element("property", ["name": $0.0], text: $0.1) }
    }
}
