public import Media

/// The time at which all tracks of an interrupted recording end, though a crash left them with different lengths.
///
/// A JPEG track or audio that is too short can be filled with its last frame or with silence. A track of encoded frames cannot
/// be made longer without encoding, so the shortest of those sets the end, and longer tracks are cut there; what is cut stays in
/// the files. Without encoded tracks the longest track sets the end, and nothing is given up.
public struct CommonEnd: Sendable, Equatable {
    /// How far one track reaches.
    public struct Reach: Sendable, Equatable {
        /// End of the track, since T0.
        public let end: MediaTime
        /// Whether its frames are encoded, so that none can be added at its end.
        public let isEncoded: Bool

        /// Creates the reach of a track that ends at `end`, since T0.
        public init(end: MediaTime, isEncoded: Bool) {
            self.end = end
            self.isEncoded = isEncoded
        }
    }

    /// Longest difference in nanoseconds by which an encoded track may shorten the others. One that is shorter than that ended
    /// before the crash, and its last frame is shown until the end. An overloaded encoder is a second of frames behind, besides
    /// what it and the disk's queue hold back.
    private static let longestCut: Int64 = 10_000_000_000

    /// End of all tracks, since T0.
    public let time: MediaTime

    /// Finds the common end of some tracks; `nil` where none reaches beyond T0.
    ///
    /// - Parameters:
    ///   - reaches: Reach of each track that can be read.
    ///   - leading: Grid on which the recording ends: the program's, else the first camera's; `nil` where there are no frames.
    ///   - start: Time at which the last file begins; the common end is later.
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
