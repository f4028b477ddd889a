package import MulticamMedia
package import MulticamProfiles

/// The control values that make one camera match the exposure and color of another, and notes on traits that
/// can't be matched.
///
/// The matched values depend only on the controls of both cameras.
package struct MatchedControls: Equatable {
    /// Values to set on the matching camera's controls, in application order.
    package private(set) var requests: [ControlRequest] = []
    /// One sentence for each trait that the camera can't match exactly.
    package private(set) var remarks: [String] = []

    private static let exposureTimes = ControlGovernor.exposure.governedControls
    private static let temperatures = ["white_balance_temperature"]
    private static let gains = ["gain", "analogue_gain"]

    /// Derives the control values of a camera (the follower) from the controls of the camera to match (the
    /// leader).
    ///
    /// - Parameters:
    ///   - traits: The traits to match. Only exposure and white balance are matched by copying control
    ///     values.
    ///   - leader: The role and the controls of the camera to match.
    ///   - follower: The role and the controls of the camera to set. Pass the leader here to lock that camera at its
    ///     current values.
    package init(
        _ traits: [CameraMatch.Trait], of leader: (role: String, controls: [DeviceControl]),
        on follower: (role: String, controls: [DeviceControl])
    ) {
        if traits.contains(.exposure) {
            copyControl(Self.exposureTimes, of: leader, on: follower, governor: .exposure) {
                Self.milliseconds($0)
            }
            copyGain(of: leader, on: follower)
        }
        if traits.contains(.whiteBalance) {
            copyControl(Self.temperatures, of: leader, on: follower, governor: .whiteBalance) { "\($0) K" }
        }
        requests = ControlGovernor.ordered(requests)
    }

    private typealias Camera = (role: String, controls: [DeviceControl])

    /// Copies one control value from the leader to the follower, and turns off the follower's automatic mode
    /// for that control.
    private mutating func copyControl(
        _ names: [String], of leader: Camera, on follower: Camera, governor: ControlGovernor,
        _ text: (Int64) -> String
    ) {
        let what = governor == .exposure ? "exposure time" : "color temperature"
        if let automatic = follower.controls.first(of: governor.names) {
            guard automatic.nearest(to: governor.manualValue) == governor.manualValue else {
                remarks.append(
                    "\(follower.role): \(automatic.name) cannot be turned off, so the camera may not match \(leader.role)."
                )
                return
            }
            addRequest(automatic, governor.manualValue)
        }
        guard let leaderControl = leader.controls.first(of: names) else {
            if leader.role == follower.role {
                remarks.append(
                    "\(leader.role): the camera does not report its \(what), so other cameras cannot match it."
                )
            }
            return
        }
        guard let control = follower.controls.first(of: names) else {
            remarks.append(
                "\(follower.role): the camera has no \(what) control, so it cannot match the value of \(leader.role) (\(text(leaderControl.value)))."
            )
            return
        }
        let value = control.nearest(to: leaderControl.value)
        addRequest(control, value)
        if Double((value - leaderControl.value).magnitude) > Double(leaderControl.value.magnitude) * 0.05 {
            remarks.append(
                "\(follower.role): the \(what) range is \(text(control.minimum)) to \(text(control.maximum)), so the camera uses \(text(value)) instead of the value of \(leader.role) (\(text(leaderControl.value)))."
            )
        }
    }

    /// Copies the gain. Gain controls don't have a unit, so the same value can mean a different gain on
    /// another camera.
    private mutating func copyGain(of leader: Camera, on follower: Camera) {
        guard let leaderControl = leader.controls.first(of: Self.gains) else { return }
        if let automatic = follower.controls.first(of: ControlGovernor.gain.names) {
            addRequest(automatic, ControlGovernor.gain.manualValue)
        }
        guard let control = follower.controls.first(of: Self.gains) else {
            if leaderControl.value != leaderControl.minimum {
                remarks.append(
                    "\(follower.role): the camera has no gain control, so it cannot match the gain of \(leader.role) (\(leaderControl.value))."
                )
            }
            return
        }
        addRequest(control, control.nearest(to: leaderControl.value))
        if (control.minimum, control.maximum) != (leaderControl.minimum, leaderControl.maximum) {
            remarks.append(
                "\(follower.role): the gain range is \(control.minimum) to \(control.maximum), but \(leaderControl.minimum) to \(leaderControl.maximum) on \(leader.role), so the same value may result in a different gain."
            )
        }
    }

    private mutating func addRequest(_ control: DeviceControl, _ value: Int64) {
        guard !control.isReadOnly else { return }
        requests.append(ControlRequest(name: control.name, value: value, origin: .match))
    }

    /// Formats an exposure time. In V4L2, exposure times are in units of 100 µs (kernel documentation,
    /// ext-ctrls-camera).
    private static func milliseconds(_ value: Int64) -> String {
        "\(Double(value) / 10) ms"
    }
}

extension [DeviceControl] {
    /// Request that turns off autofocus and thereby locks the focus at the current distance; empty if the
    /// camera's autofocus can't be turned off.
    package var focusLockRequests: [ControlRequest] {
        guard let automatic = first(of: ControlGovernor.focus.names), !automatic.isReadOnly else { return [] }
        return [
            ControlRequest(name: automatic.name, value: ControlGovernor.focus.manualValue, origin: .match)
        ]
    }

    /// Request that keeps the current focus distance, even after the camera is reconnected; empty if the
    /// camera doesn't have a focus control.
    package var focusHoldRequests: [ControlRequest] {
        guard first(of: ControlGovernor.focus.names) != nil, let distance = named("focus_absolute"),
            !distance.isReadOnly
        else { return [] }
        return [ControlRequest(name: distance.name, value: distance.value, origin: .match)]
    }
}

/// The best frame sizes and rates that all cameras of a matched group support.
struct MatchedFormats {
    /// The profile's cameras, with the common sizes and rates of their groups.
    private(set) var cameras: [CameraRole]
    private var notes: [String] = []

    init(_ profile: Profile, _ devices: [String: PlannedDevice]) {
        cameras = profile.cameras
        let leaders = Set(cameras.compactMap { $0.match?.camera })
        for leader in cameras.map(\.role) where leaders.contains(leader) {
            match(followersOf: leader, .size, devices)
            match(followersOf: leader, .rate, devices)
        }
    }

    /// Removes and returns the notes for the user, one sentence about each matched group of cameras.
    mutating func drainNotes() -> [String] {
        defer { notes = [] }
        return notes
    }

    private mutating func match(
        followersOf leader: String, _ trait: CameraMatch.Trait, _ devices: [String: PlannedDevice]
    ) {
        let roles = cameras.filter {
            $0.role == leader || ($0.match?.camera == leader && $0.match?.traits.contains(trait) ?? false)
        }
        guard roles.count > 1, let asked = roles.first(where: { $0.role == leader }) else { return }
        let offers = roles.map { role in Self.formats(of: role, devices[role.role]) }
        let names = roles.map(\.role).joined(separator: ", ")
        if trait == .size {
            guard let size = Self.size(asked.size ?? CameraFormatChoice.defaultSize, among: offers) else {
                notes.append(
                    "\(names): the cameras do not share a frame size, so each camera keeps its size.")
                return
            }
            if let size {
                for role in roles { set(role.role) { $0.size = size } }
                notes.append("\(names): \(size) is the best common size.")
            } else {
                for role in roles { set(role.role) { $0.size = asked.size ?? $0.size } }
            }
        } else {
            let wanted = asked.rate ?? CameraFormatChoice.defaultRate
            let highest = zip(roles, offers).compactMap { role, formats -> FrameRate? in
                let ofSize = formats?.filter { format in role.size.map { $0 == format.size } ?? true }
                return ofSize.flatMap { $0.compactMap(\.highestRate).max() }
            }
            let rate = ([wanted] + highest).min() ?? wanted
            for role in roles { set(role.role) { $0.rate = CameraFormatChoice.nominal(rate) } }
            notes.append(
                "\(names): \(CameraFormatChoice.nominal(rate)) is the best common frame rate.")
        }
    }

    private mutating func set(_ role: String, _ change: (inout CameraRole) -> Void) {
        if let index = cameras.firstIndex(where: { $0.role == role }) { change(&cameras[index]) }
    }

    /// Returns the formats that a camera offers in its role's pixel format; `nil` for a synthetic camera,
    /// which delivers any format.
    private static func formats(of role: CameraRole, _ device: PlannedDevice?) -> [OfferedFormat]? {
        guard case .listed(let formats) = device?.offers else { return nil }
        return formats.filter { format in role.format.pixel.map { $0 == format.pixel } ?? true }
    }

    /// Returns the largest size that all cameras offer and that doesn't exceed the requested size. If all common sizes
    /// exceed the requested size, returns the smallest.
    ///
    /// - Returns: The size; `nil` if the cameras don't have a common size, `.some(nil)` if all cameras
    ///   deliver any size.
    private static func size(_ wanted: FrameSize, among offers: [[OfferedFormat]?]) -> FrameSize?? {
        let listed = offers.compactMap { $0.map { Set($0.map(\.size)) } }
        guard let first = listed.first else { return .some(nil) }
        let common = listed.dropFirst().reduce(first) { $0.intersection($1) }
        func isBefore(_ one: FrameSize, _ other: FrameSize) -> Bool {
            (one.pixelCount, one.width) < (other.pixelCount, other.width)
        }
        let below = common.filter { $0.width <= wanted.width && $0.height <= wanted.height }
        guard let best = below.max(by: isBefore) ?? common.min(by: isBefore) else { return nil }
        return .some(best)
    }
}

/// Monitors a camera's automatic controls until their values settle.
///
/// This value type doesn't read a clock: it measures time as the number of calls to `add`.
package struct ControlSettlingMonitor {

    /// Creates a monitor that hasn't received any control values.
    package init() {}

    private var last: [String: Int64] = [:]
    private var unchangedCount = 0

    /// Number of consecutive `add` calls with unchanged values after which the controls count as settled.
    /// `add` is called ten times per second.
    private static let settledSampleCount = 3
    /// Maximum relative change of a control that counts as settled. Automatic exposure makes small changes
    /// continuously.
    private static let tolerance = 0.03

    /// Adds a reading of a camera's control values.
    ///
    /// - Returns: Whether exposure, color, and focus have all settled.
    package mutating func add(_ controls: [DeviceControl]) -> Bool {
        let watched = controls.filter { ControlGovernor.governing($0.name) != nil || $0.name == "gain" }
        let isStill = watched.allSatisfy { control in
            guard let before = last[control.name] else { return false }
            let allowed = max(Double(control.step), Double(before.magnitude) * Self.tolerance)
            return Double((control.value - before).magnitude) <= allowed
        }
        last = Dictionary(watched.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        unchangedCount = isStill ? unchangedCount + 1 : 0
        return unchangedCount >= Self.settledSampleCount
    }
}
