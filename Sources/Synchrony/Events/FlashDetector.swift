public import Media

/// Finds flashes of light and lamps that go on, from how bright successive frames of one camera are.
///
/// What is looked for is a rise from one frame to the next, far above how the brightness changed before (median and median
/// absolute deviation of its changes, which single flashes do not disturb), that is there at once: from a fifth of its height
/// to four fifths within two frames. So slow changes of light, a scene that is cut to or faded, and noise are no events. Three
/// frames must have followed before an event is told.
///
/// A value: frames come in, events go out. Cuts (a slate, a standing frame, a camera that was away) are told by `interrupt`;
/// a pause of half a second is taken for one.
public struct FlashDetector: Sendable {
    private struct Look {
        let brightness: Double
        let time: MediaTime
        let exposure: Nanoseconds
    }

    /// Changes that are remembered: a second at 30 frames a second.
    private static let memory = 30
    /// Frames whose median is the level before a rise.
    private static let levelCount = 5
    /// Changes that must be known before anything is told.
    private static let least = 15
    /// What noise does once in an hour at 60 frames a second is 4.5 standard deviations; flicker is less kind than noise.
    private static let deviations = 8.0
    /// The median absolute deviation of normally distributed values, times this, is their standard deviation.
    private static let normal = 1.4826
    /// Frames that are waited for after a rise.
    private static let patience = 3
    private static let longestPause = Nanoseconds.milliseconds(500)

    private let fullScale: Double
    private let leastRise: Double
    private var changes: [Double] = []
    private var levels: [Double] = []
    private var last: Look?
    /// The frames since a rise began that may become an event, the one before it first.
    private var rise: [Look] = []

    /// - Parameters:
    ///   - fullScale: The brightness of white: 1, or 255.
    ///   - leastRise: The least that a frame becomes brighter, as a share of white; above 0. The default is what a lamp that
    ///     lights a fiftieth of a dark frame does.
    public init(fullScale: Double = 1, leastRise: Double = 0.02) {
        precondition(fullScale > 0 && leastRise > 0, "white is brighter than black")
        self.fullScale = fullScale
        self.leastRise = leastRise
    }

    /// Takes the next frame.
    ///
    /// - Parameters:
    ///   - brightness: Its mean luma, 0 to `fullScale`.
    ///   - time: When its exposure began, later than that of the frame before.
    ///   - exposure: How long after it light may still have fallen on this frame: the camera's interval.
    /// - Returns: An event that this frame completes. It began within the exposure of the first frame that shows it: at
    ///   least a fifth of its height.
    public mutating func add(brightness: Double, at time: MediaTime, exposure: Nanoseconds) -> SharpEvent? {
        let look = Look(
            brightness: brightness.isFinite ? brightness / fullScale : 0, time: time, exposure: exposure)
        if let last, time.nanoseconds - last.time.nanoseconds > Self.longestPause.count { interrupt() }
        defer { last = look }
        guard let last else { return nil }
        guard rise.isEmpty else {
            rise.append(look)
            return rise.count > Self.patience + 1 ? decide() : nil
        }
        if changes.count >= Self.least, isRise(from: last, to: look) {
            rise = [last, look]
        } else {
            remember(look, after: last)
        }
        return nil
    }

    /// Forgets what was before: what comes next is of another scene, or after a time that nobody saw.
    public mutating func interrupt() {
        changes = []
        levels = []
        rise = []
        last = nil
    }

    /// How much brighter a frame must be than the one before it, as a share of white.
    private var threshold: Double {
        let usual = changes.median
        let deviation = Self.normal * changes.map { abs($0 - usual) }.median
        return max(leastRise, abs(usual) + Self.deviations * deviation)
    }

    private func isRise(from last: Look, to look: Look) -> Bool {
        let change = look.brightness - last.brightness
        return change >= leastRise && change >= threshold
    }

    private mutating func remember(_ look: Look, after last: Look) {
        if levels.isEmpty { levels = [last.brightness] }
        changes = (changes + [look.brightness - last.brightness]).suffix(Self.memory)
        levels = (levels + [look.brightness]).suffix(Self.levelCount)
    }

    /// Whether the rise that was seen is sharp and high; in any case it is remembered.
    private mutating func decide() -> SharpEvent? {
        let (looks, least, base) = (rise, threshold, levels.median)
        rise = []
        for (before, look) in zip(looks, looks.dropFirst()) { remember(look, after: before) }
        let heights = looks.map { $0.brightness - base }
        guard let peak = heights.max(), peak >= least,
            let first = heights.firstIndex(where: { $0 >= peak / 5 }),
            let full = heights.firstIndex(where: { $0 >= peak * 4 / 5 }), full - first <= 1
        else { return nil }
        let begin = looks[first]
        return SharpEvent(
            earliest: begin.time,
            latest: MediaTime(nanoseconds: begin.time.nanoseconds + begin.exposure.count),
            strength: peak / least)
    }
}
