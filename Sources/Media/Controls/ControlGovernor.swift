/// An automatic control of a camera, and the manual controls that it governs while it is on.
///
/// The table follows `uvc_ctrl_mappings` in the kernel's uvc_ctrl.c (`master_id`, `master_manual`, `slave_ids`), under
/// today's names and those of kernels before 5.19, and the control clusters of other drivers' sensors (auto gain, auto
/// hue).
public struct ControlGovernor: Sendable, Equatable {
    /// Names that the automatic control has in different kernels, today's first.
    public let names: [String]
    /// The value of the automatic control at which a person may set the manual ones.
    public let manual: Int64
    /// Further values of the automatic control at which it governs nothing.
    let alsoManual: Set<Int64>
    /// Names of the manual controls that the automatic one governs.
    public let governed: [String]

    /// Automatic exposure, which governs the exposure time.
    ///
    /// V4L2_EXPOSURE_MANUAL is 1, V4L2_EXPOSURE_SHUTTER_PRIORITY 2 (videodev2.h).
    public static let exposure = Self(
        ["auto_exposure", "exposure_auto"], manual: 1, alsoManual: [2],
        governs: ["exposure_time_absolute", "exposure_absolute"])
    /// Automatic white balance, which governs its colour temperature and the balances of red and blue.
    public static let whiteBalance = Self(
        ["white_balance_automatic", "white_balance_temperature_auto", "white_balance_auto"], manual: 0,
        governs: [
            "white_balance_temperature", "white_balance_red_component", "white_balance_blue_component",
            "red_balance", "blue_balance",
        ])
    /// Continuous automatic focus, which governs the focus distance.
    public static let focus = Self(
        ["focus_automatic_continuous", "focus_auto"], manual: 0,
        governs: ["focus_absolute", "focus_relative"])
    /// Automatic gain, which governs the gain.
    public static let gain = Self(["gain_automatic", "autogain"], manual: 0, governs: ["gain"])
    /// Automatic hue, which governs the hue.
    public static let hue = Self(["hue_automatic", "hue_auto"], manual: 0, governs: ["hue"])

    private static let all = [exposure, whiteBalance, focus, gain, hue]

    private init(
        _ names: [String], manual: Int64, alsoManual: Set<Int64> = [], governs governed: [String]
    ) {
        self.names = names
        self.manual = manual
        self.alsoManual = alsoManual
        self.governed = governed
    }

    /// Whether a person may set the governed controls while the automatic one has this value.
    public func isManual(at value: Int64) -> Bool { value == manual || alsoManual.contains(value) }

    /// The automatic control that may govern a control; `nil` for a control that none does.
    public static func of(_ name: String) -> Self? { all.first { $0.governed.contains(name) } }

    /// The entry of an automatic control, by any of its names; `nil` for other controls.
    public static func named(_ name: String) -> Self? { all.first { $0.names.contains(name) } }

    /// The requests in an order in which they can be carried out: automatic controls first. Otherwise the camera refuses a
    /// focus, or moves it again, while the automatic focus is on.
    public static func ordered(_ requests: [ControlRequest]) -> [ControlRequest] {
        requests.filter { isAutomatic($0.name) } + requests.filter { !isAutomatic($0.name) }
    }

    /// Whether a control is automatic, by the table or by the words of its name.
    private static func isAutomatic(_ name: String) -> Bool {
        named(name) != nil
            || name.split(separator: "_").contains { $0 == "auto" || $0 == "automatic" || $0 == "autogain" }
    }
}

extension [DeviceControl] {
    /// The control with this name; `nil` when there is none.
    public func named(_ name: String) -> DeviceControl? { first { $0.name == name } }

    /// The control with the first of several names that is present; `nil` when none is.
    public func first(of names: [String]) -> DeviceControl? {
        names.lazy.compactMap { name in first { $0.name == name } }.first
    }

    /// The fault of setting a control that an automatic one governs, by the present values and the requests made with it.
    ///
    /// - Parameters:
    ///   - name: The name of the control.
    ///   - requests: The requests that are carried out together with it.
    /// - Returns: `nil` where nothing is known to govern the control then.
    public func governing(_ name: String, beside requests: [ControlRequest]) -> ControlFault? {
        guard let governor = ControlGovernor.of(name), let control = first(of: governor.names) else {
            return nil
        }
        let value = requests.last { $0.name == control.name }?.value ?? control.value
        return governor.isManual(at: value)
            ? nil : .governed(by: control.name, manual: control.nearest(to: governor.manual))
    }

    /// Requests that bring all controls to their defaults, in an order in which the camera takes them.
    ///
    /// Controls that can be set now come first, then the automatic ones, then those that these release. Controls that only
    /// the camera changes, or that can only be read, are left out.
    public var resettingRequests: [ControlRequest] {
        let settable = filter { !$0.isReadOnly && !$0.isVolatile }
        let manual = settable.filter { ControlGovernor.named($0.name) == nil }
        let automatic = settable.filter { ControlGovernor.named($0.name) != nil }
        let defaults = automatic.map { ControlRequest(name: $0.name, value: $0.defaultValue) }
        let free = manual.filter { !$0.isInactive && governing($0.name, beside: []) == nil }
        let freed = manual.filter { control in
            !free.contains(control) && governing(control.name, beside: defaults) == nil
        }
        return free.map { ControlRequest(name: $0.name, value: $0.defaultValue) } + defaults
            + freed.map { ControlRequest(name: $0.name, value: $0.defaultValue) }
    }

    /// Requests that bring all controls back to their present values, in an order in which the camera takes them. Controls
    /// that an automatic one governs now are left out.
    public var keepingRequests: [ControlRequest] {
        let kept = filter {
            !$0.isReadOnly && !$0.isVolatile && !$0.isInactive && governing($0.name, beside: []) == nil
        }
        return ControlGovernor.ordered(kept.map { ControlRequest(name: $0.name, value: $0.value) })
    }

    /// The first request that these controls cannot fulfil, by its name, and why; `nil` when all can be fulfilled.
    public func fault(in requests: [ControlRequest]) -> (name: String, fault: ControlFault)? {
        for request in requests {
            guard let control = named(request.name) else {
                return (request.name, .unknown(request.name, names: map(\.name)))
            }
            do throws(ControlFault) {
                try control.check(request.value)
            } catch {
                return (request.name, error)
            }
            if let fault = governing(request.name, beside: requests) { return (request.name, fault) }
        }
        return nil
    }
}
