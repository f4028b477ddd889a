public import MulticamMedia

/// Silent periods in a microphone's track. In these periods, audio was lost, late, or missing although the
/// device was available.
package struct AudioGaps {
    private let track: String
    /// The current silent period, which may continue.
    private var open: Range<Int64>?
    /// Completed silent periods, recorded as gaps of the track.
    package private(set) var gaps: [Gap] = []
    /// Whether audio for the current silent period arrived after the samples had been replaced with silence.
    private var hasLateAudio = false
    /// Audio losses that the source reported and that haven't been matched to a silent period.
    private var losses: [(at: MediaTime, cause: LossCause)] = []

    /// Maximum distance in nanoseconds between a reported loss and its silent period. The times of the loss
    /// and the period may differ slightly because of the clock model.
    private static let tolerance: Int64 = 50_000_000

    /// Minimum length in samples of a period without audio for which the device is considered silent.
    private static let silence = Int64(AudioFormat.sessionRate)

    /// Creates an empty list of gaps for a track.
    ///
    /// - Parameter track: The track name to store in the gaps.
    package init(track: String) {
        self.track = track
    }

    /// Records an audio loss reported by the source.
    package mutating func recordLoss(at time: MediaTime, cause: LossCause) {
        losses.removeAll { $0.at.nanoseconds < time.nanoseconds - 10_000_000_000 }
        losses.append((time, cause))
    }

    /// Records that audio arrived after its samples had been replaced with silence.
    package mutating func recordLateAudio() { hasLateAudio = true }

    /// Adds the silent periods of a block of samples.
    ///
    /// - Parameters:
    ///   - stretches: The silent periods in order, in samples of the track at 48 kHz.
    ///   - end: The end of the block. Silent periods that end before `end` are complete.
    ///   - outages: The outages of the device. A silent period that overlaps an outage is part of the outage
    ///     and isn't recorded as a separate gap.
    /// - Returns: The gaps that were completed.
    package mutating func add(
        _ stretches: [Range<Int64>], through end: Int64, besides outages: OutageLog
    ) -> [Gap] {
        var ended: [Gap] = []
        for stretch in stretches {
            if let begun = open, begun.upperBound == stretch.lowerBound {
                open = begun.lowerBound..<stretch.upperBound
            } else {
                ended += close(besides: outages)
                (open, hasLateAudio) = (stretch, false)
            }
        }
        if let begun = open, begun.upperBound < end { ended += close(besides: outages) }
        return ended
    }

    /// Returns the currently known causes of the silent periods of a block of samples. Call this method
    /// before adding the block with `add`. If a silent period continues the period at the end of the
    /// previous block, the cause applies to the whole period.
    package func causes(of stretches: [Range<Int64>], besides outages: OutageLog) -> [MissingAudio] {
        var begun = open
        return stretches.map { stretch in
            let from = begun?.upperBound == stretch.lowerBound ? begun?.lowerBound : nil
            let whole = (from ?? stretch.lowerBound)..<stretch.upperBound
            begun = whole
            // An outage also includes the slice that the device was about to deliver.
            let reach = MediaTime(nanoseconds: Self.tolerance).ticks(
                perSecond: Int64(AudioFormat.sessionRate))
            let around = whole.lowerBound..<(whole.upperBound + reach)
            let isAway = outages.overlaps(gap(of: around, cause: LossCause.disconnected.rawValue))
            return MissingAudio(
                samples: stretch,
                cause: isAway
                    ? outages.currentCause ?? .disconnected
                    : cause(of: whole))
        }
    }

    /// Completes the last period at the end of the recording.
    ///
    /// - Returns: The gap, if the last silent period was still open and isn't part of an outage.
    package mutating func finish(besides outages: OutageLog) -> [Gap] {
        close(besides: outages)
    }

    private mutating func close(besides outages: OutageLog) -> [Gap] {
        guard let hole = open else { return [] }
        open = nil
        let cause = cause(of: hole)
        // Each loss explains only one silent period.
        if let reported = nearestLoss(to: hole) { losses.remove(at: reported) }
        // The gap applies only if the device was available. If the device was unavailable, the outage already
        // covers the period.
        let gap = gap(of: hole, cause: cause == .disconnected ? "silent" : cause.rawValue)
        guard !outages.overlaps(gap) else { return [] }
        gaps.append(gap)
        return [gap]
    }

    private func gap(of hole: Range<Int64>, cause: String) -> Gap {
        Gap(
            track: track, from: AudioGrid.samples.time(ofTick: hole.lowerBound),
            to: AudioGrid.samples.time(ofTick: hole.upperBound), cause: cause)
    }

    /// Returns the cause of the nearest loss that the source reported. If the source didn't report a loss,
    /// the device was silent or the audio was late.
    private func cause(of hole: Range<Int64>) -> LossCause {
        if let reported = nearestLoss(to: hole) { return losses[reported].cause }
        return hole.count >= Self.silence && !hasLateAudio ? .disconnected : .late
    }

    private func nearestLoss(to hole: Range<Int64>) -> Int? {
        let begin = AudioGrid.samples.time(ofTick: hole.lowerBound)
        func distance(_ time: MediaTime) -> Int64 { abs(time.nanoseconds - begin.nanoseconds) }
        let nearest = losses.indices.min { distance(losses[$0].at) < distance(losses[$1].at) }
        return nearest.flatMap { distance(losses[$0].at) <= Self.tolerance ? $0 : nil }
    }
}

/// Periods in which a microphone delivered damaged samples that don't contain audio.
///
/// Damaged samples less than 1 s apart belong to the same period. A device that damages every tenth sample
/// therefore creates one gap and one event instead of thousands.
package struct AudioDamage {
    private let track: String
    /// The current damaged period, which may continue.
    private var open: Range<Int64>?
    /// Completed silent periods, recorded as gaps of the track.
    package private(set) var gaps: [Gap] = []

    /// Minimum distance between two separate damaged periods, in samples of the track (1 s).
    private static let minSeparation = Int64(AudioFormat.sessionRate)

    /// Creates an empty list of gaps for a track.
    ///
    /// - Parameter track: The track name to store in the gaps.
    package init(track: String) {
        self.track = track
    }

    /// Adds the damaged ranges of a block of samples.
    ///
    /// - Parameters:
    ///   - ranges: The damaged ranges in order, in samples of the track at 48 kHz.
    ///   - end: The end of the block, in samples of the track.
    /// - Returns: The gaps that were completed.
    package mutating func add(_ ranges: [Range<Int64>], through end: Int64) -> [Gap] {
        var ended: [Gap] = []
        for range in ranges {
            if let begun = open, range.lowerBound - begun.upperBound < Self.minSeparation {
                open = begun.lowerBound..<max(begun.upperBound, range.upperBound)
            } else {
                ended += finish()
                open = range
            }
        }
        if let begun = open, end - begun.upperBound >= Self.minSeparation { ended += finish() }
        return ended
    }

    /// Completes the last period at the end of the recording.
    ///
    /// - Returns: The gap, if the last damaged period was still open.
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

/// A period of a microphone's track that is silent because audio is missing.
public struct MissingAudio: Sendable, Equatable {
    /// The range of silent samples. Sample n is at T0 + n/48 000 s.
    public let samples: Range<Int64>
    /// Reason why the audio is missing.
    public let cause: LossCause

    /// Creates a silent period with its cause.
    package init(samples: Range<Int64>, cause: LossCause) {
        self.samples = samples
        self.cause = cause
    }
}

/// The time grids for a recording's audio. All grids begin at T0.
package enum AudioGrid {
    /// The grid of 20 ms blocks, in which audio is mixed and checked for alarms.
    package static let blocks = FrameRate(50, per: 1)
    /// The grid of audio samples. Sample *n* is at T0 + n/48 000 s.
    package static let samples = FrameRate(Int64(AudioFormat.sessionRate))
    /// Number of audio channels of the program. The channels of a stereo microphone are mapped to left and
    /// right. A single channel is mapped to both sides. For microphones with three or more channels, the mean
    /// of all channels is used for both sides, because such channels can't be assigned to left and right.
    package static let mixChannels = 2
}
