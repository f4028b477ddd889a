public import Media
public import Timing

/// A track of a recording to be measured, with its files. A program with audio makes two of them.
public struct CheckedTrack: Sendable, Equatable {
    /// Content of a track.
    public enum Kind: String, Sendable, Codable {
        case camera
        case microphone
        case programFrame = "program-picture"
        case programAudio = "program-sound"

        /// Whether the track is audio.
        public var isAudio: Bool { self == .microphone || self == .programAudio }
    }

    /// Name of the track.
    public let name: String
    /// Content of the track.
    public let kind: Kind
    /// Absolute paths of its files in the order of time; several after a split.
    public let files: [String]
    /// Index of its stream in each file, from 0.
    public let stream: Int
    /// Time between two ticks of a track of frames; zero for audio.
    public let tick: Nanoseconds
    /// Longest time between two frames of its cameras by their formats; zero for audio.
    public let cameraInterval: Nanoseconds
    /// Number of frames that were not captured but stand in for others: repeats and slates. Where it is not known, `Int.max`.
    public let filled: Int
    /// Start of its first file, since T0.
    public let start: Nanoseconds
    /// Start of each file after the first, since T0; `nil` where it is not known and the file follows the one before it. A
    /// copied H.264 file continues to the next key frame after a split, so it ends later than the next one begins.
    public let laterStarts: [Nanoseconds?]
    /// Stretches in which the track, or a device that it shows, is not as captured, by the ledger.
    public let gaps: [Gap]

    /// Creates a track.
    ///
    /// - Parameters:
    ///   - name: Name of the track.
    ///   - kind: What the track contains.
    ///   - files: Absolute paths of its files in the order of time.
    ///   - stream: Index of its stream in each file, from 0.
    ///   - tick: Time between two ticks; zero for audio.
    ///   - cameraInterval: Longest time between two frames of its cameras; zero for audio.
    ///   - filled: Number of frames that stand in for others; `Int.max` where it is not known.
    ///   - start: Start of its first file, since T0.
    ///   - laterStarts: Start of each file after the first, since T0; `nil` where it is not known.
    ///   - gaps: Stretches in which the track is not as captured.
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

    /// Longest time after a gap in which a detector may report it: a detector learns again what is usual in the length of the
    /// gap, at most in this time.
    private static let longestMemory = Nanoseconds.milliseconds(800)
    private static let audioMargin = Nanoseconds.milliseconds(20)

    /// Whether an event may come from a gap: filled frames or audio begin or end there.
    func isNearGap(_ event: SharpEvent) -> Bool {
        let margin = kind.isAudio ? Self.audioMargin : frame
        return gaps.contains { gap in
            let length = Nanoseconds(gap.to.nanoseconds - gap.from.nanoseconds)
            let after = min(max(length, margin), max(Self.longestMemory, margin))
            return event.latest.nanoseconds >= gap.from.nanoseconds - margin.count
                && event.earliest.nanoseconds <= gap.to.nanoseconds + after.count
        }
    }

    /// Length of a frame for tolerances in frames: that of the slower of track and camera.
    public var frame: Nanoseconds { max(tick, cameraInterval) }
}
