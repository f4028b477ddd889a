/// What a running session answers: a line of JSON.
public struct ControlReply: Sendable, Equatable, Codable {
    /// Whether it was done.
    public var ok: Bool
    /// A sentence for people: what was done, or why not.
    public var text: String
    /// Whether it was not done because it makes no sense in this session: a role that it does not have, a value out of range.
    public var usage: Bool
    /// Of `status`.
    public var status: ControlStatus?

    public init(ok: Bool, text: String, usage: Bool = false, status: ControlStatus? = nil) {
        self.ok = ok
        self.usage = usage
        self.text = text
        self.status = status
    }
}
