package import Media

/// The stretches of a microphone's track that are silent because audio was lost, came too late or never came while the device was present.
package struct AudioGaps {
    private let track: String
    /// The stretch that may go on.
    private var open: Range<Int64>?
    /// The stretches that are over, as gaps of the track.
    package private(set) var gaps: [Gap] = []
    /// Whether audio of the open stretch came when it was silence already.
    private var cameLate = false
    /// Losses of audio that the source reported and that no silent stretch has been found for yet.
    private var losses: [(at: MediaTime, cause: LossCause)] = []

    /// The largest distance in nanoseconds between a reported loss and its silent stretch, as the clock model was at work
    /// between.
    private static let tolerance: Int64 = 50_000_000

    /// A stretch of so many samples or more of which nothing ever came is the device's silence.
    private static let silence = Int64(AudioFormat.sessionRate)

    /// Creates a list without stretches.
    ///
    /// - Parameter track: The track's name in the gaps.
    package init(track: String) {
        self.track = track
    }

    /// Takes note of a loss of audio that the source reports.
    package mutating func lose(at time: MediaTime, cause: LossCause) {
        losses.removeAll { $0.at.nanoseconds < time.nanoseconds - 10_000_000_000 }
        losses.append((time, cause))
    }

    /// Takes note of audio that came for samples which were silence already.
    package mutating func comeLate() { cameLate = true }

    /// Takes the silent stretches of a block of samples.
    ///
    /// - Parameters:
    ///   - stretches: The silent stretches in order, in samples of the track at 48 kHz.
    ///   - end: The end of the block: stretches that end before it are over.
    ///   - outages: The times when the device was away; a stretch that overlaps one of them is part of it and makes no gap.
    /// - Returns: The stretches that are over.
    package mutating func take(
        _ stretches: [Range<Int64>], through end: Int64, besides outages: OutageLog
    ) -> [Gap] {
        var ended: [Gap] = []
        for stretch in stretches {
            if let begun = open, begun.upperBound == stretch.lowerBound {
                open = begun.lowerBound..<stretch.upperBound
            } else {
                ended += close(besides: outages)
                (open, cameLate) = (stretch, false)
            }
        }
        if let begun = open, begun.upperBound < end { ended += close(besides: outages) }
        return ended
    }

    /// The causes of the silent stretches of a block of samples, as far as they are known. Ask before the block is taken; a
    /// stretch that continues the last one has the cause of the whole.
    package func causes(of stretches: [Range<Int64>], besides outages: OutageLog) -> [MissingAudio] {
        var begun = open
        return stretches.map { stretch in
            let from = begun?.upperBound == stretch.lowerBound ? begun?.lowerBound : nil
            let whole = (from ?? stretch.lowerBound)..<stretch.upperBound
            begun = whole
            // A device that goes away takes the slice with it that it was about to deliver.
            let reach = MediaTime(nanoseconds: Self.tolerance).ticks(
                perSecond: Int64(AudioFormat.sessionRate))
            let around = whole.lowerBound..<(whole.upperBound + reach)
            let isAway = outages.overlaps(gap(of: around, cause: LossCause.away.rawValue))
            return MissingAudio(
                samples: stretch,
                cause: isAway
                    ? outages.absence ?? .away
                    : cause(of: whole))
        }
    }

    /// Ends the last stretch with the recording.
    ///
    /// - Returns: The stretch, if one was open and makes a gap.
    package mutating func finish(besides outages: OutageLog) -> [Gap] {
        close(besides: outages)
    }

    private mutating func close(besides outages: OutageLog) -> [Gap] {
        guard let hole = open else { return [] }
        open = nil
        let cause = cause(of: hole)
        // A loss explains one stretch.
        if let told = nearestLoss(to: hole) { losses.remove(at: told) }
        // Of a device that is there: of one that went away tells the outage.
        let gap = gap(of: hole, cause: cause == .away ? "silent" : cause.rawValue)
        guard !outages.overlaps(gap) else { return [] }
        gaps.append(gap)
        return [gap]
    }

    private func gap(of hole: Range<Int64>, cause: String) -> Gap {
        Gap(
            track: track, from: AudioGrid.samples.time(ofTick: hole.lowerBound),
            to: AudioGrid.samples.time(ofTick: hole.upperBound), cause: cause)
    }

    /// The cause of the nearest loss that the source reported. Where it reported none, the device was silent or the audio late.
    private func cause(of hole: Range<Int64>) -> LossCause {
        if let told = nearestLoss(to: hole) { return losses[told].cause }
        return hole.count >= Self.silence && !cameLate ? .away : .late
    }

    private func nearestLoss(to hole: Range<Int64>) -> Int? {
        let begin = AudioGrid.samples.time(ofTick: hole.lowerBound)
        func distance(_ time: MediaTime) -> Int64 { abs(time.nanoseconds - begin.nanoseconds) }
        let nearest = losses.indices.min { distance(losses[$0].at) < distance(losses[$1].at) }
        return nearest.flatMap { distance(losses[$0].at) <= Self.tolerance ? $0 : nil }
    }
}
