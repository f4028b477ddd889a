internal import Glibc
package import MulticamMedia

/// Offset of a track from its reference at a certain time. The offset is positive if events appear later in
/// the track than in the reference.
package struct MeasuredOffset: Sendable, Equatable, Codable {
    /// Time of the measurement relative to T0: the mean time of the claps, or the middle of the correlation
    /// window.
    package let at: MediaTime
    /// Offset from the reference. The value is positive if events appear later in the track than in the
    /// reference.
    package let offset: Nanoseconds
    /// Maximum difference between the true offset and `offset`. Between video tracks, the uncertainty exceeds
    /// the duration of a frame, unless claps at many frame phases have reduced it.
    package let uncertainty: Nanoseconds
    /// Number of measured claps; 0 if the offset was measured by audio correlation.
    package let claps: Int

    enum CodingKeys: String, CodingKey {
        case at = "at_ns"
        case offset = "offset_ns"
        case uncertainty = "uncertainty_ns"
        case claps
    }

    /// Minimum magnitude of the true offset; zero if the offset may be zero.
    var leastMagnitude: Nanoseconds { max(.zero, offset.magnitude - uncertainty) }
}

/// Drift of a track relative to its reference.
package struct MeasuredDrift: Sendable, Equatable {
    /// Drift in parts per million, positive when the track falls behind the reference: 1 ppm is 3.6 ms per hour.
    package let partsPerMillion: Double
    /// Uncertainty of the drift in parts per million, in either direction.
    package let uncertainty: Double

    /// Minimum time between two measurements that are used to determine drift.
    static let shortestSpan = Nanoseconds.seconds(10)
    /// Maximum uncertainty of a reported drift, in parts per million. Video tracks reach this precision only
    /// with many claps.
    static let largestUncertainty = 20.0

    /// Determines the drift from an offset measured near the start and one measured near the end. Returns
    /// `nil` if the two measurements are too close in time or too uncertain.
    package init?(from start: MeasuredOffset, to end: MeasuredOffset) {
        let span = Nanoseconds(end.at.nanoseconds - start.at.nanoseconds)
        guard span >= Self.shortestSpan else { return nil }
        partsPerMillion = (end.offset - start.offset).inSeconds / span.inSeconds * 1e6
        uncertainty = (start.uncertainty + end.uncertainty).inSeconds / span.inSeconds * 1e6
        guard uncertainty <= Self.largestUncertainty else { return nil }
    }

    /// Fits a straight line to the offsets of many claps (least squares). Returns `nil` if there are fewer than four
    /// claps, they span too short a time, or the result is too uncertain.
    package init?(of claps: [MeasuredOffset]) {
        guard claps.count >= 4, let first = claps.first, let last = claps.last,
            last.at.nanoseconds - first.at.nanoseconds >= Self.shortestSpan.count
        else { return nil }
        let times = claps.map { Double($0.at.nanoseconds - first.at.nanoseconds) / 1e9 }
        let offsets = claps.map { $0.offset.inSeconds }
        let count = Double(claps.count)
        let (meanTime, meanOffset) = (times.reduce(0, +) / count, offsets.reduce(0, +) / count)
        let spread = times.reduce(0) { $0 + ($1 - meanTime) * ($1 - meanTime) }
        let slope =
            zip(times, offsets).reduce(0) { $0 + ($1.0 - meanTime) * ($1.1 - meanOffset) } / spread
        let squares = zip(times, offsets).reduce(0) { sum, clap in
            let rest = clap.1 - meanOffset - slope * (clap.0 - meanTime)
            return sum + rest * rest
        }
        partsPerMillion = slope * 1e6
        // The uncertainty is two standard errors, plus the error of one onset at each end of the period.
        let span = (times.last ?? 0) - (times.first ?? 0)
        uncertainty = (2 * (squares / (count - 2) / spread).squareRoot() + 0.000_02 / span) * 1e6
        guard uncertainty <= Self.largestUncertainty else { return nil }
    }
}

/// The maximum offsets between aligned tracks.
package struct SyncTolerance: Sendable, Equatable {
    /// Maximum offset between two audio tracks.
    package var audio: Nanoseconds
    /// Maximum offset if at least one track is video and several claps were measured, in frames of the slower camera.
    package var frame: Double
    /// Maximum offset if at least one track is video and only one clap was measured, in frames of the slower
    /// camera. Even if two cameras are aligned, a single clap may appear one frame apart in their tracks.
    package var singleFrame: Double

    /// Creates tolerances. The default values are those of `multicam sync-check`.
    package init(audio: Nanoseconds = .milliseconds(5), frame: Double = 0.5, singleFrame: Double = 1.3) {
        self.audio = audio
        self.frame = frame
        self.singleFrame = singleFrame
    }

    /// Minimum offset at which two tracks count as out of sync if at least one of them is video: 5 ms, or one
    /// seventh of a short frame. For comparison, sound takes 3 ms to travel one meter.
    private static let slack = (most: Nanoseconds.milliseconds(5), frameParts: Int64(7))

    /// Returns the maximum magnitude of an offset between aligned tracks.
    ///
    /// - Parameters:
    ///   - frame: The longer frame duration of the two tracks; `nil` if both tracks are audio.
    ///   - claps: Number of measured claps.
    /// - Returns: The maximum magnitude of the offset.
    func limit(frame: Nanoseconds?, claps: Int) -> Nanoseconds {
        guard let frame else { return audio }
        let frames = claps == 1 ? singleFrame : self.frame
        return .seconds(rounding: frame.inSeconds * min(frames, 1e6))
    }

    /// Whether two tracks are certainly out of sync, because the offset exceeds the limit and all possible offsets
    /// differ from zero by a margin.
    ///
    /// If tracks are aligned, zero is always one of the possible offsets. Aligned tracks therefore never
    /// count as out of sync, regardless of the cameras' frame phases.
    func isExceeded(by measured: MeasuredOffset, frame: Nanoseconds?) -> Bool {
        let limit = limit(frame: frame, claps: measured.claps)
        guard measured.offset.magnitude > limit else { return false }
        guard let frame else { return measured.leastMagnitude > audio }
        return measured.leastMagnitude > min(Self.slack.most, frame / Self.slack.frameParts)
    }
}
