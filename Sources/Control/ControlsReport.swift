package import MulticamMedia

/// The controls of a camera as JSON. This report is the output of `multicam controls --json` and the reply to
/// `multicam ctl controls`.
///
/// Control characters are removed from strings that devices report.
package struct ControlsReport: Sendable, Equatable, Codable {
    /// The queried camera.
    package struct Camera: Sendable, Equatable, Codable {
        /// The camera's name.
        package var name: String
        /// A selector that matches this camera.
        package var selector: String
        /// Path of the device node.
        package var node: String
        /// Identity of the camera, as text for users.
        package var identity: String
    }

    /// One control of a camera.
    package struct Control: Sendable, Equatable, Codable {
        /// V4L2 name of the control, in snake case.
        package var name: String
        /// Kind of control: `integer`, `boolean`, `menu`, `bitmask`, or `integer-menu`.
        package var kind: String
        /// Current value in the control's own units.
        package var value: Int64
        /// Minimum value of the control.
        package var minimum: Int64
        /// Maximum value of the control. For a bitmask, this value contains all valid bits.
        package var maximum: Int64
        /// Step between valid values, counted from `minimum`.
        package var step: Int64
        /// Default value according to the driver.
        package var `default`: Int64
        /// Whether the control is read-only.
        package var read_only: Bool
        /// Whether the control currently has no effect because of another control's value, such as exposure
        /// time during automatic exposure.
        package var inactive: Bool
        /// Whether the camera itself changes the value.
        package var volatile: Bool
        /// Menu items by value. For controls of other kinds, the dictionary is empty.
        package var menu: [String: String]

        /// Creates a description of a control from the values reported by the camera.
        package init(_ control: DeviceControl) {
            name = control.name.printable()
            kind = control.kind.rawValue
            value = control.value
            minimum = control.minimum
            maximum = control.maximum
            step = control.step
            `default` = control.defaultValue
            read_only = control.isReadOnly
            inactive = control.isInactive
            volatile = control.isVolatile
            menu = Dictionary(
                uniqueKeysWithValues: control.menu.map { ("\($0.key)", $0.value.printable()) })
        }
    }

    /// The outcome of setting one control to a value.
    package struct Setting: Sendable, Equatable, Codable {
        /// The control's name.
        package var name: String
        /// The requested value.
        package var asked: Int64
        /// The control's value after the change; `nil` (`null` in JSON) if the value couldn't be read.
        package var value: Int64?
        /// The reason why the camera rejected the value; `nil` (`null` in JSON) if the value was accepted.
        package var refused: String?

        /// Creates a description of the outcome of setting a control.
        package init(_ outcome: ControlOutcome) {
            name = outcome.request.name.printable()
            asked = outcome.request.value
            value = outcome.value
            refused = outcome.fault.map { $0.description.printable(limit: 1000) }
        }

        /// Encodes all fields, including those that are `nil`.
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(asked, forKey: .asked)
            try container.encode(value, forKey: .value)
            try container.encode(refused, forKey: .refused)
        }
    }

    /// The queried camera.
    package var camera: Camera
    /// All controls with their current values, in the driver's order.
    package var controls: [Control]
    /// The controls that were set, in order, with the outcome of each.
    package var set: [Setting]
    /// Names of the presets saved for the camera.
    package var presets: [String]

    /// Creates a report of a camera's controls.
    ///
    /// - Parameters:
    ///   - device: The queried camera.
    ///   - controls: All controls of the camera in their current state.
    ///   - outcomes: The outcomes of the controls that were set.
    ///   - presets: The names of the camera's presets.
    package init(
        _ device: CaptureDevice, _ controls: [DeviceControl], _ outcomes: [ControlOutcome],
        presets: [String]
    ) {
        camera = Camera(
            name: device.name.printable(), selector: device.selector.printable(),
            node: device.node.printable(), identity: device.identity.description.printable())
        self.controls = controls.map(Control.init)
        set = outcomes.map(Setting.init)
        self.presets = presets.map { $0.printable() }
    }
}
