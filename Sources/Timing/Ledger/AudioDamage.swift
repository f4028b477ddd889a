internal import Media

/// Keeps the stretches of a microphone's track in which its device delivered samples that are no audio.
///
/// Damaged samples less than a second apart belong to one stretch, so that a device that damages every tenth sample makes one gap
/// and one event, not thousands.
package struct AudioDamage {
    private let track: String
    /// The stretch that may go on.
    private var open: Range<Int64>?
    package private(set) var gaps: [Gap] = []

    /// In samples of the track.
    private static let patience = Int64(AudioFormat.sessionRate)

    /// - Parameter track: Its name in the gaps.
    package init(track: String) {
        self.track = track
    }

    /// Takes the damaged ranges of a block of samples.
    ///
    /// - Parameters:
    ///   - ranges: In order, by the track's samples at 48 kHz.
    ///   - end: The block's end.
    /// - Returns: The stretches that are over.
    package mutating func take(_ ranges: [Range<Int64>], through end: Int64) -> [Gap] {
        var ended: [Gap] = []
        for range in ranges {
            if let begun = open, range.lowerBound - begun.upperBound < Self.patience {
                open = begun.lowerBound..<max(begun.upperBound, range.upperBound)
            } else {
                ended += finish()
                open = range
            }
        }
        if let begun = open, end - begun.upperBound >= Self.patience { ended += finish() }
        return ended
    }

    /// The recording ends, and with it the last stretch.
    package mutating func finish() -> [Gap] {
        guard let stretch = open else { return [] }
        open = nil
        let gap = Gap(
            track: track, from: AudioGrid.samples.time(ofTick: stretch.lowerBound),
            to: AudioGrid.samples.time(ofTick: stretch.upperBound), cause: LossCause.corrupt.rawValue)
        gaps.append(gap)
        return [gap]
    }
}
