internal import Media

/// The end of a group recording: which nodes have finished, and how long the coordinator waits for the other nodes. A
/// faulty or hostile node may keep reporting that it is recording, so the coordinator continues without it after the
/// deadline. The decision uses no clocks or connections.
struct GroupEnding: Sendable {
    /// A node's last report about its recording.
    enum Report: Sendable, Equatable {
        /// No answer has arrived.
        case silent
        /// The node is recording or closing its files.
        case recording
        /// The node refused to report, for the reason in this sentence.
        case refused(String)
        /// The node's recording has ended.
        case ended(NodeRecording)
    }

    /// Time at which the coordinator stops waiting.
    let deadline: ClockTime
    private let nodes: [String]
    private var reports: [String: Report] = [:]

    /// Starts waiting for the nodes.
    ///
    /// - Parameters:
    ///   - nodes: The nodes of the recording.
    ///   - end: Time at which the recording ended.
    init(_ nodes: [String], endedAt end: ClockTime) {
        self.nodes = nodes
        deadline = end + GroupRecording.closingTime
    }

    /// The nodes that haven't reported that they ended, in the recording's order.
    var open: [String] {
        nodes.filter { if case .ended = report(of: $0) { false } else { true } }
    }

    /// Whether the coordinator has stopped waiting.
    func isOver(at now: ClockTime) -> Bool { open.isEmpty || now >= deadline }

    /// Returns a node's last report.
    func report(of node: String) -> Report { reports[node] ?? .silent }

    /// Processes an answer, even after the deadline. A node's first report that its recording has ended is
    /// final and can't be retracted.
    ///
    /// - Returns: The node's recording if this answer is the first report of its end; otherwise `nil`.
    mutating func receive(_ answer: Result<GroupAnswer, GroupError>, from node: String) -> NodeRecording? {
        if case .ended = report(of: node) { return nil }
        guard nodes.contains(node), case .success(let answer) = answer else { return nil }
        guard let part = answer.recording, let outcome = part.outcome, outcome != "recording" else {
            // A request that arrives too late is refused and must be sent again.
            reports[node] = answer.ok ? .recording : .refused(answer.text)
            return nil
        }
        reports[node] = .ended(part)
        return part
    }

    /// The exit status of the whole recording: the worst status of all nodes, and at least 1 if a node hasn't reported
    /// its end.
    var status: Int32 {
        nodes.map { node in
            if case .ended(let part) = report(of: node) { part.status } else { 1 }
        }.max() ?? 0
    }

    /// The outcome of each node, for programs: the outcome in its manifest, or `silent` or `overdue` if it hasn't
    /// reported its end.
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

    /// Returns a sentence that explains why a node is considered unfinished; `nil` if it has reported its
    /// end.
    func complaint(about node: String) -> String? {
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

    /// The verdict on the group's recording if nodes haven't reported their end; `nil` if all nodes have reported it.
    var verdict: String? {
        guard !open.isEmpty else { return nil }
        return
            "the group's recording was closed without reports from \(open.joined(separator: ", ")): \(nodes.count - open.count) of \(nodes.count) nodes have reported the end of their recording. `multicam collect` also accepts later reports."
    }
}
