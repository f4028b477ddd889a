/// The subjects of a group's messages.
struct GroupSubjects: Sendable {
    let group: String

    /// The key-value store of all groups of a broker.
    static let bucket = "mc-sessions"

    /// What the subjects of the group begin with.
    var prefix: String { "mc.\(group)." }
    /// Commands to every node.
    var commandToAll: String { prefix + "command.all" }
    /// The stream with the events of all nodes.
    var stream: String { "mc-\(group)-events" }
    /// Key of the recording that runs, and of the last one that ran.
    var recordingKey: String { "\(group).recording" }

    func command(to node: String) -> String { prefix + "command." + node }
    func event(of node: String) -> String { prefix + "event." + node }
    func state(of node: String) -> String { prefix + "state." + node }
    /// The signs of life of a conductor that runs on a member's computer.
    func conductor(_ member: String) -> String { prefix + "conductor." + member }
    /// What the subjects of answers to a member begin with.
    func inbox(of member: String) -> String { "_INBOX_\(member)" }
}
