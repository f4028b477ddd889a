/// An event of a node as it travels: a line of its `events.ndjson` with its place there.
struct EventLine: Codable, Sendable {
    /// The node's name.
    var node: String
    /// The name of the group's recording.
    var recording: String
    /// The number of the line, from 1.
    var number: Int64
    /// The line itself.
    var event: String
}
