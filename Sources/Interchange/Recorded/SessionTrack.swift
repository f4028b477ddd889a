public import Containers
public import Media
public import Timing

/// All that was recorded of one role: a camera's angle, a microphone, or the program. Tracks of one role that follow each other
/// (`desk`, then `desk.2`) are one.
public struct SessionTrack: Sendable, Equatable {
    /// What a track shows or lets hear.
    public enum Kind: String, Sendable {
        case camera, microphone, program
    }

    /// The role; `program` for the program.
    public let role: String
    /// What the track is.
    public let kind: Kind
    /// The files in order. They do not overlap; between them nothing was recorded.
    public internal(set) var parts: [SessionPart]
    /// Frames per second of the track's grid; `nil` for audio.
    public let rate: FrameRate?
    /// Whether the frames lie on the grid T0 + k / rate. Those of a copied H.264 track lie at their own capture times.
    public let isOnGrid: Bool
    /// The clockwise rotation that makes the stored frames upright. The files state it, so players apply it themselves.
    public let rotation: Rotation
    /// The part of the camera's frames that the stored frames show.
    public let shown: FramePart
    /// Number of audio channels; 0 where the track has no audio.
    public let channels: Int
    /// Stretches for which nothing was captured: repeated frames, a slate or silence stand there.
    public let gaps: [Gap]
    /// Names of the devices that played the role, in order, without what could harm a reader.
    public let devices: [String]
    /// The camera that shows who speaks into this microphone; `nil` where nobody said.
    public let camera: String?

    /// Of a group's recording, what the track's files count from: the wall clock at T0 of the computer that recorded them, and how much later
    /// than the group's T0 that was. `nil` where that is the session's.
    public var origin: Origin?

    /// What a track's files count from, in a group's recording.
    public struct Origin: Sendable, Equatable {
        /// The wall clock at the T0 of the computer that recorded the track.
        public let start: LocalTime
        /// How much later than the group's T0 that was.
        public let later: Nanoseconds
    }

    /// Describes a track.
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

    /// The part that holds an instant; `nil` where nothing was recorded.
    public func part(at time: MediaTime) -> SessionPart? {
        parts.last { $0.from <= time && time < $0.to }
    }

    /// The size of the stored frames at an instant, or of the nearest part before, or the first; `nil` for audio.
    public func size(at time: MediaTime) -> FrameSize? {
        (parts.last { $0.from <= time } ?? parts.first)?.size
    }
}
