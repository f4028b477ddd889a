internal import Media

/// Keeps the stretches of a microphone's track that are silence for want of sound while the device was there: lost on the
/// way, or come too late.
struct SoundHoles {
    private let track: String
    /// Not known to have ended.
    private var open: Range<Int64>?
    private(set) var gaps: [Gap] = []
    /// What the source said of sound that it lost since the last hole; `late` while it said nothing.
    var cause = LossCause.late

    /// - Parameter track: Its name in the gaps.
    init(track: String) {
        self.track = track
    }

    /// Takes the silent stretches of a block of samples.
    ///
    /// - Parameters:
    ///   - stretches: In order, by the track's samples at 48 kHz.
    ///   - end: The block's: what ends before it is over.
    ///   - outages: What overlaps one of them is a part of it, and stands there.
    /// - Returns: The holes that ended.
    mutating func take(
        _ stretches: [Range<Int64>], through end: Int64, besides outages: OutageLog
    ) -> [Gap] {
        var ended: [Gap] = []
        for stretch in stretches {
            if let begun = open, begun.upperBound == stretch.lowerBound {
                open = begun.lowerBound..<stretch.upperBound
            } else {
                ended += close(besides: outages)
                open = stretch
            }
        }
        if let begun = open, begun.upperBound < end { ended += close(besides: outages) }
        return ended
    }

    /// The recording ends.
    mutating func finish(besides outages: OutageLog) -> [Gap] {
        close(besides: outages)
    }

    private mutating func close(besides outages: OutageLog) -> [Gap] {
        guard let hole = open else { return [] }
        open = nil
        defer { cause = .late }
        let samples = FrameRate(Int64(SoundFormat.sessionRate), per: 1)
        let gap = Gap(
            track: track, from: samples.time(ofTick: hole.lowerBound),
            to: samples.time(ofTick: hole.upperBound), cause: cause.rawValue)
        guard !outages.overlaps(gap) else { return [] }
        gaps.append(gap)
        return [gap]
    }
}
