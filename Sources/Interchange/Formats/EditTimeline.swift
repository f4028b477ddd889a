internal import MulticamContainers
package import MulticamMedia
internal import MulticamPlan
internal import MulticamSessionFolder
internal import MulticamTiming

/// A recording and its cut as a generic editing timeline: tracks of clips aligned to frames at the session's rate. A
/// pure value type.
///
/// All format writers use this timeline as their source and differ only in the syntax.
struct EditTimeline {
    /// A labeled region or instant.
    struct Marker: Equatable {
        /// Range of frames at the session's rate; one frame for an instant.
        let frames: Range<Int64>
        /// Text of the marker, written by the user or generated.
        let text: String
    }

    /// The recording.
    let session: RecordedSession
    /// The cut.
    let cut: Cut
    /// Layers of the cut, from back to front. Each layer contains clips in order, without overlaps.
    let layers: [[EditClip]]
    /// All recorded clips of each angle.
    let angles: [(track: SessionTrack, clips: [EditClip])]
    /// All recorded clips of each microphone, with gains. For a recording without microphone tracks, the
    /// clips of the program's audio.
    let sounds: [(track: SessionTrack, clips: [EditClip])]
    /// Markers set by users.
    let markers: [Marker]

    /// Creates the timeline of a session.
    init(_ session: RecordedSession, cut: Cut) {
        self.session = session
        self.cut = cut
        let whole = 0..<session.lastFrame
        angles = session.angles.map { ($0, $0.clips(in: whole, of: session)) }
        layers = Self.layers(session, cut)
        let hasProgramSound = session.microphones.isEmpty && (session.program?.channels ?? 0) > 0
        let heard = hasProgramSound ? [session.program].compactMap(\.self) : session.microphones
        sounds = heard.map { track in (track, Self.sound(of: track, in: session)) }
        markers = session.markers.map { marker in
            let frame = session.frame(at: MediaTime(nanoseconds: marker.at_ns))
            return Marker(
                frames: frame..<frame + 1, text: marker.text.isEmpty ? "marker" : marker.text.printable())
        }
    }

    /// Rate of the timeline.
    var rate: FrameRate { session.rate }
    /// Number of frames in the timeline.
    var count: Int64 { session.lastFrame }
    /// Timecode of the first frame.
    var timecode: Timecode { session.timecode(at: rate) }

    /// Returns the gaps of a track as regions.
    func gaps(of track: SessionTrack) -> [Marker] {
        track.gaps.compactMap { gap in
            let first = max(0, session.frame(at: gap.from))
            let end = min(count, max(first + 1, rate.ticks(before: gap.to)))
            return first < end ? Marker(frames: first..<end, text: "gap: \(gap.cause.printable())") : nil
        }
    }

    /// Returns the display name of a track: the person's name if known, otherwise the role.
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
                    // The size of a camera's frames, and therefore the crop, may change within a shot.
                    guard
                        let layer = session.layers(of: shot, at: time).first(where: {
                            $0.role == planned.role
                        })
                    else { continue }
                    var placed = clip
                    placed.reason = shot.reason
                    placed.picture = clip.part.size.flatMap { EditPicture(layer, of: track, stored: $0) }
                    placed.keys = keys(of: clip, in: shot, track, session)
                    if placed.picture != nil { layers[index].append(placed) }
                }
            }
        }
        return layers
    }

    /// Returns the key frames of a clip whose visible part automatic framing moves; empty for a clip at rest.
    private static func keys(
        of clip: EditClip, in shot: Cut.Shot, _ track: SessionTrack, _ session: RecordedSession
    ) -> [EditClip.Key] {
        guard let stored = clip.part.size else { return [] }
        var keys: [EditClip.Key] = []
        var frame = clip.frames.lowerBound
        while frame < clip.frames.upperBound {
            let time = session.rate.time(ofTick: frame)
            let layer = session.layers(of: shot, at: time).first { $0.role == track.role }
            guard let picture = layer.flatMap({ EditPicture($0, of: track, stored: stored) }) else {
                return []
            }
            keys.append(EditClip.Key(frame: frame - clip.frames.lowerBound, picture: picture))
            if session.isMoving(shot, at: time, size: session.size, style: nil) {
                frame += 1
                continue
            }
            let next = session.nextArrangement(after: time).map {
                session.rate.ticks(before: MediaTime(nanoseconds: $0.at_ns))
            }
            let end = min(max(next ?? .max, frame + 1), clip.frames.upperBound)
            if end - 1 > frame {
                keys.append(EditClip.Key(frame: end - 1 - clip.frames.lowerBound, picture: picture))
            }
            frame = end
        }
        guard keys.contains(where: { $0.picture != keys[0].picture }) else { return [] }
        return EditClip.Key.reduced(keys)
    }

    /// Returns an array with the clip of one whole file; empty if the file falls between two frames.
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
    /// Returns the track's clips in a range of the session's frames. Each frame shows the file that contains
    /// the frame's time.
    fileprivate func clips(in frames: Range<Int64>, of session: RecordedSession) -> [EditClip] {
        parts.compactMap { part in
            // The first sample of a file may be up to one sample after the frame at which the recording was split.
            let tolerance = Nanoseconds(kind == .microphone ? 20_834 : 0)
            let first = max(
                frames.lowerBound, session.rate.ticks(before: part.firstFrame.advanced(by: .zero - tolerance))
            )
            let end = min(
                frames.upperBound, session.rate.ticks(before: part.to.advanced(by: .zero - tolerance)))
            guard first < end else { return nil }
            let start = ExactTime(frame: first, at: session.rate) - exact(part.from)
            return EditClip(
                role: role, part: part, frames: first..<end, start: start.value < 0 ? .zero : start)
        }
    }

    /// Converts the start of a file to an exact time on the track's grid.
    func exact(_ time: MediaTime) -> ExactTime {
        guard kind != .microphone, isOnGrid, let rate else {
            let scale: Int64 = kind == .microphone ? 48_000 : 90_000
            return ExactTime(frame: time.ticks(perSecond: scale), at: FrameRate(scale))
        }
        return ExactTime(frame: rate.ticks(before: time), at: rate)
    }
}

extension EditTimeline {
    /// Returns the start time of a file as editors read it: its timecode or time reference, which is the time of day; 0
    /// for an MP4 file, which has neither.
    func mediaStart(of part: SessionPart) -> ExactTime {
        if part.file.hasSuffix(".wav") {
            let track = session.microphones.first { $0.parts.contains { $0.file == part.file } }
            let (start, since) = session.origin(of: track, at: part.from)
            let samples = start.samples(rate: 48_000) + since.ticks(perSecond: 48_000)
            // The file's time reference wraps around at midnight.
            let day: Int64 = 86_400 * 48_000
            return ExactTime(frame: (samples % day + day) % day, at: FrameRate(48_000))
        }
        let cameras = session.angles.filter {
            $0.kind == .camera && $0.parts.contains { $0.file == part.file }
        }
        let streams = cameras.compactMap { track in
            track.parts.first { $0.file == part.file }.map { (stream: $0.stream, rate: track.rate) }
        }
        // The timecode of a file refers to the first stream in the file.
        guard part.file.hasSuffix(".mov"), let rate = streams.min(by: { $0.stream < $1.stream })?.rate,
            rate >= FrameRate(1)
        else { return .zero }
        let code = session.timecode(of: cameras.first, at: part.from, rate: rate)
        return ExactTime(frame: Int64(code.firstFrame), at: rate)
    }

    /// Returns the length of a file's content: whole frames or samples of its track.
    func mediaLength(of part: SessionPart, in track: SessionTrack) -> ExactTime {
        guard track.kind != .microphone, let rate = track.rate, track.isOnGrid else {
            return ExactTime(
                frame: part.to.ticks(perSecond: 48_000) - part.from.ticks(perSecond: 48_000),
                at: FrameRate(48_000))
        }
        return ExactTime(frame: rate.ticks(before: part.to) - rate.ticks(before: part.from), at: rate)
    }
}

/// A part of a media file in a timeline.
struct EditClip: Equatable {
    /// Role of the track that the file belongs to.
    let role: String
    /// The file.
    let part: SessionPart
    /// The session's frames that the clip covers, at the session's rate.
    let frames: Range<Int64>
    /// Start of the clip within the file.
    let start: ExactTime
    /// Position of the picture at the beginning of the clip; `nil` for audio, and for clips of angles outside the cut.
    var picture: EditPicture?
    /// The picture at key frames, the first and the last frame of the clip included, if the visible part moves. Between key
    /// frames, editors interpolate linearly.
    var keys: [Key] = []
    /// Audio gain in decibels.
    var gain: Double = 0
    /// The reason for the shot, or an empty string.
    var reason = ""

    /// Number of frames at the session's rate.
    var count: Int64 { frames.upperBound - frames.lowerBound }

    /// The picture at a frame of a clip.
    struct Key: Equatable {
        /// Number of the frame, counted from the beginning of the clip.
        let frame: Int64
        /// Position of the picture.
        let picture: EditPicture

        /// Largest error of an interpolated edge, in pixels of the frame. Visible parts have even positions and sizes, so a
        /// smaller limit would keep the rounding.
        private static let tolerance = 2.0
        /// Largest number of frames between key frames that is checked.
        private static let longestSpan = 300

        /// Returns the keys that are necessary to interpolate all others.
        static func reduced(_ keys: [Key]) -> [Key] {
            guard var first = keys.indices.first else { return [] }
            var kept = [keys[first]]
            while first < keys.count - 1 {
                var end = first + 1
                while end + 1 < keys.count, end + 1 - first <= longestSpan,
                    isLine(keys[first], keys[end + 1], through: keys[(first + 1)...end])
                {
                    end += 1
                }
                kept.append(keys[end])
                first = end
            }
            return kept
        }

        private static func isLine(_ first: Key, _ last: Key, through keys: ArraySlice<Key>) -> Bool {
            let count = Double(last.frame - first.frame)
            return keys.allSatisfy { key in
                let share = Double(key.frame - first.frame) / count
                return zip(key.edges, zip(first.edges, last.edges)).allSatisfy { edge, ends in
                    abs(ends.0 + (ends.1 - ends.0) * share - edge) <= tolerance
                }
            }
        }

        private var edges: [Double] {
            let part = picture.source
            return [part.x, part.y, part.x + part.width, part.y + part.height].map(Double.init)
        }
    }
}

/// The visible part of a file's upright frame, and its position in the edited picture.
///
/// Players apply the rotation declared in a file, so all values refer to the frame as players show it.
struct EditPicture: Equatable {
    /// Size in pixels of the whole frame as players show it.
    let frame: FrameSize
    /// The visible part of the whole frame, in the frame's pixels.
    let source: PixelRectangle
    /// Position in the edited picture, in its pixels.
    let target: PixelRectangle
    /// Clockwise rotation to apply in addition to the one declared in the file.
    let rotation: Rotation
    /// Whether the picture is mirrored horizontally after the rotation.
    let isMirrored: Bool
    /// Width in pixels of a white border inside the target rectangle.
    let border: Int
    /// Pixel aspect ratio of the frame as players show it, after the rotation declared in the file.
    private let pixelAspect: AspectRatio

    /// Places a layer; `nil` if no part of it is visible.
    init?(_ layer: PlannedLayer, of track: SessionTrack, stored: FrameSize) {
        guard
            let placement = Placement(
                of: stored, pixel: layer.pixelAspect, crop: layer.crop, rotation: layer.rotation,
                fit: layer.fit,
                into: layer.rectangle)
        else { return nil }
        frame = track.rotation.swapsSides ? stored.transposed : stored
        source = placement.source.turned(by: track.rotation, in: stored)
        target = placement.target
        rotation = layer.rotation - track.rotation
        isMirrored = layer.isMirrored
        border = layer.border
        let stated = layer.pixelAspect ?? .square
        pixelAspect = track.rotation.swapsSides ? stated.transposed : stated
    }

    /// Pixels cropped at the left, top, right, and bottom edges of the frame.
    var cropMargins: (left: Int, top: Int, right: Int, bottom: Int) {
        (
            source.x, source.y, frame.width - source.x - source.width,
            frame.height - source.y - source.height
        )
    }

    /// Whether the whole frame fills the whole picture, without rotation or mirroring.
    func isPlain(in size: FrameSize) -> Bool {
        source.size == frame && target == PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
            && rotation == .none && !isMirrored
    }

    /// Returns the transform for editors that first fit the whole frame into the picture, then scale and
    /// rotate it and move its center.
    ///
    /// - Parameter size: Size of the edited picture in pixels.
    /// - Returns: Horizontal and vertical scale factors (the horizontal one is negative for a mirrored
    ///   picture), and the offset of the center in pixels to the right and down.
    func transform(in size: FrameSize) -> (scale: (x: Double, y: Double), offset: (x: Double, y: Double)) {
        // Editors use square pixels with the height of the frame.
        let square = Double(pixelAspect.width) / Double(pixelAspect.height)
        let fit = min(
            Double(size.width) / (Double(frame.width) * square), Double(size.height) / Double(frame.height))
        let place = rotation.swapsSides ? target.size.transposed : target.size
        let scale = (
            x: Double(place.width) / (Double(source.width) * square) / fit,
            y: Double(place.height) / Double(source.height) / fit
        )
        // Offset from the center of the frame to the center of the visible part, as it appears in the picture.
        let across =
            (Double(source.x) + Double(source.width) / 2 - Double(frame.width) / 2) * square * scale.x * fit
        let down = (Double(source.y) + Double(source.height) / 2 - Double(frame.height) / 2) * scale.y * fit
        var way: (x: Double, y: Double) =
            switch rotation {
            case .none: (across, down)
            case .quarter: (-down, across)
            case .half: (-across, -down)
            case .threeQuarters: (down, -across)
            }
        if isMirrored { way.x = -way.x }
        let middle = (
            x: Double(target.x) + Double(target.width) / 2 - Double(size.width) / 2,
            y: Double(target.y) + Double(target.height) / 2 - Double(size.height) / 2
        )
        return ((isMirrored ? -scale.x : scale.x, scale.y), (middle.x - way.x, middle.y - way.y))
    }
}

extension PixelRectangle {
    /// Returns the rectangle with the same pixels after the frame is rotated clockwise.
    fileprivate func turned(by rotation: Rotation, in frame: FrameSize) -> Self {
        switch rotation {
        case .none: self
        case .quarter: Self(x: frame.height - y - height, y: x, width: height, height: width)
        case .half:
            Self(x: frame.width - x - width, y: frame.height - y - height, width: width, height: height)
        case .threeQuarters: Self(x: y, y: frame.width - x - width, width: height, height: width)
        }
    }
}

/// A time in seconds as an exact fraction in lowest terms. The fraction is exact, so that editors don't need
/// to round the start of a frame.
package struct ExactTime: Sendable, Hashable {
    /// Numerator in units of `1 / scale` seconds.
    package let value: Int64
    /// Number of units per second; positive.
    package let scale: Int64

    /// Time zero.
    package static let zero = ExactTime(0, over: 1)

    /// Creates a time of `value / scale` seconds. Values that don't fit are clamped.
    private init(_ value: Int128, over scale: Int128) {
        var (a, b) = (value.magnitude, scale.magnitude)
        while b != 0 { (a, b) = (b, a % b) }
        let divisor = Int128(max(a, 1))
        self.value = Int64(clamping: value / divisor)
        self.scale = max(1, Int64(clamping: scale / divisor))
    }

    /// Creates the time of a frame at a rate, counted from 0.
    package init(frame: Int64, at rate: FrameRate) {
        self.init(Int128(frame) * Int128(rate.seconds), over: Int128(rate.frames))
    }

    /// Exact sum and difference of two times.
    static func - (left: Self, right: Self) -> Self {
        Self(
            Int128(left.value) * Int128(right.scale) - Int128(right.value) * Int128(left.scale),
            over: Int128(left.scale) * Int128(right.scale))
    }

    static func + (left: Self, right: Self) -> Self { left - (.zero - right) }

    /// Returns the time in frames at a rate, including fractions of a frame.
    package func frames(at rate: FrameRate) -> Double {
        Double(value) * Double(rate.frames) / (Double(scale) * Double(rate.seconds))
    }

    /// Returns the nearest frame at a rate.
    package func nearestFrame(at rate: FrameRate) -> Int64 {
        let product = Int128(value) * Int128(rate.frames)
        let divisor = Int128(scale) * Int128(rate.seconds)
        return Int64(clamping: (2 * product + (product < 0 ? -divisor : divisor)) / (2 * divisor))
    }
}
