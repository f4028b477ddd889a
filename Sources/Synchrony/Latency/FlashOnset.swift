internal import Media

/// Finds the range of time in which a light went on, from the brightness of the frames around it.
///
/// The exposure time within a frame's interval T is not known. But the frames that show a light tell on which side of a frame's
/// beginning t it went on. A flash that only one frame shows began in [t, t + T]. Where a light stays on, a first frame that is
/// partly lit was exposed while it went on: [t, t + T]; one that is as bright as the next was exposed after it went on: [t − T,
/// t]. In all other cases only [t − T, t + T] is certain. The size of the lit part would tell more, but only with a camera that
/// codes light linearly, and none does.
enum FlashOnset {
    /// A frame: its mean luma, 0…1, the start of its exposure, and the interval to the next frame.
    struct Look: Sendable {
        let brightness: Double
        let time: MediaTime
        let interval: Nanoseconds
    }

    /// Smallest share of a light that is told from darkness, or from the full light.
    private static let leastShare = 0.03
    /// Factor from the missing share of a frame's brightness to the largest share of its exposure that was dark: cameras code
    /// light by a gamma of at most 2.2 (ITU-R BT.709, sRGB).
    private static let gamma = 2.3
    /// Share of the light below which a frame counts as not exposed to it; it also follows from the gamma.
    private static let sliver = 0.1
    /// Share of the light hidden by noise from which a frame's brightness says nothing.
    private static let largestShare = 0.2
    /// Mean luma from which large parts of a frame are white, so that more light does not make it brighter.
    private static let clipped = 0.85
    /// Number of frames before the light whose median is the darkness, and whose scatter is the noise.
    private static let darkLooks = 6

    /// Range of time in which a light went on.
    ///
    /// - Parameters:
    ///   - looks: Successive frames, some before and some after the first lit one.
    ///   - found: Index of the frame in which the light was found.
    /// - Returns: The earliest and the latest time at which it went on.
    static func range(in looks: [Look], found: Int) -> ClosedRange<MediaTime> {
        let dark = looks[..<max(found - 1, 0)].suffix(darkLooks).map(\.brightness).sorted()
        guard dark.count >= 3, found + 1 < looks.count else { return range(looks[found], from: -1, to: 1) }
        let base = dark[dark.count / 2]
        let heights = looks.map { $0.brightness - base }
        let height = heights[found...].prefix(3).max() ?? 0
        let noise = dark.map { abs($0 - base) }.max() ?? 0
        // The next few frames may be noisier than those before.
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

    /// The range between two times, given in frame intervals after the start of a frame's exposure.
    private static func range(_ look: Look, from: Double, to: Double) -> ClosedRange<MediaTime> {
        func time(_ share: Double) -> MediaTime {
            MediaTime(
                nanoseconds: look.time.nanoseconds
                    + Int64(rounding: Double(look.interval.count) * share))
        }
        return time(from)...time(to)
    }
}
