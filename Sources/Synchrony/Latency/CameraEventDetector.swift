package import MulticamMedia

/// Detects flashes in the frames of one camera, each with the range of its possible start times. The detector
/// is a value type that receives frames and returns events.
package struct CameraEventDetector: Sendable {
    private var detector = FlashDetector()
    private var samples: [FlashOnset.BrightnessSample] = []

    /// Number of frames that are stored. The stored frames cover the delay with which an event is reported,
    /// and the preceding frames that are needed for comparison.
    private static let kept = 16
    /// Number of standard errors of the clock model that extend an event's range on each side. A range of ±2
    /// standard errors contains the true value in 95 % of cases.
    private static let standardErrors: Int64 = 2

    /// Creates a detector that hasn't processed any frames.
    package init() {}

    /// Processes the next frame.
    ///
    /// - Parameters:
    ///   - brightness: Mean luma of the frame, 0…1.
    ///   - time: Start of the frame's exposure.
    ///   - interval: Time to the next frame, which is also the maximum exposure time.
    ///   - error: Standard error of `time`.
    /// - Returns: An event that began some frames before this one; `nil` if no event is ready to be reported.
    ///   The event began between `earliest` and `latest`, regardless of the camera's exposure time and of how
    ///   long the light stayed on.
    package mutating func add(
        brightness: Double, at time: MediaTime, interval: Nanoseconds, error: Nanoseconds
    ) -> SharpEvent? {
        samples =
            (samples + [FlashOnset.BrightnessSample(brightness: brightness, time: time, interval: interval)])
            .suffix(Self.kept)
        guard let event = detector.add(brightness: brightness, at: time, exposure: interval),
            let found = samples.firstIndex(where: { $0.time == event.earliest }), isGapless(around: found)
        else { return nil }
        let range = FlashOnset.range(in: samples, found: found)
        let leeway = (error * Self.standardErrors).count
        return SharpEvent(
            earliest: MediaTime(nanoseconds: range.lowerBound.nanoseconds - leeway),
            latest: MediaTime(nanoseconds: range.upperBound.nanoseconds + leeway), strength: event.strength)
    }

    /// Whether the frames around an event are complete, so that no missing frame can have been the first to
    /// show the light.
    private func isGapless(around found: Int) -> Bool {
        let near = samples[max(0, found - 2)..<min(found + 3, samples.count)]
        return zip(near, near.dropFirst()).allSatisfy { earlier, later in
            later.time.nanoseconds - earlier.time.nanoseconds < earlier.interval.count * 3 / 2
        }
    }

    /// Discards all frames, because the next frame follows a period without frames.
    package mutating func interrupt() {
        detector.interrupt()
        samples = []
    }
}

/// Determines the range of times at which a light may have turned on, based on the brightness of the frames
/// around that time.
///
/// The exposure time within a frame's interval T is unknown. However, the frames that show a light indicate
/// whether the light turned on before or after a frame's start t. A flash that appears in only one frame
/// began in the range [t, t + T]. For a light that stays on, there are two cases. If the first frame that
/// shows the light is only partly lit, the light turned on during the exposure of that frame, in [t, t + T].
/// If the first frame is as bright as the next one, the exposure began after the light had turned on, and the
/// range is [t − T, t]. In all other cases, only the range [t − T, t + T] is certain. The degree of lighting
/// in a partly lit frame can't narrow the range further, because cameras don't encode light linearly.
enum FlashOnset {
    /// One frame with its mean luma (0…1), the start of its exposure, and the interval to the next frame.
    struct BrightnessSample: Sendable {
        let brightness: Double
        let time: MediaTime
        let interval: Nanoseconds
    }

    /// Minimum fraction of a light's brightness by which a frame can be distinguished from a dark frame or
    /// from a fully lit frame.
    private static let leastShare = 0.03
    /// Maximum ratio of the unlit fraction of the exposure to the missing fraction of the frame's brightness.
    /// Cameras encode light with a gamma of at most 2.2 (ITU-R BT.709, sRGB).
    private static let gamma = 2.3
    /// Fraction of the light's brightness below which a frame counts as not exposed to the light. The value
    /// also follows from the gamma with which cameras encode light.
    private static let sliver = 0.1
    /// If the noise reaches at least this fraction of the light's brightness, a frame's brightness provides
    /// no information.
    private static let largestShare = 0.2
    /// Mean luma above which large parts of a frame are white, so that more light doesn't make it brighter.
    private static let clipped = 0.85
    /// Number of frames before the light turned on. The median brightness of these frames is the dark level,
    /// and the scatter is the noise.
    private static let darkSamples = 6

    /// Returns the range of times when a light may have turned on.
    ///
    /// - Parameters:
    ///   - looks: Successive frames before and after the first lit frame.
    ///   - found: Index of the first lit frame.
    /// - Returns: The earliest and the latest time when the light may have turned on.
    static func range(in looks: [BrightnessSample], found: Int) -> ClosedRange<MediaTime> {
        let dark = looks[..<max(found - 1, 0)].suffix(darkSamples).map(\.brightness).sorted()
        guard dark.count >= 3, found + 1 < looks.count else { return range(looks[found], from: -1, to: 1) }
        let base = dark[dark.count / 2]
        let heights = looks.map { $0.brightness - base }
        let height = heights[found...].prefix(3).max() ?? 0
        let noise = dark.map { abs($0 - base) }.max() ?? 0
        // The frames after the light turned on may be noisier than the preceding ones.
        let share = max(leastShare, 2 * noise / max(height, .leastNonzeroMagnitude))
        guard share <= largestShare else { return range(looks[found], from: -1, to: 1) }
        let first = found > 0 && heights[found - 1] >= max(share, sliver) * height ? found - 1 : found
        let look = looks[first]
        let isAlone = heights[first + 1] < max(share, sliver) * height
        guard !isAlone, heights[first] >= heights[first + 1] * (1 - share) else {
            return range(look, from: 0, to: 1)
        }
        let staysOn =
            first + 2 < looks.count && abs(heights[first + 2] / heights[first + 1] - 1) <= 2 * share
            && abs(heights[first] / heights[first + 1] - 1) <= 2 * share
            && looks[first + 1].brightness < clipped
        return range(look, from: -1, to: staysOn ? gamma * share : 1)
    }

    /// Returns the range between two times. Both times are given in frame intervals after the start of a frame's
    /// exposure.
    private static func range(_ look: BrightnessSample, from: Double, to: Double) -> ClosedRange<MediaTime> {
        func time(_ share: Double) -> MediaTime {
            MediaTime(
                nanoseconds: look.time.nanoseconds
                    + Int64(rounding: Double(look.interval.count) * share))
        }
        return time(from)...time(to)
    }
}
