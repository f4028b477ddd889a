/// A command to one node or to all nodes.
struct GroupOrder: Codable, Sendable, Equatable {
    /// The requested action.
    enum Action: String, Codable, Sendable {
        /// Put a recorder on standby with a profile, and report the plan, hardware cost, disk space, and
        /// clock offset.
        case prepare
        /// Start the recording at T0.
        case begin
        /// Stop the recording at a given time.
        case stop
        /// Execute a `multicam ctl` command.
        case ctl
        /// Report the session folder and the result of a recording.
        case report
    }

    /// Identifier of the command. A node executes a repeated command only once and returns the same response
    /// each time.
    var id: String
    /// Name of the sending coordinator, for messages.
    var coordinator: String
    /// Term number of the coordinator. During a recording, a node ignores commands with a lower term number
    /// than a command that it has already accepted.
    var term: Int64
    var action: Action
    /// Deadline in group time, in nanoseconds since 1970. After the deadline, nodes don't execute the
    /// command.
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

/// A node's response to a command.
struct GroupAnswer: Codable, Sendable, Equatable {
    /// Identifier of the command that this message responds to.
    var id: String
    /// Name of the responding node.
    var node: String
    /// Whether the node has executed the command or will execute it.
    var ok: Bool
    /// Result of the command, or the reason for a refusal, as a human-readable sentence.
    var text: String
    /// For refusals: the exit status that results for the coordinator's command.
    var exit: Int32?
    /// For `prepare`: the hardware cost of the plan.
    var cost: Double?
    /// For `prepare`: seconds until the disk is full.
    var disk_seconds: Double?
    /// Offset of the node's clock from the group's time; `nil` while the offset is unknown.
    var clock: GroupClockReading?
    /// For `prepare`: frame interval of the slowest track, in nanoseconds.
    var frame_ns: Int64?
    /// For `report`: the node's part in the recording.
    var recording: NodeRecording?

    /// The exit status of a refusal. The status is 1 if the node doesn't send a valid one, as nodes with
    /// other program versions might.
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
    /// Key of the current recording in the store, or of the last recording if none is running.
    var recordingKey: String { "\(group).recording" }

    func command(to node: String) -> String { prefix + "command." + node }
    func event(of node: String) -> String { prefix + "event." + node }
    func state(of node: String) -> String { prefix + "state." + node }
    /// Returns the subject for heartbeats from a coordinator on a member's computer.
    func coordinator(_ member: String) -> String { prefix + "coordinator." + member }
    /// Returns the common prefix of the subjects for responses to a member.
    func inbox(of member: String) -> String { "_INBOX_\(member)" }

    /// Whether a subject is valid for responses. Valid subjects are a member's inbox and the broker's
    /// internal reply mapping (`_R_`). Responses must never be published on other subjects, such as those of
    /// a stream.
    static func isInbox(_ subject: String) -> Bool {
        subject.hasPrefix("_INBOX_") || subject.hasPrefix("_R_.")
    }

    /// Prefix of a node's subjects for requests to the broker's store. Each node has a separate account,
    /// which can access only the subjects that it imports.
    static let nodeStore = "JS.GROUP.API"
}
