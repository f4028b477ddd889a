internal import FoundationEssentials
internal import Media
internal import SessionFolder

/// `multicam group status`: who is there, and how each is.
struct GroupStatus {
    let folder: GroupFolder
    let asJSON: Bool

    /// Listens for somewhat more than a second, and prints a line for each node.
    ///
    /// - Returns: 0 when all members are there, 1 when one is silent.
    /// - Throws: `GroupError` when the broker cannot be reached.
    func run() throws(GroupError) -> Int32 {
        let connection = try BrokerConnection(folder, as: try folder.identity())
        let states = try Self.listen(over: connection, group: folder.group, for: .milliseconds(2500))
        let silent = try folder.members().map(\.name).filter { states[$0] == nil }
        for (_, (state, _)) in states.sorted(by: { $0.key < $1.key }) {
            Talk.data(asJSON ? JSONText.line(state) : Self.line(state))
        }
        for name in silent.sorted() {
            Talk.data(
                asJSON
                    ? JSONText.line(["node": name, "state": "silent"])
                    : "\(name): silent. What it records goes on.")
        }
        if states.isEmpty, silent.isEmpty {
            Talk.say("no node is there: `multicam node` offers a computer that has joined.")
        }
        return silent.isEmpty ? 0 : 1
    }

    /// The last state of each node that tells one, and how far its time was ahead of this computer's clock when it came.
    static func listen(
        over connection: BrokerConnection, group: String, for time: Nanoseconds
    ) throws(GroupError) -> [String: (state: NodeState, ahead: Nanoseconds)] {
        let subjects = GroupSubjects(group: group)
        let subscription = try connection.subscribe(to: subjects.prefix + "state.*")
        let clock = MonotonicClock()
        let deadline = clock.now + time
        var states: [String: (state: NodeState, ahead: Nanoseconds)] = [:]
        while clock.now < deadline {
            guard let message = try subscription.next(patience: 200) else { continue }
            if let state = Self.state(message.bytes), message.subject == subjects.state(of: state.node) {
                states[state.node] = (state, Nanoseconds(state.at_utc_ns) - Nanoseconds(ClockPair.now().utc))
            }
        }
        return states
    }

    /// Reads a state; `nil` for anything else.
    static func state(_ bytes: [UInt8]) -> NodeState? {
        do {
            return try JSONText.decoder().decode(NodeState.self, from: Data(bytes))
        } catch {
            return nil
        }
    }

    static func line(_ state: NodeState) -> String {
        var parts = [state.recording.map { "\(state.state) \($0.printable(limit: 100))" } ?? state.state]
        if let profile = state.profile { parts.append("profile \(profile.printable(limit: 60))") }
        if let time = state.time_ns, state.recording != nil { parts.append("\(time / 1_000_000_000) s") }
        if let lost = state.lost_frames { parts.append("\(lost) frames lost") }
        if let cost = state.cost { parts.append("cost \(percent(cost))") }
        if let left = state.disk_seconds, left.isFinite {
            parts.append("disk for \(Int64(rounding: left / 60)) min")
        }
        parts.append(clock(state.clock))
        return "\(state.node.printable(limit: 40)): \(parts.joined(separator: ", "))"
    }

    /// A share of one as a percentage.
    static func percent(_ share: Double) -> String { "\(Int64(rounding: share * 100)) %" }

    /// How far a clock is, in words.
    static func clock(_ reading: ClockReading?) -> String {
        guard let reading else { return "clock not measured" }
        return "the group's time known to \(microseconds(reading.bound_ns))"
    }

    static func microseconds(_ nanoseconds: Int64) -> String {
        let count = Double(nanoseconds) / 1000
        return count < 10_000 ? "\((count * 10).rounded() / 10) µs" : "\((count / 100).rounded() / 10) ms"
    }
}
