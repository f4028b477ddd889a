internal import FoundationEssentials
internal import MulticamMedia
internal import MulticamSessionFolder

/// `multicam group status`: lists the group's members and their states.
struct GroupStatus {
    let folder: GroupFolder
    let asJSON: Bool

    /// Listens for node states for 2.5 s, reads the latest recording from the store, and prints one line per
    /// node.
    ///
    /// - Returns: 0 if all members have sent a state, 1 if at least one hasn't.
    /// - Throws: `GroupError` if the broker can't be reached.
    func run() throws(GroupError) -> Int32 {
        let connection = try BrokerConnection(folder, as: try folder.identity())
        let states = try Self.receiveStates(over: connection, group: folder.group, for: .milliseconds(2500))
        let now = GroupClock.time(in: folder)()
        let latest = try latestRecording(over: connection, at: now)
        let silent = try folder.members().map(\.name).filter { states[$0] == nil }
        for (_, (heard, _)) in states.sorted(by: { $0.key < $1.key }) {
            var state = heard
            state.overdue = Self.isOverdue(state, latest, at: now) ? true : nil
            ConsoleOutput.writeData(asJSON ? JSONText.line(state) : Self.line(state))
        }
        for name in silent.sorted() {
            ConsoleOutput.writeData(
                asJSON
                    ? JSONText.line(["node": name, "state": "silent"])
                    : "\(name): no response. If a recording is running on this node, the recording continues."
            )
        }
        if states.isEmpty, silent.isEmpty {
            ConsoleOutput.writeMessage(
                "no nodes are online. Run `multicam node` on each computer that joined.")
        }
        return silent.isEmpty ? 0 : 1
    }

    /// Returns the group's latest recording; `nil` if the broker doesn't have a recording or currently can't
    /// read its store.
    private func latestRecording(over connection: BrokerConnection, at now: Int64) throws(GroupError)
        -> GroupRecording?
    {
        let board = RecordingStore(
            stream: try JetStream(of: connection, group: folder.group), group: folder.group, now: { now })
        do throws(GroupError) {
            return try board.current()
        } catch {
            ConsoleOutput.writeMessage("the group's current recording is unknown: \(error)")
            return nil
        }
    }

    /// Whether a node reports that it is making a recording that the group has ended, or that isn't the
    /// group's latest one.
    static func isOverdue(_ state: NodeState, _ latest: GroupRecording?, at now: Int64) -> Bool {
        guard let recording = state.recording, let latest else { return false }
        return recording != latest.name || latest.isOverdue(at: now)
    }

    /// Returns the last state received from each node, and the difference between the node's time and this
    /// computer's clock, measured using the message with the shortest transit time.
    static func receiveStates(
        over connection: BrokerConnection, group: String, for time: Nanoseconds,
        unless stop: StopSignals? = nil
    ) throws(GroupError) -> [String: (state: NodeState, ahead: Nanoseconds)] {
        let subjects = GroupSubjects(group: group)
        let subscription = try connection.subscribe(to: subjects.prefix + "state.*")
        let clock = MonotonicClock()
        let deadline = clock.now + time
        var states: [String: (state: NodeState, ahead: Nanoseconds)] = [:]
        while clock.now < deadline, !(stop?.isRequested ?? false) {
            guard let message = try subscription.next(timeout: 200) else { continue }
            if let state = Self.state(message.bytes), message.subject == subjects.state(of: state.node) {
                let ahead = Nanoseconds(state.at_utc_ns) - Nanoseconds(ClockPair.now().utc)
                states[state.node] = (state, max(ahead, states[state.node]?.ahead ?? ahead))
            }
        }
        return states
    }

    /// Maximum length of a decoded state in bytes. Nodes send less than 2,000 bytes.
    private static let longestState = 16 << 10

    /// Decodes a state; `nil` if the bytes aren't a valid state.
    static func state(_ bytes: [UInt8]) -> NodeState? {
        guard bytes.count <= longestState else { return nil }
        do {
            let state = try JSONText.decoder().decode(NodeState.self, from: Data(bytes))
            return GroupName.isValid(state.node) ? state : nil
        } catch {
            return nil
        }
    }

    static func line(_ state: NodeState) -> String {
        var parts = [state.recording.map { "\(state.state) \($0.printable(limit: 100))" } ?? state.state]
        if let profile = state.profile { parts.append("profile \(profile.printable(limit: 60))") }
        if let time = state.time_ns, state.recording != nil { parts.append("\(time / 1_000_000_000) s") }
        if let lost = state.lost_frames { parts.append("\(lost) frames lost") }
        if let cost = state.cost { parts.append("hardware cost \(percent(cost))") }
        if let left = state.disk_seconds, left.isFinite {
            parts.append("disk space for \(Int64(rounding: left / 60)) min")
        }
        parts.append(clock(state.clock))
        if state.overdue == true {
            parts.append(
                "overdue: the group has ended this recording (to stop it on this node, run `multicam ctl stop` there)"
            )
        }
        return "\(state.node): \(parts.joined(separator: ", "))".printable(limit: 1000)
    }

    /// Formats a fraction (0 to 1) as a percentage.
    static func percent(_ share: Double) -> String { "\(Int64(rounding: share * 100)) %" }

    /// Returns a clock offset as text for users.
    static func clock(_ reading: GroupClockReading?) -> String {
        guard let reading else { return "clock not measured" }
        return "clock error at most \(microseconds(reading.bound_ns))"
    }

    static func microseconds(_ nanoseconds: Int64) -> String {
        let count = Double(nanoseconds) / 1000
        return count < 10_000 ? "\((count * 10).rounded() / 10) µs" : "\((count / 100).rounded() / 10) ms"
    }
}

/// `multicam ctl --group`: sends a command to the nodes of the current recording.
struct GroupControlCommand {
    let folder: GroupFolder
    /// The target nodes; empty for all nodes.
    let nodes: [String]
    let words: [String]

    /// Sends the command and prints each node's response.
    ///
    /// - Returns: The worst exit status of all nodes.
    /// - Throws: `GroupError` if no recording is running.
    func run() throws(GroupError) -> Int32 {
        let identity = try folder.coordinatingIdentity()
        let connection = try BrokerConnection(folder, as: identity)
        let now = GroupClock.time(in: folder)
        let instant = now()
        let board = RecordingStore(
            stream: try JetStream(of: connection, group: folder.group), group: folder.group,
            now: now)
        let caller = GroupCaller(connection, group: folder.group, coordinator: identity.name, now: now)
        guard let recording = try board.current(), recording.isRunning(at: instant) else {
            throw GroupError("the group \(folder.group) is not recording.")
        }
        if let other = nodes.first(where: { !recording.nodes.contains($0) }) {
            throw GroupError(
                "\(other.printable(limit: 60)) is not part of the recording. Nodes in the recording: \(recording.nodes.joined(separator: ", ")).",
                status: 2)
        }
        let (sentences, status) = CoordinationSession.sendCommand(
            words, at: instant, to: nodes.isEmpty ? recording.nodes : nodes, of: recording, caller)
        for sentence in sentences { ConsoleOutput.writeMessage(sentence) }
        return status
    }
}
