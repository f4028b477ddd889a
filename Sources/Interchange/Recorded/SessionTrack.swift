public import Containers
public import Media
public import Timing

/// Everything recorded for one role: a camera's angle, a microphone, or the program. Consecutive tracks of one role
/// (`desk`, then `desk.2`) are joined.
public struct SessionTrack: Sendable, Equatable {
    /// Kind of a track.
    public enum Kind: String, Sendable {
        case camera, microphone, program
    }

    /// The role; `program` for the program.
    public let role: String
    /// Kind of the track.
    public let kind: Kind
    /// The files in order, without overlaps. During gaps between the files, nothing was recorded.
    public internal(set) var parts: [SessionPart]
    /// Frames per second of the track's grid; `nil` for audio.
    public let rate: FrameRate?
    /// Whether the frames are on the grid T0 + k / rate. Frames of a copied H.264 track are at their own capture times.
    public let isOnGrid: Bool
    /// Clockwise rotation that makes the stored frames upright. The files declare this rotation, so players
    /// apply the rotation themselves.
    public let rotation: Rotation
    /// Pixel aspect ratio of the stored frames, as declared in the files; `nil` for square pixels.
    public var pixelAspect: AspectRatio?
    /// The part of the camera's frames that the stored frames contain.
    public let shown: FramePart
    /// Number of audio channels; 0 for a track without audio.
    public let channels: Int
    /// Periods in which nothing was captured, which contain duplicated frames, a slate (a still image with a
    /// notice), or silence.
    public let gaps: [Gap]
    /// Names of the devices assigned to the role, in order, without unsafe characters.
    public let devices: [String]
    /// The camera that shows this microphone's speaker; `nil` if not specified.
    public let camera: String?

    /// Periods without usable content: identical or black pictures, or digital silence.
    public internal(set) var empty: [Range<MediaTime>] = []

    /// Origin of the track's files in a group's recording: the wall clock at T0 of the computer that recorded
    /// them, and the T0 of that computer relative to the group's T0. `nil` if the session's origin applies.
    public var origin: Origin?

    /// Origin of a track's files in a group's recording.
    public struct Origin: Sendable, Equatable {
        /// Wall clock at T0 of the computer that recorded the track.
        public let start: LocalTime
        /// The computer's T0 relative to the group's T0; positive if it is later than the group's T0.
        public let later: Nanoseconds
    }

    /// Creates a track.
    public init(
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
    public func part(at time: MediaTime) -> SessionPart? {
        parts.last { $0.from <= time && time < $0.to }
    }

    /// Returns the periods of a recording in which the track can't be used for a cut, in order: nothing was
    /// captured for a second or longer, or the captured content is empty. Used by automatic cuts.
    ///
    /// - Parameter end: End of the recording.
    /// - Returns: The periods, relative to T0; they may overlap.
    public func unusableRanges(until end: MediaTime) -> [Range<MediaTime>] {
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
    public func size(at time: MediaTime) -> FrameSize? {
        (parts.last { $0.from <= time } ?? parts.first)?.size
    }
}

/// One media file of a track: its content and its position in the session.
public struct SessionPart: Sendable, Equatable {
    /// Path of the file, relative to the session folder.
    public let file: String
    /// Index of the track's stream in the file, from 0.
    public let stream: Int
    /// Codec of the stream: `h264`, `mjpeg`, `aac` or `pcm_s24le`.
    public let codec: String
    /// Session time that corresponds to time 0 of the file.
    public let from: MediaTime
    /// Session time when the next part's first frame is shown, or when the track ends.
    public internal(set) var to: MediaTime
    /// Session time when the first frame is shown. This time equals `from`, except for a copied H.264 track,
    /// since each of its files begins with a key frame. Until this time, the frames of the previous file are
    /// shown.
    public internal(set) var firstFrame: MediaTime
    /// Size of the stored frames in pixels; `nil` for audio.
    public let size: FrameSize?

    /// Creates a part.
    public init(
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
