internal import Media

/// When a light went on, from how bright the frames around were.
///
/// Nobody knows how much of its interval T a frame was exposed for. But which frames a light shows in tells on which
/// side of a frame's beginning t it went on. A flash that only one frame shows was in [t, t + T]. Of a light that stays on, a
/// first frame that is lit in part was being exposed as it went on: [t, t + T]; one that is lit as fully as those after it was
/// not yet: [t − T, t]. Of anything else only [t − T, t + T] is certain. How large the lit part is would tell more, but only
/// of a camera that codes light linearly, and none does.
enum FlashOnset {
    /// A frame's brightness, 0…1, the start of its exposure, and the interval to the next one.
    struct Look: Sendable {
        let brightness: Double
        let time: MediaTime
        let interval: Nanoseconds
    }

    /// What is not told from nothing, or from all the light, at least.
    private static let leastShare = 0.03
    /// A frame that is darker by a share than a fully lit one was dark for up to as many times that share of its exposure:
    /// cameras code light by a gamma of at most 2.2 (ITU-R BT.709, sRGB).
    private static let gamma = 2.3
    /// A frame that shows less of the light than this was exposed to it for no time to speak of: gamma again.
    private static let sliver = 0.1
    /// Where noise hides more of the light than this, how bright a frame is says nothing.
    private static let largestShare = 0.2
    /// A frame that is brighter on the whole is white in large parts, so that more light does not make it brighter.
    private static let clipped = 0.85
    /// Frames before the light whose median is the darkness, and whose scatter is the noise.
    private static let darkLooks = 6

    /// - Parameters:
    ///   - looks: Successive frames, some before and some after the first lit one.
    ///   - found: The place of the frame in which the light was found.
    /// - Returns: The earliest and latest time at which it went on.
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

    /// In intervals after the start of the exposure.
    private static func range(_ look: Look, from: Double, to: Double) -> ClosedRange<MediaTime> {
        func time(_ share: Double) -> MediaTime {
            MediaTime(
                nanoseconds: look.time.nanoseconds
                    + Int64(rounding: Double(look.interval.count) * share))
        }
        return time(from)...time(to)
    }
}
