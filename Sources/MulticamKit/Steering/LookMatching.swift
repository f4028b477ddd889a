internal import Inputs
internal import Media
internal import Plan
internal import Profiles
internal import Session

/// Brings a camera's exposure and white balance to those of another one, once: it takes over the other's values, then corrects them
/// until the frames of both are equally bright and equally warm.
///
/// Used by one thread, which it blocks for some seconds: after each change it waits for frames that show it.
struct LookMatching {
    /// What was set, the last value of each control.
    private(set) var outcomes: [ControlOutcome] = []
    private let role: String
    private let leader: String
    private let session: MulticamSession
    private var remarks: [String] = []
    private var before: LookPair?
    private var after: LookPair?

    private typealias LookPair = (own: FrameLookAverage, other: FrameLookAverage)

    /// Frames still show the state before a change for so long: an exposure and its transport.
    private static let effectTime = Nanoseconds.milliseconds(300)
    /// How long is waited for the frames of a measurement.
    private static let patience = Nanoseconds.seconds(3)
    /// Most corrections of one control.
    private static let mostSteps = 5
    /// Differences that nobody sees: of brightness, and of warmth, both of 0…1.
    private static let tolerance = 0.015
    /// As far, in kelvins, the colour temperature may go from the other camera's value: frames of differing scenes differ in
    /// colour without a wrong white balance.
    private static let widestTemperature: Int64 = 800

    /// Prepares to match.
    ///
    /// - Parameters:
    ///   - role: The camera that is set.
    ///   - leader: The camera that it follows, which stays as it is.
    ///   - session: The session that runs both.
    /// - Throws: `SessionChangeError` when one of them is no camera of the session, or away.
    init(_ role: String, to leader: String, in session: MulticamSession) throws(SessionChangeError) {
        (self.role, self.leader, self.session) = (role, leader, session)
        _ = try session.controls(of: leader)
        guard !(try session.controls(of: role).controls.isEmpty) else {
            throw SessionChangeError("camera \(role) has no controls and cannot follow \(leader).")
        }
    }

    /// Matches.
    ///
    /// - Throws: `SessionChangeError` when a camera goes away meanwhile.
    mutating func run() throws(SessionChangeError) {
        let theirs = try session.controls(of: leader).controls
        let own = try session.controls(of: role).controls
        before = measure()
        let matched = MatchedControls([.exposure, .whiteBalance], of: (leader, theirs), on: (role, own))
        remarks = matched.remarks
        try set(matched.requests)
        guard before != nil else {
            remarks.append("no frames of both came, so the values are taken over as they are.")
            return
        }
        after = measure()
        try correct(
            ControlGovernor.exposure.governed, by: \.brightness, from: .min, to: longestExposure ?? .max)
        let temperature = theirs.named(Self.temperature).flatMap {
            Self.temperatures.contains($0.value) ? $0.value : nil
        }
        try correct(
            [Self.temperature], by: \.warmth,
            from: temperature.map { $0 - Self.widestTemperature } ?? .min,
            to: temperature.map { $0 + Self.widestTemperature } ?? .max)
        let automatic = [ControlGovernor.exposure, .whiteBalance].compactMap { governor in
            theirs.first(of: governor.names).flatMap { governor.isManual(at: $0.value) ? nil : $0.name }
        }
        if !automatic.isEmpty {
            remarks.append(
                "\(leader) goes on by itself (\(automatic.joined(separator: ", "))), so the two may drift apart: lock it there, or match again."
            )
        }
    }

    private static let temperature = "white_balance_temperature"
    /// Values of that control that can be kelvins.
    private static let temperatures = Int64(1)...100_000

    /// The step as sentences: what was set, how the frames were and are, and what could not be followed.
    var text: String {
        let values = outcomes.compactMap { outcome in
            outcome.value.map { "\(outcome.request.name) \($0)" }
        }
        var sentences = ["\(role) follows \(leader): \(values.joined(separator: ", "))."]
        if let before, let after {
            sentences.append(
                "Brightness \(Self.percent(before.own.brightness)) → \(Self.percent(after.own.brightness)), of \(leader) \(Self.percent(after.other.brightness)); "
                    + "warmth \(Self.percent(before.own.warmth)) → \(Self.percent(after.own.warmth)), of \(leader) \(Self.percent(after.other.warmth))."
            )
        }
        return (sentences + remarks).joined(separator: " ")
    }

    private static func percent(_ share: Double) -> String { "\(Int(rounding: share * 100)) %" }

    // MARK: Corrections

    /// Changes the first of these controls that the camera has until both cameras' frames are alike.
    ///
    /// - Parameters:
    ///   - names: The names that the control may have.
    ///   - look: What of the frames is to be alike.
    ///   - low: The lowest value to try, in the control's units, beside the control's own bounds.
    ///   - high: The highest value to try.
    /// - Throws: `SessionChangeError` when the camera goes away meanwhile.
    private mutating func correct(
        _ names: [String], by look: KeyPath<FrameLookAverage, Double>, from low: Int64, to high: Int64
    ) throws(SessionChangeError) {
        guard let control = try session.controls(of: role).controls.first(of: names), !control.isReadOnly
        else { return }
        var search = LookSearch(isRatio: look == \.brightness)
        var value = control.value
        for _ in 0..<Self.mostSteps {
            guard let after else { return }
            let (own, wanted) = (after.own[keyPath: look], after.other[keyPath: look])
            if abs(own - wanted) <= Self.tolerance { return }
            let wish = search.next(value: value, own: own, wanted: wanted)
            let next = control.nearest(to: max(low, min(wish, high)))
            guard next != value else { break }
            value = next
            try set([ControlRequest(name: control.name, value: value, origin: .match)])
            self.after = measure()
        }
        guard let after else { return }
        let difference = after.own[keyPath: look] - after.other[keyPath: look]
        if abs(difference) > Self.tolerance * 2 {
            remarks.append(
                "\(control.name) \(value) is as near as it comes in \(Self.mostSteps) steps within its bounds."
            )
        }
    }

    /// An exposure longer than a frame's interval would lower the camera's frame rate. V4L2 counts exposure times in 100 µs.
    private var longestExposure: Int64? {
        session.currentPlan.cameras.first { $0.role == role }.map {
            $0.format.rate.interval.count / 100_000
        }
    }

    private mutating func set(_ requests: [ControlRequest]) throws(SessionChangeError) {
        guard !requests.isEmpty else { return }
        let words = requests.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        for outcome in try session.set(requests, of: role, saying: "match \(role) \(leader): \(words)") {
            outcomes.removeAll { $0.request.name == outcome.request.name }
            outcomes.append(outcome)
        }
    }

    /// Measures the frames of both cameras; `nil` when they do not come.
    private func measure() -> LookPair? {
        let clock = MonotonicClock()
        let begin = clock.now + Self.effectTime
        let meters = [FrameLookMeter(role, from: begin), FrameLookMeter(leader, from: begin)]
        defer { for meter in meters { session.detach(meter.tap) } }
        do throws(SessionChangeError) {
            for meter in meters { try session.attach(meter.tap) }
        } catch {
            return nil
        }
        let looks = meters.compactMap { $0.average(until: begin + Self.patience) }
        return looks.count == 2 ? (looks[0], looks[1]) : nil
    }
}
