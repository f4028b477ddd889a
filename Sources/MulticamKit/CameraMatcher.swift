internal import Glibc
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
internal import MulticamSession

/// Matches a camera's exposure and white balance to those of another camera, once. The algorithm copies the
/// other camera's control values and then adjusts them until the frames of both cameras are equally bright
/// and equally warm.
///
/// Matching blocks the calling thread for a few seconds, because after each change it waits for frames that
/// show the effect.
struct CameraMatcher {
    /// The outcome of the last attempt to set each control.
    private(set) var outcomes: [ControlOutcome] = []
    private let role: String
    private let leader: String
    private let session: MulticamSession
    private var remarks: [String] = []
    private var before: ColorPair?
    private var after: ColorPair?

    private typealias ColorPair = (own: FrameColorAverage, other: FrameColorAverage)

    /// Time after a change during which frames still show the previous state: one exposure plus transport.
    private static let effectTime = Nanoseconds.milliseconds(300)
    /// Maximum waiting time for the frames of a measurement.
    private static let measurementTimeout = Nanoseconds.seconds(3)
    /// Maximum number of corrections per control.
    private static let mostSteps = 5
    /// Difference in brightness or warmth (each 0…1) that is imperceptible.
    private static let tolerance = 0.015
    /// Maximum deviation of the color temperature from the other camera's value, in kelvins. The limit is
    /// necessary because frames of different scenes differ in color even with a correct white balance.
    private static let widestTemperature: Int64 = 800

    /// Prepares to match the cameras.
    ///
    /// - Parameters:
    ///   - role: The camera to adjust.
    ///   - leader: The camera to match, which isn't changed.
    ///   - session: The session that runs both cameras.
    /// - Throws: `SessionChangeError` if one of the roles isn't a camera of the session, or if its camera is
    ///   disconnected.
    init(_ role: String, to leader: String, in session: MulticamSession) throws(SessionChangeError) {
        (self.role, self.leader, self.session) = (role, leader, session)
        _ = try session.controls(of: leader)
        guard !(try session.controls(of: role).controls.isEmpty) else {
            throw SessionChangeError(
                .unsupported, "Camera \(role) has no controls, so it can't be matched to \(leader).")
        }
    }

    /// Matches the cameras.
    ///
    /// - Throws: `SessionChangeError` if a camera is disconnected in the meantime.
    mutating func run() throws(SessionChangeError) {
        let theirs = try session.controls(of: leader).controls
        let own = try session.controls(of: role).controls
        before = measure()
        let matched = MatchedControls([.exposure, .whiteBalance], of: (leader, theirs), on: (role, own))
        remarks = matched.remarks
        try set(matched.requests)
        guard before != nil else {
            remarks.append(
                "At least one camera delivered no frames, so the values were copied without comparing the pictures."
            )
            return
        }
        after = measure()
        let requested = Set(matched.requests.map(\.name))
        let replaced = own.filter { requested.contains($0.name) }
        try correct(
            ControlGovernor.exposure.governedControls, by: \.brightness, from: .min,
            to: longestExposure ?? .max)
        let temperature = theirs.named(Self.temperature).flatMap {
            Self.temperatures.contains($0.value) ? $0.value : nil
        }
        try correct(
            [Self.temperature], by: \.warmth,
            from: temperature.map { $0 - Self.widestTemperature } ?? .min,
            to: temperature.map { $0 + Self.widestTemperature } ?? .max)
        let colors = ControlGovernor.whiteBalance.names + ControlGovernor.whiteBalance.governedControls
        try undo(replaced.filter { !colors.contains($0.name) }, unlessCloserIn: \.brightness, "brightness")
        try undo(replaced.filter { colors.contains($0.name) }, unlessCloserIn: \.warmth, "warmth")
        let automatic = [ControlGovernor.exposure, .whiteBalance].compactMap { governor in
            theirs.first(of: governor.names).flatMap { governor.isManual(at: $0.value) ? nil : $0.name }
        }
        if !automatic.isEmpty {
            remarks.append(
                "\(leader) still adjusts some controls automatically (\(automatic.joined(separator: ", "))), so the cameras may drift apart. Lock these controls, or match the cameras again."
            )
        }
    }

    private static let temperature = "white_balance_temperature"
    /// Control values that are plausible as color temperatures in kelvins.
    private static let temperatures = Int64(1)...100_000

    /// The result as sentences: the control values that were set, the brightness and warmth of the frames
    /// before and after matching, and the values that couldn't be reached.
    var text: String {
        let values = outcomes.compactMap { outcome in
            outcome.value.map { "\(outcome.request.name) \($0)" }
        }
        var sentences = ["\(role) was matched to \(leader): \(values.joined(separator: ", "))."]
        if let before, let after {
            sentences.append(
                "Brightness: \(Self.percent(before.own.brightness)) → \(Self.percent(after.own.brightness)) (\(leader): \(Self.percent(after.other.brightness))); "
                    + "warmth: \(Self.percent(before.own.warmth)) → \(Self.percent(after.own.warmth)) (\(leader): \(Self.percent(after.other.warmth)))."
            )
        }
        return (sentences + remarks).joined(separator: " ")
    }

    private static func percent(_ share: Double) -> String { "\(Int(rounding: share * 100)) %" }

    // MARK: Corrections

    /// Adjusts the first of the given controls that the camera has, until both cameras' frames match.
    ///
    /// - Parameters:
    ///   - names: The possible names of the control, in order of preference.
    ///   - look: The frame property to match.
    ///   - low: The lowest value to try, in the control's units, in addition to the control's own bounds.
    ///   - high: The highest value to try.
    /// - Throws: `SessionChangeError` if the camera is disconnected in the meantime.
    private mutating func correct(
        _ names: [String], by look: KeyPath<FrameColorAverage, Double>, from low: Int64, to high: Int64
    ) throws(SessionChangeError) {
        guard let control = try session.controls(of: role).controls.first(of: names), !control.isReadOnly
        else { return }
        var search = ControlValueSearch(isRatio: look == \.brightness)
        var value = control.value
        var trials = ControlValueTrials(value, after.map { Self.difference($0, look) } ?? .infinity)
        for _ in 0..<Self.mostSteps {
            guard let after else { return }
            let (own, wanted) = (after.own[keyPath: look], after.other[keyPath: look])
            if abs(own - wanted) <= Self.tolerance { return }
            let target = search.next(value: value, own: own, wanted: wanted)
            let next = control.nearest(to: max(low, min(target, high)))
            guard next != value else { break }
            value = next
            try set([ControlRequest(name: control.name, value: value, origin: .match)])
            self.after = measure()
            guard let after = self.after else { return }
            trials.add(value, Self.difference(after, look))
        }
        if trials.best != value {
            // A step can make the match worse, because the camera's response isn't exactly linear.
            value = trials.best
            try set([ControlRequest(name: control.name, value: value, origin: .match)])
            after = measure()
        }
        guard let after else { return }
        let difference = after.own[keyPath: look] - after.other[keyPath: look]
        if abs(difference) > Self.tolerance * 2 {
            remarks.append(
                "\(control.name) \(value) is the closest match found in \(Self.mostSteps) steps."
            )
        }
    }

    /// Restores the former control values if the frames matched better with them.
    private mutating func undo(
        _ controls: [DeviceControl], unlessCloserIn look: KeyPath<FrameColorAverage, Double>, _ name: String
    ) throws(SessionChangeError) {
        guard let before, let after, !controls.isEmpty,
            Self.difference(after, look) > Self.difference(before, look) + Self.tolerance
        else { return }
        try set(
            ControlGovernor.ordered(
                controls.filter { !$0.isReadOnly }.map {
                    ControlRequest(name: $0.name, value: $0.value, origin: .match)
                }))
        self.after = measure()
        remarks.append("The \(name) matched better before the change, so the previous values were restored.")
    }

    private static func difference(_ pair: ColorPair, _ look: KeyPath<FrameColorAverage, Double>) -> Double {
        abs(pair.own[keyPath: look] - pair.other[keyPath: look])
    }

    /// Maximum exposure time. An exposure longer than the frame interval would lower the camera's frame rate. V4L2
    /// measures exposure times in units of 100 µs.
    private var longestExposure: Int64? {
        session.currentPlan.cameras.first { $0.role == role }.map {
            $0.format.rate.interval.count / 100_000
        }
    }

    private mutating func set(_ requests: [ControlRequest]) throws(SessionChangeError) {
        guard !requests.isEmpty else { return }
        let words = requests.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        for outcome in try session.set(requests, of: role, describedAs: "match \(role) \(leader): \(words)") {
            outcomes.removeAll { $0.request.name == outcome.request.name }
            outcomes.append(outcome)
        }
    }

    /// Measures the frames of both cameras; returns `nil` if no frames arrive.
    private func measure() -> ColorPair? {
        let clock = MonotonicClock()
        let begin = clock.now + Self.effectTime
        let meters = [FrameColorMeter(role, from: begin), FrameColorMeter(leader, from: begin)]
        defer { for meter in meters { session.detach(meter.tap) } }
        do throws(SessionChangeError) {
            for meter in meters { try session.attach(meter.tap) }
        } catch {
            return nil
        }
        let looks = meters.compactMap { $0.average(until: begin + Self.measurementTimeout) }
        return looks.count == 2 ? (looks[0], looks[1]) : nil
    }
}

/// Searches for the control value that makes a camera's frames match the target. This value type receives measurements
/// and returns the next value.
///
/// The effect of a control on a camera's frames isn't known in advance, so the search measures this effect.
/// From the second step on, the search extrapolates the line through the last two measurements.
struct ControlValueSearch {
    /// Whether the measured property is proportional to the value, as brightness is to an exposure time. If
    /// so, each step multiplies the control value by a factor; otherwise, each step adds an offset to the
    /// control value.
    private let isRatio: Bool
    private var last: (value: Double, look: Double)?

    /// Initial estimate of the effect of a control whose value changes by offsets, in kelvins for the whole
    /// range of warmth. The first step uses this estimate, and later steps use the measured effect.
    private static let firstStep = 3000.0
    /// Maximum factor per step for a control whose value is multiplied.
    private static let largestFactor = 4.0
    /// Maximum offset per step for a control whose value changes by offsets.
    private static let largestStep = 600.0
    /// Plausible range of the slope that describes the effect of a control.
    private static let slopes = 0.25...4.0

    init(isRatio: Bool) { self.isRatio = isRatio }

    /// Returns the value to try next.
    ///
    /// - Parameters:
    ///   - value: The control's current value.
    ///   - own: The measured property of the frames at that value, 0…1.
    ///   - wanted: The target, 0…1.
    /// - Returns: The next value, which can be outside the control's range. The caller clamps the value.
    mutating func next(value: Int64, own: Double, wanted: Double) -> Int64 {
        isRatio
            ? ratio(Double(max(value, 1)), max(own, 0.001), max(wanted, 0.001))
            : difference(Double(value), own, wanted)
    }

    private mutating func ratio(_ value: Double, _ own: Double, _ wanted: Double) -> Int64 {
        let (x, y) = (Self.logarithm(value), Self.logarithm(own))
        var slope = 1.0
        if let last, abs(last.value - x) > 0.01 { slope = (last.look - y) / (last.value - x) }
        last = (x, y)
        slope = min(max(slope, Self.slopes.lowerBound), Self.slopes.upperBound)
        let limit = Self.logarithm(Self.largestFactor)
        let step = min(max((Self.logarithm(wanted) - y) / slope, -limit), limit)
        return Int64(rounding: Self.power(x + step))
    }

    private mutating func difference(_ value: Double, _ own: Double, _ wanted: Double) -> Int64 {
        var slope = 1 / Self.firstStep
        if let last, abs(last.value - value) >= 1 {
            // A slope of the opposite sign is noise, because a higher color temperature setting always makes
            // frames warmer.
            slope = max((last.look - own) / (last.value - value), slope / 4)
        }
        last = (value, own)
        let step = min(max((wanted - own) / slope, -Self.largestStep), Self.largestStep)
        return Int64(rounding: value + step)
    }

    private static func logarithm(_ value: Double) -> Double { Glibc.log(value) }
    private static func power(_ value: Double) -> Double { Glibc.exp(value) }
}

/// The values of a control that have been tried so far. This value type receives attempts and returns the
/// best one.
struct ControlValueTrials {
    /// The value with the closest match. If several values match equally well, this is the first of them.
    private(set) var best: Int64
    private var difference: Double

    /// Creates a list that contains only the initial value.
    ///
    /// - Parameters:
    ///   - value: The initial value.
    ///   - difference: Distance from the target at that value.
    init(_ value: Int64, _ difference: Double) { (best, self.difference) = (value, difference) }

    /// Adds a value that was tried, with its distance from the target.
    mutating func add(_ value: Int64, _ difference: Double) {
        guard difference < self.difference else { return }
        (best, self.difference) = (value, difference)
    }
}

/// Measures the brightness and warmth of a camera's frames, starting at a given time. The tap runs on a
/// separate thread.
final class FrameColorMeter: Sendable {
    /// The tap to attach to a session.
    let tap: FrameTap
    private let measurements: ConditionLock<[FrameColorAverage]>

    /// Number of frames to measure.
    private static let count = 7
    /// Frames are scaled to this size, which is sufficient for computing mean values.
    private static let size = FrameSize(width: 64, height: 36)

    /// Prepares to measure a camera's frames.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - begin: Frames captured before this time are ignored.
    init(_ role: String, from begin: ClockTime) {
        let looks = ConditionLock<[FrameColorAverage]>([])
        self.measurements = looks
        tap = FrameTap(
            role: role, FrameRequest(.converted(.i420), size: Self.size), isPreview: true
        ) { frame in
            guard frame.capturedAt >= begin, let look = FrameColorAverage(frame) else { return }
            looks.broadcast { $0.append(look) }
        }
    }

    /// Waits for the frames and returns the median of their measurements. Returns `nil` if the frames don't
    /// arrive in time.
    func average(until deadline: ClockTime) -> FrameColorAverage? {
        let found = measurements.wait(until: deadline) { $0.count >= Self.count ? $0 : nil }
        return found.flatMap { FrameColorAverage.median(of: $0) }
    }
}

/// Mean brightness and warmth of a frame.
struct FrameColorAverage: Equatable {
    /// Mean luma: 0 is black, 1 is white.
    let brightness: Double
    /// Mean of red minus blue, as a fraction of the chroma range. 0 is neutral, positive values are warm.
    let warmth: Double

    /// Creates the measurement from the given values.
    init(brightness: Double, warmth: Double) { (self.brightness, self.warmth) = (brightness, warmth) }

    /// Measures an I420 frame; `nil` for any other format, or if the planes aren't within the frame's memory.
    init?(_ frame: CapturedFrame) {
        guard frame.pixel == .i420, frame.planes.count == 3 else { return nil }
        let (columns, rows) = (frame.size.width, frame.size.height)
        // The plane layout of a frame that comes from a camera must be validated, because it isn't
        // trustworthy.
        let isInside = frame.planes.enumerated().allSatisfy { index, plane in
            let (width, height) = index == 0 ? (columns, rows) : (columns / 2, rows / 2)
            return plane.offset >= 0 && plane.stride >= width && width > 0 && height > 0
                && plane.offset + plane.stride * (height - 1) + width <= frame.memory.count
        }
        guard isInside else { return nil }
        func mean(_ plane: Int, _ width: Int, _ height: Int) -> Double {
            let (start, stride) = (frame.startOfPlane(plane), frame.planes[plane].stride)
            var sum = 0
            for row in 0..<height {
                for column in 0..<width { sum += Int(start[row * stride + column]) }
            }
            return Double(sum) / Double(max(width * height, 1))
        }
        let isFull = frame.color.range == .full
        // ITU-R BT.601 and BT.709: black is 16, white is 235, and chroma ranges from 16 to 240.
        let luma = mean(0, columns, rows)
        let chroma = mean(2, columns / 2, rows / 2) - mean(1, columns / 2, rows / 2)
        withExtendedLifetime(frame) {}
        brightness = isFull ? luma / 255 : (luma - 16) / 219
        warmth = chroma / (isFull ? 255 : 224)
    }

    /// Returns the separate medians of brightness and warmth, so that a flash in one of the frames is ignored.
    static func median(of looks: [FrameColorAverage]) -> FrameColorAverage? {
        guard !looks.isEmpty else { return nil }
        func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        return FrameColorAverage(
            brightness: middle(looks.map(\.brightness)), warmth: middle(looks.map(\.warmth)))
    }
}
