package import Media

/// Keeps the stretches of a microphone's track that are silence for want of audio while the device was there: lost on the
/// way, or come too late.
package struct AudioGaps {
    private let track: String
    /// Not known to have ended.
    private var open: Range<Int64>?
    package private(set) var gaps: [Gap] = []
    /// What the source said of audio that it lost, where no hole was found for it yet.
    private var losses: [(at: MediaTime, cause: LossCause)] = []

    /// The source's word for when it lost audio, and the hole, are at most so far apart: its clock model was at work between.
    private static let tolerance: Int64 = 50_000_000

    /// - Parameter track: Its name in the gaps.
    package init(track: String) {
        self.track = track
    }

    /// Takes note of audio that the source says it lost.
    package mutating func lose(at time: MediaTime, cause: LossCause) {
        losses.removeAll { $0.at.nanoseconds < time.nanoseconds - 10_000_000_000 }
        losses.append((time, cause))
    }

    /// Takes the silent stretches of a block of samples.
    ///
    /// - Parameters:
    ///   - stretches: In order, by the track's samples at 48 kHz.
    ///   - end: The block's: what ends before it is over.
    ///   - outages: What overlaps one of them is a part of it, and stands there.
    /// - Returns: The holes that ended.
    package mutating func take(
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

    /// The causes of the silent stretches of a block of samples, as far as they are known. To be asked before the block is
    /// taken; a stretch that goes on where the last ended has the cause of the whole.
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
            let isAway = outages.overlaps(gap(of: around, cause: .away))
            return MissingAudio(
                samples: stretch,
                cause: isAway
                    ? outages.absence ?? .away : cause(of: AudioGrid.samples.time(ofTick: whole.lowerBound)))
        }
    }

    /// The recording ends.
    package mutating func finish(besides outages: OutageLog) -> [Gap] {
        close(besides: outages)
    }

    private mutating func close(besides outages: OutageLog) -> [Gap] {
        guard let hole = open else { return [] }
        open = nil
        let gap = gap(of: hole, cause: takeCause(of: AudioGrid.samples.time(ofTick: hole.lowerBound)))
        guard !outages.overlaps(gap) else { return [] }
        gaps.append(gap)
        return [gap]
    }

    private func gap(of hole: Range<Int64>, cause: LossCause) -> Gap {
        Gap(
            track: track, from: AudioGrid.samples.time(ofTick: hole.lowerBound),
            to: AudioGrid.samples.time(ofTick: hole.upperBound), cause: cause.rawValue)
    }

    /// That of the nearest loss that the source told of; `late` where it told of none.
    private func cause(of begin: MediaTime) -> LossCause {
        nearestLoss(to: begin).map { losses[$0].cause } ?? .late
    }

    private mutating func takeCause(of begin: MediaTime) -> LossCause {
        nearestLoss(to: begin).map { losses.remove(at: $0).cause } ?? .late
    }

    private func nearestLoss(to begin: MediaTime) -> Int? {
        func distance(_ time: MediaTime) -> Int64 { abs(time.nanoseconds - begin.nanoseconds) }
        let nearest = losses.indices.min { distance(losses[$0].at) < distance(losses[$1].at) }
        return nearest.flatMap { distance(losses[$0].at) <= Self.tolerance ? $0 : nil }
    }
}
