public import Media

/// One track of a recording as it is measured: where its pictures or its sound are. A program with sound is two of them.
public struct CheckedTrack: Sendable, Equatable {
    public enum Kind: String, Sendable, Codable {
        case camera
        case microphone
        case programPicture = "program-picture"
        case programSound = "program-sound"

        public var isSound: Bool { self == .microphone || self == .programSound }
    }

    public let name: String
    public let kind: Kind
    /// Absolute paths, in the order of time; several after a split.
    public let files: [String]
    /// Its place in each of them.
    public let stream: Int
    /// The time between two ticks of a track of pictures; zero of sound.
    public let tick: Nanoseconds
    /// The longest time between two pictures of its cameras, by their format; zero of sound.
    public let cameraInterval: Nanoseconds
    /// How many of its pictures were not captured but stand in for one: repeats and slates. Where that is not known, more than
    /// any recording has.
    public let filled: Int
    /// When its first file begins, since T0.
    public let start: Nanoseconds

    public init(
        name: String, kind: Kind, files: [String], stream: Int, tick: Nanoseconds = .zero,
        cameraInterval: Nanoseconds = .zero,
        filled: Int = .max, start: Nanoseconds = .zero
    ) {
        self.name = name
        self.kind = kind
        self.files = files
        self.stream = stream
        self.tick = tick
        self.cameraInterval = cameraInterval
        self.filled = filled
        self.start = start
    }

    /// What a tolerance in frames means here: the slower of track and camera.
    public var frame: Nanoseconds { max(tick, cameraInterval) }
}
