public import Media

/// Decides where all tracks of a recording end that a crash has left of different lengths.
///
/// What is missing of a JPEG track or of audio can be filled: the last frame again, silence. A track of encoded frames cannot
/// be made longer without encoding, so the shortest of those is the end, and others are cut there; what is cut stays in the
/// files. Where there is none, the longest track is the end: nothing is given up.
public struct CommonEnd: Sendable, Equatable {
    /// How far a track reaches.
    public struct Reach: Sendable, Equatable {
        public let end: MediaTime
        /// Whether frames cannot be added at its end.
        public let isEncoded: Bool

        public init(end: MediaTime, isEncoded: Bool) {
            self.end = end
            self.isEncoded = isEncoded
        }
    }

    /// An encoded track that is shorter than the longest by more ended before the crash: its last frame is shown until the end.
    /// An overloaded encoder is a second of frames behind, and what it holds back, and the disk's queue.
    private static let longestCut: Int64 = 10_000_000_000

    public let time: MediaTime

    /// `nil` where there is nothing.
    ///
    /// - Parameters:
    ///   - reaches: Of all tracks that can be read.
    ///   - leading: The grid on which recordings end: the program's, else the first camera's; `nil` where there are no frames.
    ///   - start: When the file that begins last does: the end is behind it.
    public init?(_ reaches: [Reach], leading: FrameRate?, after start: MediaTime = .zero) {
        guard let longest = reaches.map(\.end).max(), longest > .zero else { return nil }
        let encoded = reaches.filter {
            $0.isEncoded && $0.end > .zero && longest.nanoseconds - $0.end.nanoseconds <= Self.longestCut
        }
        guard let leading else {
            time = max(encoded.map(\.end).min() ?? longest, start)
            return
        }
        var tick = leading.ticks(before: longest)
        if let shortest = encoded.map(\.end).min() {
            tick = leading.ticks(before: shortest)
            if leading.time(ofTick: tick) > shortest { tick -= 1 }
        }
        time = leading.time(ofTick: max(tick, leading.ticks(before: start) + 1))
    }
}
