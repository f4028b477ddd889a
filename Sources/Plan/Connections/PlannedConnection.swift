public import Media

/// An edge of the plan between an input and an output, and what it carries.
///
/// A plan's connections follow from its parts and cannot disagree with them: `SessionPlan.connections` reads them,
/// `connect`, `change` and `disconnect` write them.
public struct PlannedConnection: Sendable, Equatable, Codable {
    /// The role of the camera or microphone.
    public var input: String
    /// The output's name: `program`, `cameras/desk`, `audio/host`, `metadata/desk`.
    public var output: String
    /// Whether the output gets anything: a camera that the program hides keeps its connection, in a running session also a
    /// microphone that is muted and a device that is switched off. A plan's microphone that the program does not hear has none.
    public var isEnabled: Bool
    /// The clockwise rotation that makes the camera's frames upright: by the file's matrix in a track, by pixels in the program.
    public var rotation: Rotation
    /// Whether the frames are mirrored left to right; only the program does that.
    public var isMirrored: Bool
    /// The part of the camera's stored frames that is used, in pixels; `nil` for the whole frame.
    public var crop: PixelRectangle?
    /// The microphone's channels that are used, counted from 0; empty for all of them. All connections of a microphone have the
    /// same.
    public var channels: [Int]

    /// Creates a connection from a role to an output.
    public init(
        input: String, output: String, isEnabled: Bool = true, rotation: Rotation = .none,
        isMirrored: Bool = false, crop: PixelRectangle? = nil, channels: [Int] = []
    ) {
        self.input = input
        self.output = output
        self.isEnabled = isEnabled
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.crop = crop
        self.channels = channels
    }

    /// Creates a connection from one port of a role's device to an output, with the channels of that port.
    public init(input: String, port: InputPort, output: String) {
        self.init(input: input, output: output, channels: port.channels)
    }

    /// Whether both connect the same input to the same output, whatever they carry.
    public func isSameEdge(as other: Self) -> Bool { input == other.input && output == other.output }
}
