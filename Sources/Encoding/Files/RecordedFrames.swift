public import Media

/// Finds single frames of a recorded file by their times, in any order. Used by one thread alone.
///
/// Times are the file's own: 0 is where a player begins. A JPEG comes as it lies in the file, anything else decoded. Frames that
/// follow each other cost least.
public final class RecordedFrames {
    /// A frame of the file.
    public struct Found {
        /// The frame. A JPEG that repeats the one before it byte for byte is the same object.
        public let frame: CapturedFrame
        /// When the frame begins in the file.
        public let time: MediaTime
        /// When the first of the equal JPEGs before it begins, as far as they were read; else `time`.
        public let since: MediaTime
    }

    private let reader: TrackReader
    /// The frame found last, and the one after it: who goes on frame by frame seeks nothing.
    private var current: Found?
    private var next: Found?
    private var hasEnded = false

    /// A frame that lies so far ahead is reached by reading what lies between.
    private static let near = Nanoseconds.seconds(2)
    /// How far back the search begins anew when a seek came too late; doubled with each step.
    private static let firstStep = Nanoseconds.milliseconds(500)
    private static let mostSteps = 8

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - number: Index of the stream in the file.
    /// - Throws: When the file cannot be read, or has no video there.
    public init(path: String, stream number: Int) throws(EncodingError) {
        reader = try TrackReader(path: path, stream: number, media: .video, isMeasured: false)
    }

    /// Finds the frame that is shown at a time: the last one that begins then or earlier, else the first of all.
    ///
    /// - Parameters:
    ///   - time: The file's time.
    ///   - start: Where reading begins at the latest when it has to seek; `nil` for `time`.
    /// - Returns: The frame; `nil` where the file has none.
    /// - Throws: When reading fails.
    public func frame(at time: MediaTime, readFrom start: MediaTime? = nil) throws(EncodingError) -> Found? {
        if !isReachable(time) { try seek(before: time, from: min(time, start ?? time)) }
        while let following = next, following.time <= time {
            current = following
            try advance()
        }
        return current ?? next
    }

    /// Whether the frame is the current one, or comes soon.
    private func isReachable(_ time: MediaTime) -> Bool {
        guard let current, current.time <= time else { return false }
        guard let next else { return hasEnded }
        return time.nanoseconds - next.time.nanoseconds <= Self.near.count
    }

    private func seek(before time: MediaTime, from start: MediaTime) throws(EncodingError) {
        var start = max(start, .zero)
        var step = Self.firstStep
        for _ in 0..<Self.mostSteps {
            (current, next, hasEnded) = (nil, nil, false)
            try reader.seek(to: start)
            try advance()
            // Of frames that are reordered the one that is sought may be shown later than it lies.
            guard let next, next.time > time, start > .zero else { return }
            start = max(MediaTime(nanoseconds: start.nanoseconds - step.count), .zero)
            step = step + step
        }
    }

    private func advance() throws(EncodingError) {
        guard let (frame, time) = try reader.nextFrame() else {
            (next, hasEnded) = (nil, true)
            return
        }
        let repeated = (next ?? current).flatMap { $0.frame === frame ? $0 : nil }
        next = Found(frame: frame, time: time, since: repeated?.since ?? time)
    }
}
