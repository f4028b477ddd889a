internal import Containers
internal import Media
internal import Plan
internal import SessionFolder
internal import Timing

/// A recording and its cut as all editors have it: tracks of clips that lie on the frames of the session's rate. Pure.
///
/// The writers of the formats differ only in how they write this.
struct EditTimeline {
    /// A region or an instant with words.
    struct Marker: Equatable {
        /// The frames at the session's rate; one for an instant.
        let frames: Range<Int64>
        /// The words, which a person or we wrote.
        let text: String
    }

    /// The recording.
    let session: RecordedSession
    /// The cut.
    let cut: Cut
    /// The layers of the cut from the back to the front: clips in order, which do not overlap.
    let layers: [[EditClip]]
    /// For each angle all that was recorded.
    let angles: [(track: SessionTrack, clips: [EditClip])]
    /// For each microphone all that was recorded, with gains; without microphones' tracks the program's audio.
    let sounds: [(track: SessionTrack, clips: [EditClip])]
    /// What people marked.
    let marks: [Marker]

    /// Lays a session out.
    init(_ session: RecordedSession, cut: Cut) {
        self.session = session
        self.cut = cut
        let whole = 0..<session.lastFrame
        angles = session.angles.map { ($0, $0.clips(in: whole, of: session)) }
        layers = Self.layers(session, cut)
        let hasProgramSound = session.microphones.isEmpty && (session.program?.channels ?? 0) > 0
        let heard = hasProgramSound ? [session.program].compactMap(\.self) : session.microphones
        sounds = heard.map { track in (track, Self.sound(of: track, in: session)) }
        marks = session.marks.map { mark in
            let frame = session.frame(at: MediaTime(nanoseconds: mark.at_ns))
            return Marker(frames: frame..<frame + 1, text: mark.text.isEmpty ? "mark" : mark.text.printable())
        }
    }

    /// Rate of the timeline.
    var rate: FrameRate { session.rate }
    /// Number of frames of the timeline.
    var count: Int64 { session.lastFrame }
    /// Time code of the first frame.
    var timecode: Timecode { session.timecode(at: rate) }

    /// The gaps of a track as regions.
    func gaps(of track: SessionTrack) -> [Marker] {
        track.gaps.compactMap { gap in
            let first = max(0, session.frame(at: gap.from))
            let end = min(count, max(first + 1, rate.ticks(before: gap.to)))
            return first < end ? Marker(frames: first..<end, text: "gap: \(gap.cause.printable())") : nil
        }
    }

    /// Whose track, in words for people: the person's name, else the role.
    func name(of track: SessionTrack) -> String {
        session.people[track.role].map { "\($0) (\(track.role))" } ?? track.role
    }

    private static func layers(_ session: RecordedSession, _ cut: Cut) -> [[EditClip]] {
        var layers: [[EditClip]] = []
        for shot in cut.shots {
            for (index, planned) in session.layers(of: shot).enumerated() {
                guard let track = session.angle(planned.role) else { continue }
                if layers.count == index { layers.append([]) }
                for clip in track.clips(in: shot.first..<shot.end, of: session) {
                    let time = max(session.rate.time(ofTick: clip.frames.lowerBound), clip.part.from)
                    // The size of a camera's frames may change within a shot, and the crop with it.
                    guard
                        let layer = session.layers(of: shot, at: time).first(where: {
                            $0.role == planned.role
                        })
                    else { continue }
                    var placed = clip
                    placed.why = shot.why
                    placed.picture = clip.part.size.flatMap { EditPicture(layer, of: track, stored: $0) }
                    if placed.picture != nil { layers[index].append(placed) }
                }
            }
        }
        return layers
    }

    /// The clip of one whole file; none where it lies between two frames.
    static func clip(of part: SessionPart, in track: SessionTrack, session: RecordedSession) -> [EditClip] {
        track.clips(in: 0..<session.lastFrame, of: session).filter { $0.part == part }
    }

    private static func sound(of track: SessionTrack, in session: RecordedSession) -> [EditClip] {
        let gains = track.kind == .program ? [(0, 0)] : session.gains(of: track.role)
        return gains.enumerated().flatMap { index, gain -> [EditClip] in
            guard let decibels = gain.1 else { return [] }
            let end = index + 1 < gains.count ? gains[index + 1].0 : session.lastFrame
            return track.clips(in: gain.0..<end, of: session).map { clip in
                var clip = clip
                clip.gain = decibels
                return clip
            }
        }
    }
}

extension SessionTrack {
    /// The files of the track in a range of the session's frames: a frame shows the part that holds its instant.
    fileprivate func clips(in frames: Range<Int64>, of session: RecordedSession) -> [EditClip] {
        parts.compactMap { part in
            let first = max(frames.lowerBound, session.rate.ticks(before: part.firstFrame))
            let end = min(frames.upperBound, session.rate.ticks(before: part.to))
            guard first < end else { return nil }
            return EditClip(
                role: role, part: part, frames: first..<end,
                start: ExactTime(frame: first, at: session.rate) - exact(part.from))
        }
    }

    /// An instant at which a file begins, exactly: it lies on the track's grid.
    func exact(_ time: MediaTime) -> ExactTime {
        guard kind != .microphone, isOnGrid, let rate else {
            let scale: Int64 = kind == .microphone ? 48_000 : 90_000
            return ExactTime(frame: time.ticks(perSecond: scale), at: FrameRate(scale))
        }
        return ExactTime(frame: rate.ticks(before: time), at: rate)
    }
}

extension EditTimeline {
    /// What an editor takes for the beginning of a file: its time code or time reference, the time of day; 0 for an MP4, which
    /// has none.
    func mediaStart(of part: SessionPart) -> ExactTime {
        if part.file.hasSuffix(".wav") {
            let track = session.microphones.first { $0.parts.contains { $0.file == part.file } }
            let (start, since) = session.origin(of: track, at: part.from)
            let samples = start.samples(rate: 48_000) + since.ticks(perSecond: 48_000)
            return ExactTime(frame: samples, at: FrameRate(48_000))
        }
        let cameras = session.angles.filter {
            $0.kind == .camera && $0.parts.contains { $0.file == part.file }
        }
        let streams = cameras.compactMap { track in
            track.parts.first { $0.file == part.file }.map { (stream: $0.stream, rate: track.rate) }
        }
        // The file's time code is that of its first stream.
        guard part.file.hasSuffix(".mov"), let rate = streams.min(by: { $0.stream < $1.stream })?.rate,
            rate >= FrameRate(1)
        else { return .zero }
        let code = session.timecode(of: cameras.first, at: part.from, rate: rate)
        return ExactTime(frame: Int64(code.firstFrame), at: rate)
    }

    /// Length of a file's own content: whole frames or samples of its track.
    func mediaLength(of part: SessionPart, in track: SessionTrack) -> ExactTime {
        guard track.kind != .microphone, let rate = track.rate, track.isOnGrid else {
            return ExactTime(
                frame: part.to.ticks(perSecond: 48_000) - part.from.ticks(perSecond: 48_000),
                at: FrameRate(48_000))
        }
        return ExactTime(frame: rate.ticks(before: part.to) - rate.ticks(before: part.from), at: rate)
    }
}
