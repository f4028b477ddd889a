package import Media
package import Profiles

/// The control values that make a camera see as another one does, and remarks on what it cannot follow.
///
/// Pure: the controls of both cameras are arguments.
package struct MatchedControls: Equatable {
    /// Requests for the follower's controls, in an order in which they can be carried out.
    package private(set) var requests: [ControlRequest] = []
    /// One sentence for each trait that the camera cannot follow exactly.
    package private(set) var remarks: [String] = []

    private static let exposureTimes = ControlGovernor.exposure.governed
    private static let temperatures = ["white_balance_temperature"]
    private static let gains = ["gain", "analogue_gain"]

    /// Derives the values for a follower from the controls of its leader.
    ///
    /// - Parameters:
    ///   - traits: The traits to match. Only exposure and white balance are controls that can be taken over.
    ///   - leader: The role and the controls of the camera that was metered.
    ///   - follower: The role and the controls of the camera that is set; the leader passed here too is locked as it is.
    package init(
        _ traits: [CameraMatch.Trait], of leader: (role: String, controls: [DeviceControl]),
        on follower: (role: String, controls: [DeviceControl])
    ) {
        if traits.contains(.exposure) {
            take(Self.exposureTimes, of: leader, on: follower, governor: .exposure) { Self.milliseconds($0) }
            takeGain(of: leader, on: follower)
        }
        if traits.contains(.whiteBalance) {
            take(Self.temperatures, of: leader, on: follower, governor: .whiteBalance) { "\($0) K" }
        }
        requests = ControlGovernor.ordered(requests)
    }

    private typealias Camera = (role: String, controls: [DeviceControl])

    /// Takes over one value, and switches off the automatic control that governs it.
    private mutating func take(
        _ names: [String], of leader: Camera, on follower: Camera, governor: ControlGovernor,
        _ text: (Int64) -> String
    ) {
        let what = governor == .exposure ? "exposure time" : "colour temperature"
        if let automatic = follower.controls.first(of: governor.names) {
            guard automatic.nearest(to: governor.manual) == governor.manual else {
                remarks.append(
                    "\(follower.role): its \(automatic.name) cannot be switched off, so it may drift away from \(leader.role)."
                )
                return
            }
            request(automatic, governor.manual)
        }
        guard let wish = leader.controls.first(of: names) else {
            if leader.role == follower.role {
                remarks.append(
                    "\(leader.role): it does not tell its \(what), so others cannot follow it there.")
            }
            return
        }
        guard let control = follower.controls.first(of: names) else {
            remarks.append(
                "\(follower.role): it has no control for its \(what) and cannot follow \(leader.role) to \(text(wish.value))."
            )
            return
        }
        let value = control.nearest(to: wish.value)
        request(control, value)
        if Double((value - wish.value).magnitude) > Double(wish.value.magnitude) * 0.05 {
            remarks.append(
                "\(follower.role): its \(what) goes from \(text(control.minimum)) to \(text(control.maximum)), so it has "
                    + "\(text(value)) in place of the \(text(wish.value)) of \(leader.role).")
        }
    }

    /// Takes over the gain. Gains have no unit: the same number on another scale is another gain.
    private mutating func takeGain(of leader: Camera, on follower: Camera) {
        guard let wish = leader.controls.first(of: Self.gains) else { return }
        if let automatic = follower.controls.first(of: ControlGovernor.gain.names) {
            request(automatic, ControlGovernor.gain.manual)
        }
        guard let control = follower.controls.first(of: Self.gains) else {
            if wish.value != wish.minimum {
                remarks.append(
                    "\(follower.role): it has no control for its gain and cannot follow \(leader.role) to \(wish.value)."
                )
            }
            return
        }
        request(control, control.nearest(to: wish.value))
        if (control.minimum, control.maximum) != (wish.minimum, wish.maximum) {
            remarks.append(
                "\(follower.role): its gain goes from \(control.minimum) to \(control.maximum), that of \(leader.role) from "
                    + "\(wish.minimum) to \(wish.maximum), so the same number may be another gain.")
        }
    }

    private mutating func request(_ control: DeviceControl, _ value: Int64) {
        guard !control.isReadOnly else { return }
        requests.append(ControlRequest(name: control.name, value: value, origin: .match))
    }

    /// An exposure time in words. V4L2 counts exposure times in 100 µs (kernel documentation, ext-ctrls-camera).
    private static func milliseconds(_ value: Int64) -> String {
        "\(Double(value) / 10) ms"
    }
}

extension [DeviceControl] {
    /// The request that switches the automatic focus off where it stands; empty where there is none.
    package var lockingFocus: [ControlRequest] {
        guard let automatic = first(of: ControlGovernor.focus.names), !automatic.isReadOnly else { return [] }
        return [ControlRequest(name: automatic.name, value: ControlGovernor.focus.manual, origin: .match)]
    }

    /// The request that sets the present focus distance, also after a replug; empty where the camera has no such control.
    package var holdingFocus: [ControlRequest] {
        guard first(of: ControlGovernor.focus.names) != nil, let distance = named("focus_absolute"),
            !distance.isReadOnly
        else { return [] }
        return [ControlRequest(name: distance.name, value: distance.value, origin: .match)]
    }
}
