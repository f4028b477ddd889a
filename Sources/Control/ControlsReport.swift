public import Media

/// The controls of a camera as JSON: what `multicam controls --json` prints, and `multicam ctl controls` answers.
///
/// Texts of devices have no control characters here.
public struct ControlsReport: Sendable, Equatable, Codable {
    /// The camera that was asked.
    public struct Camera: Sendable, Equatable, Codable {
        /// The camera's name.
        public var name: String
        /// A selector that names this camera.
        public var selector: String
        /// The device node.
        public var node: String
        /// The identity, in words.
        public var identity: String
    }

    /// One control.
    public struct Control: Sendable, Equatable, Codable {
        /// The V4L2 name in snake case.
        public var name: String
        /// `integer`, `boolean`, `menu`, `bitmask` or `integer-menu`.
        public var kind: String
        /// The present value, in the control's own units.
        public var value: Int64
        /// The lowest value.
        public var minimum: Int64
        /// The highest value; of a bitmask, all of its bits.
        public var maximum: Int64
        /// The distance between two possible values, counted from `minimum`.
        public var step: Int64
        /// The value that the driver calls the default.
        public var `default`: Int64
        /// Whether the control can only be read.
        public var read_only: Bool
        /// Whether it has no effect now, because another control governs it.
        public var inactive: Bool
        /// Whether the camera itself changes the value.
        public var volatile: Bool
        /// The items of a menu by their values; empty for other kinds.
        public var menu: [String: String]

        /// Describes a control as the camera tells it.
        public init(_ control: DeviceControl) {
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

    /// What became of one value that was set.
    public struct Setting: Sendable, Equatable, Codable {
        /// The control's name.
        public var name: String
        /// The value that was asked for.
        public var asked: Int64
        /// The value that the camera has afterwards; `nil`, and `null` in JSON, where it could not be read.
        public var value: Int64?
        /// Why the camera did not take the value; `nil`, and `null` in JSON, where it did.
        public var refused: String?

        /// Describes the outcome of a request.
        public init(_ outcome: ControlOutcome) {
            name = outcome.request.name.printable()
            asked = outcome.request.value
            value = outcome.value
            refused = outcome.fault.map { $0.description.printable(limit: 1000) }
        }

        /// Encodes all fields, also those that are `nil`.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(asked, forKey: .asked)
            try container.encode(value, forKey: .value)
            try container.encode(refused, forKey: .refused)
        }
    }

    /// The camera that was asked.
    public var camera: Camera
    /// All controls with their present values, in the driver's order.
    public var controls: [Control]
    /// What was set, in the order in which it was.
    public var set: [Setting]
    /// The names of the camera's presets.
    public var presets: [String]

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - device: The camera.
    ///   - controls: All of its controls, as they are now.
    ///   - outcomes: What became of the values that were set.
    ///   - presets: The names of its presets.
    public init(
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
