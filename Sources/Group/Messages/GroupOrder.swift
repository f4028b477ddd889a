/// A command to one node or to all nodes.
struct GroupOrder: Codable, Sendable, Equatable {
    /// The requested action.
    enum Action: String, Codable, Sendable {
        /// Put a recorder on standby with a profile, and report its plan, hardware cost, disk space, and clock.
        case prepare
        /// Start a recording at T0.
        case begin
        /// Stop the recording at a given time.
        case stop
        /// Execute a `multicam ctl` command.
        case ctl
        /// Report the folder and the result of a recording.
        case report
    }

    /// Identifier of the command. A node executes a repeated command only once and returns the same answer again.
    var id: String
    /// Name of the sending coordinator, for messages.
    var coordinator: String
    /// Term number of the coordinator. Within a recording, a node ignores commands with a lower term than one that it
    /// has already accepted.
    var term: Int64
    var action: Action
    /// Deadline in group time, in nanoseconds since 1970. After this time, the command isn't executed.
    var deadline_utc_ns: Int64
    /// Name of the group's recording; `nil` if the command doesn't concern a recording.
    var recording: String?
    /// For `prepare`: the name of a profile on the node; `nil` for the node's default profile.
    var profile: String?
    /// For `prepare` and `begin`: T0 in nanoseconds since 1970.
    var t0_utc_ns: Int64?
    /// For `prepare` and `begin`: the recording duration; `nil` to record until a stop command.
    var duration_ns: Int64?
    /// For `stop` and `ctl`: the effective time of the command, in nanoseconds since 1970.
    var at_utc_ns: Int64?
    /// For `ctl`: the command and its arguments.
    var words: [String]?
}

/// A node's answer to a command.
struct GroupAnswer: Codable, Sendable, Equatable {
    /// Identifier of the command.
    var id: String
    /// Name of the answering node.
    var node: String
    /// Whether the node has executed the command or will execute it.
    var ok: Bool
    /// Description of the result or of the reason for the refusal, as a human-readable sentence.
    var text: String
    /// For refusals: the resulting exit status.
    var exit: Int32?
    /// For `prepare`: the hardware cost of the plan.
    var cost: Double?
    /// For `prepare`: seconds until the disk is full.
    var disk_seconds: Double?
    /// Offset of the node's clock from the group's time; `nil` while unknown.
    var clock: ClockReading?
    /// For `prepare`: frame interval of the slowest track, in nanoseconds.
    var frame_ns: Int64?
    /// For `report`: the recording.
    var recording: NodeRecording?

    /// The exit status of a refusal. 1 if the node, which may run any version, sends no status or an invalid
    /// one.
    var status: Int32 { exit.flatMap { (1...255).contains($0) ? $0 : nil } ?? 1 }
}

/// The NATS subjects of a group's messages.
struct GroupSubjects: Sendable {
    let group: String

    /// The key-value store shared by all groups of a broker.
    static let bucket = "mc-sessions"

    /// Common prefix of the group's subjects.
    var prefix: String { "mc.\(group)." }
    /// The stream that contains the events of all nodes.
    var stream: String { "mc-\(group)-events" }
    /// Key of the current recording, or of the last one if none is running.
    var recordingKey: String { "\(group).recording" }

    func command(to node: String) -> String { prefix + "command." + node }
    func event(of node: String) -> String { prefix + "event." + node }
    func state(of node: String) -> String { prefix + "state." + node }
    /// Returns the subject for heartbeats from a coordinator on a member's computer.
    func coordinator(_ member: String) -> String { prefix + "coordinator." + member }
    /// Returns the common prefix of the subjects for answers to a member.
    func inbox(of member: String) -> String { "_INBOX_\(member)" }

    /// Whether a subject is valid for answers: a member's inbox, or the broker's internal reply mapping (`_R_`).
    /// Answers must never reach a stream or another member's other subjects.
    static func isInbox(_ subject: String) -> Bool {
        subject.hasPrefix("_INBOX_") || subject.hasPrefix("_R_.")
    }

    /// Prefix of a node's request subjects for the broker's store. Each node has a separate account, which
    /// can access only the subjects that are imported into it.
    static let nodeStore = "JS.GROUP.API"
}
