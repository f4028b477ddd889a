public import Media
public import Timing

/// One track of a recording as it is measured: where its frames or its audio are. A program with audio is two of them.
public struct CheckedTrack: Sendable, Equatable {
    public enum Kind: String, Sendable, Codable {
        case camera
        case microphone
        case programFrame = "program-picture"
        case programAudio = "program-sound"

        public var isAudio: Bool { self == .microphone || self == .programAudio }
    }

    public let name: String
    public let kind: Kind
    /// Absolute paths, in the order of time; several after a split.
    public let files: [String]
    /// Its place in each of them.
    public let stream: Int
    /// The time between two ticks of a track of frames; zero of audio.
    public let tick: Nanoseconds
    /// The longest time between two frames of its cameras, by their format; zero of audio.
    public let cameraInterval: Nanoseconds
    /// How many of its frames were not captured but stand in for one: repeats and slates. Where that is not known, more than
    /// any recording has.
    public let filled: Int
    /// When its first file begins, since T0.
    public let start: Nanoseconds
    /// When each file after the first begins, since T0; `nil` where that is not known, and it follows the one before it. A copied
    /// H.264 file goes on to the next key frame after a split, so that it is longer than up to there.
    public let laterStarts: [Nanoseconds?]
    /// Where the ledger says that the track, or a device that it shows, is not as captured.
    public let gaps: [Gap]

    public init(
        name: String, kind: Kind, files: [String], stream: Int, tick: Nanoseconds = .zero,
        cameraInterval: Nanoseconds = .zero,
        filled: Int = .max, start: Nanoseconds = .zero, laterStarts: [Nanoseconds?] = [], gaps: [Gap] = []
    ) {
        self.name = name
        self.kind = kind
        self.files = files
        self.stream = stream
        self.tick = tick
        self.cameraInterval = cameraInterval
        self.filled = filled
        self.start = start
        self.laterStarts = laterStarts
        self.gaps = gaps
    }

    /// Before a detector knows again what is usual, a gap has passed once more; it forgets in so long.
    private static let longestMemory = Nanoseconds.milliseconds(800)
    private static let audioMargin = Nanoseconds.milliseconds(20)

    /// Whether an event may come from a gap: what was filled begins or ends there.
    func isNearGap(_ event: SharpEvent) -> Bool {
        let margin = kind.isAudio ? Self.audioMargin : frame
        return gaps.contains { gap in
            let length = Nanoseconds(gap.to.nanoseconds - gap.from.nanoseconds)
            let after = min(max(length, margin), max(Self.longestMemory, margin))
            return event.latest.nanoseconds >= gap.from.nanoseconds - margin.count
                && event.earliest.nanoseconds <= gap.to.nanoseconds + after.count
        }
    }

    /// What a tolerance in frames means here: the slower of track and camera.
    public var frame: Nanoseconds { max(tick, cameraInterval) }
}
