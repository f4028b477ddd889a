package import MulticamMedia

/// Finds single frames of a recorded file by their times, in any order. Not thread-safe: use it from one thread only.
///
/// All times are file times: 0 is the start of playback in a player. JPEGs are returned unchanged; other
/// frames are decoded. Sequential access is the fastest.
package final class RecordedFrames {
    /// A frame of the file, with its time.
    package struct TimedFrame {
        /// The frame. Consecutive JPEGs with identical bytes are returned as the same object.
        package let frame: CapturedFrame
        /// Start time of the frame in the file.
        package let time: MediaTime
        /// If this frame repeats earlier JPEGs byte for byte, the start time of the first JPEG in that run,
        /// among those that were read; otherwise `time`.
        package let runStart: MediaTime
    }

    private let reader: TrackReader
    /// The frame found last. With this frame and the next one stored, sequential access doesn't require
    /// seeking.
    private var current: TimedFrame?
    private var next: TimedFrame?
    private var hasEnded = false

    /// Maximum distance to a later frame that is reached by reading forward instead of seeking.
    private static let maxForwardDistance = Nanoseconds.seconds(2)
    /// Initial step back in time if a seek ended after the requested time. The step is doubled with each
    /// attempt.
    private static let firstStep = Nanoseconds.milliseconds(500)
    private static let maxSteps = 8

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - number: Index of the stream in the file.
    /// - Throws: An error if the file can't be read or the stream isn't video.
    package init(path: String, stream number: Int) throws(EncodingError) {
        reader = try TrackReader(path: path, stream: number, media: .video, isMeasured: false)
    }

    /// Opens a stream of a recorded file, as `init(path:stream:)` does, without following links.
    ///
    /// - Parameters:
    ///   - name: Name of the file relative to the session folder.
    ///   - folder: Path of the session folder.
    ///   - number: Index of the stream in the file.
    /// - Throws: An error if the file can't be read or the stream isn't video.
    package init(_ name: String, in folder: String, stream number: Int) throws(EncodingError) {
        reader = try TrackReader(name, in: folder, stream: number, media: .video, isMeasured: false)
    }

    /// Finds the frame that is shown at a time: the last frame that starts at or before that time, or else the first
    /// frame of the file.
    ///
    /// - Parameters:
    ///   - time: File time of the requested frame.
    ///   - start: If a seek is needed, reading starts at this time or earlier; `nil` for `time`.
    /// - Returns: The frame; `nil` if the file doesn't contain frames.
    /// - Throws: An error if reading fails.
    package func frame(at time: MediaTime, readFrom start: MediaTime? = nil) throws(EncodingError)
        -> TimedFrame?
    {
        if !isReachable(time) { try seek(before: time, from: min(time, start ?? time)) }
        while let following = next, following.time <= time {
            current = following
            try advance()
        }
        return current ?? next
    }

    /// Whether the frame at this time is the current frame or can be reached by reading forward.
    private func isReachable(_ time: MediaTime) -> Bool {
        guard let current, current.time <= time else { return false }
        guard let next else { return hasEnded }
        return time.nanoseconds - next.time.nanoseconds <= Self.maxForwardDistance.count
    }

    private func seek(before time: MediaTime, from start: MediaTime) throws(EncodingError) {
        var start = max(start, .zero)
        var step = Self.firstStep
        for _ in 0..<Self.maxSteps {
            (current, next, hasEnded) = (nil, nil, false)
            try reader.seek(to: start)
            try advance()
            // In a stream with reordered frames, the first frame after a seek may be displayed after the
            // requested time.
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
        next = TimedFrame(frame: frame, time: time, runStart: repeated?.runStart ?? time)
    }
}
