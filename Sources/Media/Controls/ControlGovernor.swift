/// Which automatic control has which manual ones in its hands.
///
/// As `uvc_ctrl_mappings` in the kernel's uvc_ctrl.c says (`master_id`, `master_manual`, `slave_ids`), under the names of today
/// and of kernels before 5.19, and as the control clusters of other drivers' sensors do it (auto gain, auto hue).
public struct ControlGovernor: Sendable, Equatable {
    /// Names of one control, today's first.
    public let names: [String]
    /// Its value at which a person may set the others.
    public let manual: Int64
    /// Values at which it governs nothing either.
    let alsoManual: Set<Int64>
    public let governed: [String]

    /// V4L2_EXPOSURE_MANUAL is 1, V4L2_EXPOSURE_SHUTTER_PRIORITY 2 (videodev2.h).
    public static let exposure = Self(
        ["auto_exposure", "exposure_auto"], manual: 1, alsoManual: [2],
        governs: ["exposure_time_absolute", "exposure_absolute"])
    public static let whiteBalance = Self(
        ["white_balance_automatic", "white_balance_temperature_auto", "white_balance_auto"], manual: 0,
        governs: [
            "white_balance_temperature", "white_balance_red_component", "white_balance_blue_component",
            "red_balance", "blue_balance",
        ])
    public static let focus = Self(
        ["focus_automatic_continuous", "focus_auto"], manual: 0,
        governs: ["focus_absolute", "focus_relative"])
    public static let gain = Self(["gain_automatic", "autogain"], manual: 0, governs: ["gain"])
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

    /// Whether it leaves the others to a person at a value.
    public func isManual(at value: Int64) -> Bool { value == manual || alsoManual.contains(value) }

    /// What may govern a control.
    public static func of(_ name: String) -> Self? { all.first { $0.governed.contains(name) } }

    /// The governor that a control is.
    public static func named(_ name: String) -> Self? { all.first { $0.names.contains(name) } }

    /// Requests in an order in which they can be carried out, whatever the order they were given in: what is automatic first,
    /// else a focus is refused, or moved again, while the automatic focus is on.
    public static func ordered(_ requests: [ControlRequest]) -> [ControlRequest] {
        requests.filter { isAutomatic($0.name) } + requests.filter { !isAutomatic($0.name) }
    }

    /// Also of controls that are not in the table, by their words.
    private static func isAutomatic(_ name: String) -> Bool {
        named(name) != nil
            || name.split(separator: "_").contains { $0 == "auto" || $0 == "automatic" || $0 == "autogain" }
    }
}

extension [DeviceControl] {
    /// The control of a name.
    public func named(_ name: String) -> DeviceControl? { first { $0.name == name } }

    /// The first that there is of several names of one control.
    public func first(of names: [String]) -> DeviceControl? {
        names.lazy.compactMap { name in first { $0.name == name } }.first
    }

    /// What keeps a control from being set beside others, by what the controls have now.
    ///
    /// - Parameters:
    ///   - name: Of the control.
    ///   - requests: What is to be set with it.
    /// - Returns: `nil` where nothing does, as far as is known.
    public func governing(_ name: String, beside requests: [ControlRequest]) -> ControlFault? {
        guard let governor = ControlGovernor.of(name), let control = first(of: governor.names) else {
            return nil
        }
        let value = requests.last { $0.name == control.name }?.value ?? control.value
        return governor.isManual(at: value)
            ? nil : .governed(by: control.name, manual: control.nearest(to: governor.manual))
    }

    /// Requests that bring all controls to their defaults, in an order in which they are taken: what can be set now, then what
    /// is automatic, then what that sets free. What only the camera changes, or can only be read, is left alone.
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

    /// Requests that bring all controls back to what they are now, in an order in which they are taken. What is governed now is
    /// left to its governor.
    public var keepingRequests: [ControlRequest] {
        let kept = filter {
            !$0.isReadOnly && !$0.isVolatile && !$0.isInactive && governing($0.name, beside: []) == nil
        }
        return ControlGovernor.ordered(kept.map { ControlRequest(name: $0.name, value: $0.value) })
    }

    /// What is wrong with requests, by what the controls are: the first fault, with the request's name.
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
