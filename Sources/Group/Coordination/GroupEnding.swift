internal import MulticamMedia

/// Tracks the end of a group recording: which nodes have finished, and how long the coordinator waits for the
/// other nodes. A faulty or hostile node may keep reporting that it is recording, so the coordinator stops
/// waiting for it after the deadline. The decision logic doesn't access clocks or connections.
struct GroupEnding: Sendable {
    /// A node's last report about its recording.
    enum Report: Sendable, Equatable {
        /// The node hasn't responded.
        case silent
        /// The node is still recording or closing its files.
        case recording
        /// The node refused to report its recording. The associated sentence states the reason for the
        /// refusal.
        case refused(String)
        /// The node's recording has ended.
        case ended(NodeRecording)
    }

    /// Deadline for the coordinator's wait.
    let deadline: ClockTime
    private let nodes: [String]
    private var reports: [String: Report] = [:]

    /// Creates the state for waiting until all nodes have finished.
    ///
    /// - Parameters:
    ///   - nodes: The nodes that take part in the recording.
    ///   - end: End time of the recording.
    init(_ nodes: [String], endedAt end: ClockTime) {
        self.nodes = nodes
        deadline = end + GroupRecording.closingTime
    }

    /// The nodes that haven't reported the end of their recordings, in the order of the group recording's
    /// node list.
    var openNodes: [String] {
        nodes.filter { if case .ended = report(of: $0) { false } else { true } }
    }

    /// Whether the coordinator has stopped waiting.
    func isOver(at now: ClockTime) -> Bool { openNodes.isEmpty || now >= deadline }

    /// Returns a node's last report.
    func report(of node: String) -> Report { reports[node] ?? .silent }

    /// Processes a node's response, even after the deadline. A node's first report that its recording has
    /// ended is final: later reports don't change it.
    ///
    /// - Returns: The node's recording if this response is the first report of that recording's end;
    ///   otherwise `nil`.
    mutating func receive(_ answer: Result<GroupAnswer, GroupError>, from node: String) -> NodeRecording? {
        if case .ended = report(of: node) { return nil }
        guard nodes.contains(node), case .success(let answer) = answer else { return nil }
        guard let part = answer.recording, let outcome = part.outcome, outcome != "recording" else {
            // A node refuses a report request that arrives after its deadline. A refused request must be sent
            // again.
            reports[node] = answer.ok ? .recording : .refused(answer.text)
            return nil
        }
        reports[node] = .ended(part)
        return part
    }

    /// The exit status of the whole recording: the worst status of all nodes, and at least 1 if a node hasn't
    /// reported the end of its recording.
    var status: Int32 {
        nodes.map { node in
            if case .ended(let part) = report(of: node) { part.status } else { 1 }
        }.max() ?? 0
    }

    /// The outcome of each node, in machine-readable form: the outcome from its manifest, or `silent` or
    /// `overdue` if the node hasn't reported the end of its recording.
    var outcomes: [String: String] {
        Dictionary(
            nodes.map { node in
                switch report(of: node) {
                case .silent: (node, "silent")
                case .recording, .refused: (node, "overdue")
                case .ended(let part): (node, part.outcome?.printable(limit: 100) ?? "unfinished")
                }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns a sentence that explains why a node is considered unfinished; `nil` if the node has reported
    /// the end of its recording.
    func overdueMessage(for node: String) -> String? {
        switch report(of: node) {
        case .silent:
            "\(node): no response. The recording on this node continues until the node receives the stop command or the duration has elapsed."
        case .recording:
            "\(node): the end of the recording is overdue. This node still reports that it is recording, \(Int64(rounding: GroupRecording.closingTime.inSeconds)) s after the end of the recording. Check `multicam group status`, then run `multicam ctl stop` on the node."
        case .refused(let reason):
            "\(node): the end of the recording is overdue. This node rejected the request to report it: \(reason)"
        case .ended: nil
        }
    }

    /// The verdict on the group recording if some nodes haven't reported the end of their recordings; `nil`
    /// if all nodes have.
    var verdict: String? {
        guard !openNodes.isEmpty else { return nil }
        return
            "the group's recording was closed without reports from \(openNodes.joined(separator: ", ")): \(nodes.count - openNodes.count) of \(nodes.count) nodes have reported the end of their recording. `multicam collect` also accepts later reports."
    }
}
