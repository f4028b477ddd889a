package import MulticamContainers
package import MulticamMedia
package import MulticamTiming

/// Everything recorded for one role: a camera's angle, a microphone, or the program. Consecutive tracks of one role
/// (`desk`, then `desk.2`) are joined.
package struct SessionTrack: Sendable, Equatable {
    /// Kind of a track.
    package enum Kind: String, Sendable {
        case camera, microphone, program
    }

    /// The role; `program` for the program.
    package let role: String
    /// Kind of the track.
    package let kind: Kind
    /// The files in order, without overlaps. During gaps between the files, nothing was recorded.
    package internal(set) var parts: [SessionPart]
    /// Frames per second of the track's grid; `nil` for audio.
    package let rate: FrameRate?
    /// Whether the frames are on the grid T0 + k / rate. Frames of a copied H.264 track are at their own capture times.
    package let isOnGrid: Bool
    /// Clockwise rotation that makes the stored frames upright. The files declare this rotation, so players
    /// apply the rotation themselves.
    package let rotation: Rotation
    /// Pixel aspect ratio of the stored frames, as declared in the files; `nil` for square pixels.
    package var pixelAspect: AspectRatio?
    /// The part of the camera's frames that the stored frames contain.
    package let shown: FramePart
    /// Number of audio channels; 0 for a track without audio.
    package let channels: Int
    /// Periods in which nothing was captured, which contain duplicated frames, a slate (a still image with a
    /// notice), or silence.
    package let gaps: [Gap]
    /// Names of the devices assigned to the role, in order, without unsafe characters.
    package let devices: [String]
    /// The camera that shows this microphone's speaker; `nil` if not specified.
    package let camera: String?

    /// Periods without usable content: identical or black pictures, or digital silence.
    package internal(set) var empty: [Range<MediaTime>] = []

    /// Origin of the track's files in a group's recording: the wall clock at T0 of the computer that recorded
    /// them, and the T0 of that computer relative to the group's T0. `nil` if the session's origin applies.
    package var origin: Origin?

    /// Origin of a track's files in a group's recording.
    package struct Origin: Sendable, Equatable {
        /// Wall clock at T0 of the computer that recorded the track.
        package let start: LocalTime
        /// The computer's T0 relative to the group's T0; positive if it is later than the group's T0.
        package let later: Nanoseconds
    }

    /// Creates a track.
    package init(
        role: String, kind: Kind, parts: [SessionPart], rate: FrameRate? = nil, isOnGrid: Bool = true,
        rotation: Rotation = .none, shown: FramePart = .whole, channels: Int = 0, gaps: [Gap] = [],
        devices: [String] = [], camera: String? = nil
    ) {
        self.role = role
        self.kind = kind
        self.parts = parts
        self.rate = rate
        self.isOnGrid = isOnGrid
        self.rotation = rotation
        self.shown = shown
        self.channels = channels
        self.gaps = gaps
        self.devices = devices
        self.camera = camera
    }

    /// Returns the part that contains an instant; `nil` if nothing was recorded.
    package func part(at time: MediaTime) -> SessionPart? {
        parts.last { $0.from <= time && time < $0.to }
    }

    /// Returns the periods of a recording in which the track can't be used for a cut, in order: nothing was
    /// captured for a second or longer, or the captured content is empty. Used by automatic cuts.
    ///
    /// - Parameter end: End of the recording.
    /// - Returns: The periods, relative to T0; they may overlap.
    package func unusableRanges(until end: MediaTime) -> [Range<MediaTime>] {
        var stretches = gaps.filter { $0.from < $0.to }.map { $0.from..<$0.to } + empty
        var last = MediaTime.zero
        for part in parts {
            if last < part.from { stretches.append(last..<part.from) }
            last = max(last, part.to)
        }
        if last < end { stretches.append(last..<end) }
        return stretches.map { $0.clamped(to: .zero..<max(end, .zero)) }.filter { stretch in
            stretch.upperBound.nanoseconds - stretch.lowerBound.nanoseconds >= Self.shortestOutage.count
        }.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The shortest period without a picture that a cut avoids.
    private static let shortestOutage = Nanoseconds.seconds(1)

    /// Returns the size of the stored frames at an instant. If no part contains the instant, returns the size
    /// in the nearest earlier part or else in the first part; `nil` for audio.
    package func size(at time: MediaTime) -> FrameSize? {
        (parts.last { $0.from <= time } ?? parts.first)?.size
    }
}

/// One media file of a track: its content and its position in the session.
package struct SessionPart: Sendable, Equatable {
    /// Path of the file, relative to the session folder.
    package let file: String
    /// Index of the track's stream in the file, from 0.
    package let stream: Int
    /// Codec of the stream: `h264`, `mjpeg`, `aac` or `pcm_s24le`.
    package let codec: String
    /// Session time that corresponds to time 0 of the file.
    package let from: MediaTime
    /// Session time when the next part's first frame is shown, or when the track ends.
    package internal(set) var to: MediaTime
    /// Session time when the first frame is shown. This time equals `from`, except for a copied H.264 track,
    /// since each of its files begins with a key frame. Until this time, the frames of the previous file are
    /// shown.
    package internal(set) var firstFrame: MediaTime
    /// Size of the stored frames in pixels; `nil` for audio.
    package let size: FrameSize?

    /// Creates a part.
    package init(
        file: String, stream: Int, codec: String, from: MediaTime, to: MediaTime, size: FrameSize? = nil
    ) {
        self.file = file
        self.stream = stream
        self.codec = codec
        self.from = from
        self.to = to
        firstFrame = from
        self.size = size
    }
}
