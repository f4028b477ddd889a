internal import Media

/// The stretches of a microphone's track in which its device delivered damaged samples, which are not audio.
///
/// Damaged samples less than a second apart belong to one stretch, so that a device that damages every tenth sample makes one
/// gap and one event, not thousands.
package struct AudioDamage {
    private let track: String
    /// The stretch that may go on.
    private var open: Range<Int64>?
    /// The stretches that are over, as gaps of the track.
    package private(set) var gaps: [Gap] = []

    /// The shortest distance between two stretches, in samples of the track: one second.
    private static let patience = Int64(AudioFormat.sessionRate)

    /// Creates a list without stretches.
    ///
    /// - Parameter track: The track's name in the gaps.
    package init(track: String) {
        self.track = track
    }

    /// Takes the damaged ranges of a block of samples.
    ///
    /// - Parameters:
    ///   - ranges: The damaged ranges in order, in samples of the track at 48 kHz.
    ///   - end: The end of the block, in samples of the track.
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

    /// Ends the last stretch with the recording.
    ///
    /// - Returns: The stretch, if one was open.
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
