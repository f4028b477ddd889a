/// The explicit edge between an input and an output: roles and output names (`program`, `cameras/desk`, `audio/host`,
/// `metadata/desk`).
public struct PlannedConnection: Sendable, Equatable, Codable {
    public var input: String
    public var output: String

    public init(input: String, output: String) {
        self.input = input
        self.output = output
    }
}
