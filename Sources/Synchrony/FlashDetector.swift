package import MulticamMedia

/// Detects flashes, and lamps that are turned on, from the mean brightness of successive frames of one
/// camera.
///
/// The detector searches for a sharp rise from one frame to the next that is far above the usual changes in
/// brightness. The usual changes are measured by the median and the median absolute deviation, which single
/// flashes don't affect. A rise is sharp if the brightness goes from one fifth to four fifths of the total
/// rise within two frames. Slow changes in light, cuts, fades, and noise therefore don't count as events. An
/// event is reported three frames after the rise.
///
/// The detector is a value type that receives frames and returns events. Call `interrupt()` at a
/// discontinuity, such as a slate, a duplicated frame, or a period in which the camera was unavailable. A
/// pause of half a second also counts as a discontinuity.
package struct FlashDetector: Sendable {
    private struct BrightnessSample {
        let brightness: Double
        let time: MediaTime
        let exposure: Nanoseconds
    }

    /// Number of brightness changes that are stored, which cover one second at 30 frames per second.
    private static let memory = 30
    /// Number of frames whose median brightness is used as the level before a rise.
    private static let levelCount = 5
    /// Number of brightness changes that must have been measured before an event is reported.
    private static let least = 15
    /// Threshold for a rise in brightness, in standard deviations of the usual changes. At 60 frames per
    /// second, noise reaches 4.5 standard deviations about once per hour, and flicker reaches higher values.
    private static let deviations = 8.0
    /// Ratio of the standard deviation of normally distributed values to their median absolute deviation.
    private static let normal = 1.4826
    /// Number of frames after a rise in brightness that are examined before the detector decides.
    private static let confirmationFrames = 3
    private static let longestPause = Nanoseconds.milliseconds(500)

    private let fullScale: Double
    private let leastRise: Double
    private var changes: [Double] = []
    private var levels: [Double] = []
    private var last: BrightnessSample?
    /// The frames since the beginning of a possible event, preceded by the last frame before the event.
    private var rise: [BrightnessSample] = []

    /// Creates a detector that hasn't processed any frames.
    ///
    /// - Parameters:
    ///   - fullScale: Brightness of white, for example 1 or 255. The value must be greater than 0.
    ///   - leastRise: Minimum rise in brightness from one frame to the next, as a fraction of white. The
    ///     value must be greater than 0. The default value corresponds to a lamp that lights 1/50 of a dark
    ///     frame.
    package init(fullScale: Double = 1, leastRise: Double = 0.02) {
        precondition(fullScale > 0 && leastRise > 0, "the full scale and the minimum rise must be positive")
        self.fullScale = fullScale
        self.leastRise = leastRise
    }

    /// Processes the next frame.
    ///
    /// - Parameters:
    ///   - brightness: Mean luma of the frame, 0…`fullScale`.
    ///   - time: Start of the frame's exposure. The time must be later than that of the previous frame.
    ///   - exposure: Time after `time` during which light may have reached the frame: the camera's frame interval.
    /// - Returns: An event that can be reported after this frame; otherwise `nil`. The event began within the
    ///   exposure of the first frame that shows at least one fifth of the total rise in brightness.
    package mutating func add(brightness: Double, at time: MediaTime, exposure: Nanoseconds) -> SharpEvent? {
        let look = BrightnessSample(
            brightness: brightness.isFinite ? brightness / fullScale : 0, time: time, exposure: exposure)
        if let last, time.nanoseconds - last.time.nanoseconds > Self.longestPause.count { interrupt() }
        defer { last = look }
        guard let last else { return nil }
        guard rise.isEmpty else {
            rise.append(look)
            return rise.count > Self.confirmationFrames + 1 ? decide() : nil
        }
        if changes.count >= Self.least, isRise(from: last, to: look) {
            rise = [last, look]
        } else {
            record(look, after: last)
        }
        return nil
    }

    /// Discards all frames, because the next frame shows another scene or follows a period without frames.
    package mutating func interrupt() {
        changes = []
        levels = []
        rise = []
        last = nil
    }

    /// Minimum rise in brightness from one frame to the next that may be an event, as a fraction of white.
    private var threshold: Double {
        let usual = changes.median
        let deviation = Self.normal * changes.map { abs($0 - usual) }.median
        return max(leastRise, abs(usual) + Self.deviations * deviation)
    }

    private func isRise(from last: BrightnessSample, to look: BrightnessSample) -> Bool {
        let change = look.brightness - last.brightness
        return change >= leastRise && change >= threshold
    }

    private mutating func record(_ look: BrightnessSample, after last: BrightnessSample) {
        if levels.isEmpty { levels = [last.brightness] }
        changes = (changes + [look.brightness - last.brightness]).suffix(Self.memory)
        levels = (levels + [look.brightness]).suffix(Self.levelCount)
    }

    /// Records the rise of brightness, and returns an event if the rise was sharp and high enough.
    private mutating func decide() -> SharpEvent? {
        let (looks, least, base) = (rise, threshold, levels.median)
        rise = []
        for (before, look) in zip(looks, looks.dropFirst()) { record(look, after: before) }
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
