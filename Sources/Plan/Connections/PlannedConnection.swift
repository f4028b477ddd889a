/// An edge of the plan between an input and an output.
public struct PlannedConnection: Sendable, Equatable, Codable {
    /// The role of the camera or microphone.
    public var input: String
    /// The output's name: `program`, `cameras/desk`, `audio/host`, `metadata/desk`.
    public var output: String

    /// Creates a connection from a role to an output.
    public init(input: String, output: String) {
        self.input = input
        self.output = output
    }
}
