/// An automatic camera control, and the manual controls that it governs while it is active.
///
/// The table follows `uvc_ctrl_mappings` in the kernel's uvc_ctrl.c (`master_id`, `master_manual`,
/// `slave_ids`) with the current control names and the names before kernel 5.19. The table also covers the
/// control clusters of other sensor drivers (auto gain, auto hue).
package struct ControlGovernor: Sendable, Equatable {
    /// Names of the automatic control in different kernel versions, the current name first.
    package let names: [String]
    /// Value of the automatic control that enables the manual controls.
    package let manualValue: Int64
    /// Other values of the automatic control that also enable the manual controls.
    let otherManualValues: Set<Int64>
    /// Names of the governed manual controls.
    package let governedControls: [String]

    /// Automatic exposure, which governs the exposure time.
    ///
    /// `V4L2_EXPOSURE_MANUAL` is 1, and `V4L2_EXPOSURE_SHUTTER_PRIORITY` is 2 (videodev2.h).
    package static let exposure = Self(
        ["auto_exposure", "exposure_auto"], manual: 1, alsoManual: [2],
        governs: ["exposure_time_absolute", "exposure_absolute"])
    /// Automatic white balance, which governs the color temperature and the red and blue balance.
    package static let whiteBalance = Self(
        ["white_balance_automatic", "white_balance_temperature_auto", "white_balance_auto"], manual: 0,
        governs: [
            "white_balance_temperature", "white_balance_red_component", "white_balance_blue_component",
            "red_balance", "blue_balance",
        ])
    /// Continuous automatic focus, which governs the focus distance.
    package static let focus = Self(
        ["focus_automatic_continuous", "focus_auto"], manual: 0,
        governs: ["focus_absolute", "focus_relative"])
    /// Automatic gain, which governs the gain.
    package static let gain = Self(["gain_automatic", "autogain"], manual: 0, governs: ["gain"])
    /// Automatic hue, which governs the hue.
    package static let hue = Self(["hue_automatic", "hue_auto"], manual: 0, governs: ["hue"])

    private static let all = [exposure, whiteBalance, focus, gain, hue]

    private init(
        _ names: [String], manual: Int64, alsoManual: Set<Int64> = [], governs governed: [String]
    ) {
        self.names = names
        self.manualValue = manual
        self.otherManualValues = alsoManual
        self.governedControls = governed
    }

    /// Whether the governed controls can be set while the automatic control has this value.
    package func isManual(at value: Int64) -> Bool {
        value == manualValue || otherManualValues.contains(value)
    }

    /// Returns the automatic control that can govern a control; `nil` if none does.
    package static func governing(_ name: String) -> Self? {
        all.first { $0.governedControls.contains(name) }
    }

    /// Returns the table entry for an automatic control with any of its names; `nil` for other controls.
    package static func named(_ name: String) -> Self? { all.first { $0.names.contains(name) } }

    /// Returns the requests in a valid order: automatic controls first. In any other order, a camera with
    /// active autofocus would reject or overwrite a focus value.
    package static func ordered(_ requests: [ControlRequest]) -> [ControlRequest] {
        requests.filter { isAutomatic($0.name) } + requests.filter { !isAutomatic($0.name) }
    }

    /// Whether a control is automatic, according to the table or to keywords in its name.
    private static func isAutomatic(_ name: String) -> Bool {
        named(name) != nil
            || name.split(separator: "_").contains { $0 == "auto" || $0 == "automatic" || $0 == "autogain" }
    }
}

extension [DeviceControl] {
    /// Returns the control with this name; `nil` if none exists.
    package func named(_ name: String) -> DeviceControl? { first { $0.name == name } }

    /// Returns the control for the first name in a list that matches a control; `nil` if no name matches.
    package func first(of names: [String]) -> DeviceControl? {
        names.lazy.compactMap { name in first { $0.name == name } }.first
    }

    /// Returns the fault that setting a governed control would cause, given the current values and the other
    /// requests.
    ///
    /// - Parameters:
    ///   - name: The name of the control.
    ///   - requests: The requests that are applied at the same time.
    /// - Returns: The fault; `nil` if no known automatic control would govern this control.
    package func governingFault(for name: String, alongside requests: [ControlRequest]) -> ControlFault? {
        guard let governor = ControlGovernor.governing(name), let control = first(of: governor.names) else {
            return nil
        }
        let value = requests.last { $0.name == control.name }?.value ?? control.value
        return governor.isManual(at: value)
            ? nil : .governed(by: control.name, manual: control.nearest(to: governor.manualValue))
    }

    /// Requests that reset all controls to their defaults, in an order that the camera accepts.
    ///
    /// Controls that can be set now come first, then the automatic controls, then the manual controls that
    /// become settable. Read-only controls and those that only the camera changes are omitted.
    package var resettingRequests: [ControlRequest] {
        let settable = filter { !$0.isReadOnly && !$0.isVolatile }
        let manual = settable.filter { ControlGovernor.named($0.name) == nil }
        let automatic = settable.filter { ControlGovernor.named($0.name) != nil }
        let defaults = automatic.map { ControlRequest(name: $0.name, value: $0.defaultValue) }
        let free = manual.filter { !$0.isInactive && governingFault(for: $0.name, alongside: []) == nil }
        let freed = manual.filter { control in
            !free.contains(control) && governingFault(for: control.name, alongside: defaults) == nil
        }
        return free.map { ControlRequest(name: $0.name, value: $0.defaultValue) } + defaults
            + freed.map { ControlRequest(name: $0.name, value: $0.defaultValue) }
    }

    /// Requests that restore all controls to their current values, in an order that the camera accepts.
    /// Manual controls that are currently governed by an automatic control are omitted.
    package var restoringRequests: [ControlRequest] {
        let kept = filter {
            !$0.isReadOnly && !$0.isVolatile && !$0.isInactive
                && governingFault(for: $0.name, alongside: []) == nil
        }
        return ControlGovernor.ordered(kept.map { ControlRequest(name: $0.name, value: $0.value) })
    }

    /// Returns the name and fault of the first request that these controls can't satisfy; `nil` if they can
    /// satisfy all of them.
    package func fault(in requests: [ControlRequest]) -> (name: String, fault: ControlFault)? {
        for request in requests {
            guard let control = named(request.name) else {
                return (request.name, .unknownControl(request.name, names: map(\.name)))
            }
            do throws(ControlFault) {
                try control.check(request.value)
            } catch {
                return (request.name, error)
            }
            if let fault = governingFault(for: request.name, alongside: requests) {
                return (request.name, fault)
            }
        }
        return nil
    }
}
