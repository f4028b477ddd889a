internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder

/// `multicam record --group`: records on all nodes as one session, or takes over a recording after its coordinator has
/// died.
struct Coordinator {
    let folder: GroupFolder
    /// The nodes and profiles listed in the coordinator's profile. If the list is empty, every connected node
    /// records with its default profile.
    let nodes: [(name: String, profile: String?)]
    let duration: Nanoseconds?
    let asJSON: Bool

    /// Minimum lead time: when T0 is chosen, it is at least this far in the future.
    private static let lead = Nanoseconds.seconds(2)
    /// Time without a heartbeat after which a coordinator is considered gone. Coordinators send one heartbeat per
    /// second.
    private static let heartbeatTimeout = Nanoseconds.milliseconds(2600)
    /// Maximum time for a node to end a recording that isn't the group's.
    private static let strayTime = Nanoseconds.seconds(10)

    /// Coordinates a recording. This method blocks until the recording has ended.
    ///
    /// - Returns: The worst exit status of all nodes.
    /// - Throws: `GroupError` if the recording can't be started or taken over.
    func run() throws(GroupError) -> Int32 {
        let desk = ConditionLock<CoordinationSession?>(nil)
        let stop = StopSignals { number in desk.withLock { $0 }?.handle(signal: number) }
        let identity = try folder.coordinatingIdentity()
        let connection = try BrokerConnection(folder, as: identity)
        let stream = try JetStream(of: connection, group: folder.group)
        let own = GroupClock.offset(in: folder)
        var board = RecordingStore(stream: stream, group: folder.group)
        var states = try GroupStatus.receiveStates(
            over: connection, group: folder.group, for: .milliseconds(2300), unless: stop)
        try Self.check(stop)
        // The recording in the store lists its participating nodes. Until the store has been read, all
        // connected nodes are considered.
        board.now = time(correctedBy: own ?? Self.median(states.values.map(\.ahead)))
        var stored = try board.stored()
        if case .implausible(let reason, _) = stored {
            ConsoleOutput.writeMessage(
                "the recording stored on the broker is invalid: \(reason). The new recording will replace it."
            )
        }
        var signs: [CoordinatorHeartbeat] = []
        if CoordinatorChoice.needsHeartbeats(stored: stored, nodes: recordings(in: states), at: board.now()) {
            (signs, states) = try receiveHeartbeats(over: connection, states, unless: stop)
            // If the store has lost a recording, the recording's coordinator stores it again within a second.
            stored = try board.stored()
        }
        let choice = CoordinatorChoice(
            stored: stored, heartbeats: signs, nodes: recordings(in: states), at: board.now())
        let recording: GroupRecording
        let caller: GroupCaller
        switch choice {
        case .refuse(let coordinator, let name):
            throw GroupError(
                "\(coordinator.printable(limit: 200)) is already coordinating the recording \(name). A group can make only one recording at a time. Stop the running recording first."
            )
        case .takeOver(let running):
            caller = try self.makeCaller(connection, identity.name, running.nodes, states, own)
            board.now = caller.now
            recording = try takeOver(running, stored.revision, caller, board)
        case .recover(let name, let nodes):
            caller = try self.makeCaller(connection, identity.name, nodes, states, own)
            board.now = caller.now
            let running = try requestRecording(from: nodes, named: name, caller)
            recording = try takeOver(running, stored.revision, caller, board)
        case .begin(let term, let strays):
            if let abandoned = stored.recording, abandoned.isRunning(at: board.now()) {
                ConsoleOutput.writeMessage(
                    "the recording \(abandoned.name) was never stopped, but its nodes are no longer recording. Starting a new recording."
                )
            }
            let candidates = try choose(states)
            caller = try self.makeCaller(connection, identity.name, candidates.map(\.name), states, own)
            board.now = caller.now
            let chosen = try stopStrays(strays, of: candidates, caller, unless: stop)
            recording = try begin(chosen, term, caller, board, replacing: stored.revision, unless: stop)
        }
        let coordinating = CoordinationSession(
            recording, caller, board, identity: identity.name, asJSON: asJSON)
        desk.withLock { $0 = coordinating }
        return try coordinating.run(until: stop)
    }

    /// Cancels the preparation if a stop signal has arrived.
    private static func check(_ stop: StopSignals) throws(GroupError) {
        if stop.isRequested {
            throw GroupError(
                "the recording was interrupted before T0. Nothing was recorded.",
                status: CoordinationSession.interrupted)
        }
    }

    private static func name(_ member: String) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        gethostname(&buffer, 255)
        let host = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(member) (\(host.printable(limit: 60)), process \(getpid()))"
    }

    /// Returns the recording that each node reports as running. If the coordinator's profile lists nodes,
    /// reports of other nodes are ignored, because they can't be trusted.
    private func recordings(
        in states: [String: (state: NodeState, ahead: Nanoseconds)]
    ) -> [String: String?] {
        let names = nodes.map(\.name)
        return states.filter { names.isEmpty || names.contains($0.key) }.mapValues(\.state.recording)
    }

    // MARK: Group time

    private static func median(_ values: [Nanoseconds]) -> Nanoseconds {
        values.isEmpty ? .zero : values.sorted()[values.count / 2]
    }

    /// Returns a function for the group's time. On the computer that serves the group, this is the system
    /// clock. On other computers, the group's time advances with CLOCK_MONOTONIC, so that changes to the
    /// system clock don't affect it.
    private func time(correctedBy correction: Nanoseconds) -> @Sendable () -> Int64 {
        if folder.has(GroupFolder.serving.certificate) { return { ClockPair.now().utc } }
        let begin = ClockPair.now()
        return { (Nanoseconds(begin.utc) + correction + (MonotonicClock().now - begin.monotonic)).count }
    }

    private func makeCaller(
        _ connection: BrokerConnection, _ member: String, _ nodes: [String],
        _ states: [String: (state: NodeState, ahead: Nanoseconds)], _ own: Nanoseconds?
    ) throws(GroupError) -> GroupCaller {
        let clocks = states.filter { nodes.contains($0.key) && $0.value.state.clock != nil }
        let estimate = try GroupTimeEstimate(of: clocks.mapValues(\.ahead), own: own)
        return GroupCaller(
            connection, group: folder.group, coordinator: Self.name(member),
            now: time(correctedBy: estimate.correction))
    }

    // MARK: New recordings

    func choose(
        _ states: [String: (state: NodeState, ahead: Nanoseconds)]
    ) throws(GroupError) -> [(name: String, profile: String?)] {
        let there = states.keys.sorted()
        guard !nodes.isEmpty else {
            guard !there.isEmpty else {
                throw GroupError(
                    "no node of the group \(folder.group) is online. Run `multicam node` on each computer."
                )
            }
            return there.map { ($0, nil) }
        }
        let missing = nodes.map(\.name).filter { states[$0] == nil }
        guard missing.isEmpty else {
            throw GroupError(
                "the recording was not started: \(missing.joined(separator: ", ")) \(missing.count == 1 ? "is" : "are") offline. Run `multicam node` on \(missing.count == 1 ? "this computer, or remove it" : "these computers, or remove them") from `nodes` in the profile. Online nodes: \(there.isEmpty ? "none" : there.joined(separator: ", "))."
            )
        }
        return nodes
    }

    /// Ends recordings that individual nodes report but that aren't the group's. A node that still reports
    /// such a recording after the deadline is excluded, so that a faulty or hostile node can't prevent the
    /// group from recording.
    ///
    /// - Returns: The participating nodes.
    /// - Throws: `GroupError` if no node remains, or the coordinator's profile requires an excluded node.
    private func stopStrays(
        _ strays: [String: String], of chosen: [(name: String, profile: String?)], _ caller: GroupCaller,
        unless stop: StopSignals
    ) throws(GroupError) -> [(name: String, profile: String?)] {
        var open = chosen.map(\.name).filter { strays[$0] != nil }
        guard !open.isEmpty else { return chosen }
        for node in open {
            ConsoleOutput.writeMessage(
                "\(node) is recording \((strays[node] ?? "").printable(limit: 100)), but this recording does not have a coordinator, and most nodes are not part of it. The recording will be stopped."
            )
        }
        let clock = MonotonicClock()
        let deadline = clock.now + Self.strayTime
        _ = caller.sendToAll(open, unless: stop) { node in
            caller.makeOrder(.stop, of: strays[node], term: GroupRecording.highestTerm, within: .seconds(5))
        }
        while !open.isEmpty {
            let answers = caller.sendToAll(open, unless: stop) { node in
                caller.makeOrder(
                    .report, of: strays[node], term: GroupRecording.highestTerm, within: .seconds(3))
            }
            open = answers.filter { _, answer in
                // If a node doesn't know the recording, it isn't making it.
                guard case .success(let answer) = answer else { return true }
                return answer.recording?.isRunning ?? false
            }.map(\.node)
            try Self.check(stop)
            guard clock.now < deadline else { break }
            if !open.isEmpty { stop.sleep(until: clock.now + .milliseconds(300)) }
        }
        guard !open.isEmpty else { return chosen }
        let rest = chosen.filter { !open.contains($0.name) }
        let list = open.joined(separator: ", ")
        guard nodes.isEmpty, !rest.isEmpty else {
            throw GroupError(
                "the recording was not started: \(list) still reports another recording or is not responding. Run `multicam ctl stop` on the node, or remove the node from `nodes` in the profile."
            )
        }
        ConsoleOutput.writeMessage(
            "\(list) is excluded from the recording: \(Int64(rounding: Self.strayTime.inSeconds)) s after the stop command, the node still reports another recording or is not responding. Run `multicam ctl stop` on the node."
        )
        return rest
    }

    private func begin(
        _ chosen: [(name: String, profile: String?)], _ term: Int64, _ caller: GroupCaller,
        _ board: RecordingStore, replacing revision: UInt64?, unless stop: StopSignals
    ) throws(GroupError) -> GroupRecording {
        let profiles = Dictionary(
            chosen.map { ($0.name, $0.profile) }, uniquingKeysWith: { first, _ in first })
        let names = chosen.map(\.name)
        let name = recordingName(at: caller.now())
        let answers = caller.sendToAll(names, unless: stop) { node in
            var order = caller.makeOrder(.prepare, of: name, term: term, within: .seconds(45))
            order.profile = profiles[node] ?? nil
            order.duration_ns = duration?.count
            return order
        }
        try Self.check(stop)
        try Self.reportAnswers(answers)
        let now = caller.now()
        // T0 is on a whole second, which coincides with the start of a timecode frame at every integer frame
        // rate.
        let second = (Nanoseconds(now) + Self.lead).count / 1_000_000_000 + 1
        let recording = GroupRecording(
            name: name, group: folder.group, coordinator: caller.coordinator, term: term,
            t0_utc_ns: Nanoseconds.seconds(second).count, duration_ns: duration?.count, nodes: names)
        guard try board.replace(recording, revision: revision) else {
            let other = try board.current()
            throw GroupError(
                "this coordinator did not start a recording: \(other?.coordinator ?? "another coordinator") has already started \(other?.name ?? "a recording")."
            )
        }
        try board.archive(recording)
        for (node, answer) in caller.sendToAll(
            names,
            { _ in
                var order = caller.makeOrder(.begin, of: name, term: term, within: .milliseconds(1500))
                order.t0_utc_ns = recording.t0_utc_ns
                order.duration_ns = duration?.count
                return order
            })
        {
            switch answer {
            case .success(let answer) where answer.ok: break
            case .success(let answer): ConsoleOutput.writeMessage("\(node) did not start: \(answer.text)")
            case .failure(let error):
                ConsoleOutput.writeMessage(
                    "\(node): \(error). The node will start recording when it receives the start command.")
            }
        }
        return recording
    }

    /// Reports each node's plan, or the reason why it can't record.
    static func reportAnswers(
        _ answers: [(node: String, answer: Result<GroupAnswer, GroupError>)]
    ) throws(GroupError) {
        var refusals: [(String, Int32)] = []
        var largest: (bound: Int64, frame: Int64) = (0, .max)
        for (node, answer) in answers {
            switch answer {
            case .success(let answer) where answer.ok:
                var parts = [answer.text.printable(limit: 400)]
                if let cost = answer.cost { parts.append("hardware cost \(GroupStatus.percent(cost))") }
                if let left = answer.disk_seconds {
                    parts.append("disk space for \(Int64(rounding: left / 60)) min")
                }
                parts.append(GroupStatus.clock(answer.clock))
                ConsoleOutput.writeMessage("\(node): \(parts.joined(separator: "; "))")
                if let clock = answer.clock { largest.bound = max(largest.bound, clock.bound_ns) }
                if let frame = answer.frame_ns, frame > 0 { largest.frame = min(largest.frame, frame) }
            case .success(let answer):
                refusals.append(
                    ("\(node) cannot record: \(answer.text.printable(limit: 1000))", answer.status))
            case .failure(let error): refusals.append(("\(node): \(error).", 1))
            }
        }
        if largest.bound > largest.frame / 2 {
            ConsoleOutput.writeMessage(
                "the clocks of the nodes may differ by more than half a frame: the maximum clock error is \(GroupStatus.microseconds(largest.bound)), and half a frame is \(GroupStatus.microseconds(largest.frame / 2))."
            )
        }
        guard let first = refusals.first else { return }
        for (sentence, _) in refusals.dropLast() { ConsoleOutput.writeMessage(sentence) }
        throw GroupError(
            "\(refusals.last?.0 ?? first.0) The recording was not started. To exclude a node, list only the other nodes under `nodes` in a profile.",
            status: refusals.map(\.1).max() ?? 1)
    }

    /// Returns a recording name that consists of the date, the time in this computer's time zone, and the
    /// group's name.
    private func recordingName(at utc: Int64) -> String {
        var (seconds, fields) = (time_t(utc / 1_000_000_000), tm())
        localtime_r(&seconds, &fields)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(fields.tm_year + 1900)-\(two(fields.tm_mon + 1))-\(two(fields.tm_mday))_"
            + "\(two(fields.tm_hour))\(two(fields.tm_min))\(two(fields.tm_sec))_\(folder.group)"
    }

    // MARK: Recordings in progress

    /// Listens for heartbeats from coordinators and for node states.
    private func receiveHeartbeats(
        over connection: BrokerConnection,
        _ before: [String: (state: NodeState, ahead: Nanoseconds)], unless stop: StopSignals
    ) throws(GroupError) -> ([CoordinatorHeartbeat], [String: (state: NodeState, ahead: Nanoseconds)]) {
        let subscription = try connection.subscribe(
            to: GroupSubjects(group: folder.group).prefix + "coordinator.*")
        let states = try GroupStatus.receiveStates(
            over: connection, group: folder.group, for: Self.heartbeatTimeout, unless: stop)
        try Self.check(stop)
        var signs: [CoordinatorHeartbeat] = []
        while let message = try subscription.next(timeout: 1) {
            if let sign = Self.heartbeat(message.bytes) { signs.append(sign) }
        }
        return (signs, before.merging(states) { $1 })
    }

    /// Requests the details of a recording from the nodes, because the store has lost them.
    ///
    /// - Throws: `GroupError` if no node reports a plausible recording.
    private func requestRecording(
        from nodes: [String], named name: String, _ caller: GroupCaller
    ) throws(GroupError) -> GroupRecording {
        let answers = caller.sendToAll(nodes) { _ in
            caller.makeOrder(.report, of: name, term: GroupRecording.highestTerm, within: .seconds(3))
        }
        for (_, answer) in answers {
            guard case .success(let answer) = answer, let part = answer.recording, part.recording == name
            else {
                continue
            }
            let recording = GroupRecording(
                name: name, group: folder.group, coordinator: caller.coordinator,
                term: GroupRecording.term(after: part.term), t0_utc_ns: part.t0_utc_ns,
                duration_ns: part.duration_ns, nodes: nodes)
            if recording.fault(in: folder.group, at: caller.now()) == nil { return recording }
        }
        throw GroupError(
            "\(nodes.joined(separator: ", ")) are recording \(name.printable(limit: 100)) without a coordinator, but did not provide valid details about the recording. Run `multicam ctl stop` on each of these nodes."
        )
    }

    private func takeOver(
        _ running: GroupRecording, _ revision: UInt64?, _ caller: GroupCaller, _ board: RecordingStore
    ) throws(GroupError) -> GroupRecording {
        let former = running.coordinator.printable(limit: 200)
        var recording = running
        recording.coordinator = caller.coordinator
        guard try board.replace(recording, revision: revision) else {
            throw GroupError(
                "another coordinator has just taken over the recording \(running.name).")
        }
        ConsoleOutput.writeMessage(
            "taking over the recording \(running.name), because its coordinator, \(former), is not responding. Press Ctrl-C to stop the recording."
        )
        return recording
    }

    /// Decodes a heartbeat; `nil` if the bytes aren't a heartbeat.
    static func heartbeat(_ bytes: [UInt8]) -> CoordinatorHeartbeat? {
        do {
            return try JSONText.decoder().decode(CoordinatorHeartbeat.self, from: Data(bytes))
        } catch {
            return nil
        }
    }
}

/// A new coordinator's decision about its first action. The decision logic doesn't access clocks or
/// connections.
enum CoordinatorChoice: Equatable {
    /// Start a recording with this term number, after ending the recordings that some nodes report. `ending`
    /// maps each of these nodes to the name of its recording.
    case begin(term: Int64, ending: [String: String] = [:])
    /// Take over the recording, because its coordinator no longer sends heartbeats.
    case takeOver(GroupRecording)
    /// Take over a recording that is running on nodes but missing from the store. The recording's details
    /// must be requested from one of these nodes.
    case recover(recording: String, nodes: [String])
    /// Refuse to start, because another coordinator is running.
    case refuse(coordinator: String, recording: String)

    /// Maximum time after T0 until all participating nodes have received the recording's details. Nodes read
    /// the store once per second.
    private static let settling = Nanoseconds.seconds(5)

    /// Decides on the first action of a new coordinator. Nodes report the recordings that they are making,
    /// but a report may be wrong or forged. If the store doesn't contain a recording, one is taken over only
    /// if most nodes report it.
    ///
    /// - Parameters:
    ///   - stored: The value in the broker's store.
    ///   - heartbeats: The heartbeats received from coordinators, oldest first.
    ///   - nodes: The nodes that have sent a state, each with the recording that it reports.
    ///   - now: The group's time in nanoseconds since 1970.
    init(stored: StoredRecording, heartbeats: [CoordinatorHeartbeat], nodes: [String: String?], at now: Int64)
    {
        let present = stored.recording
        if let present, present.isRunning(at: now) {
            if let sign = heartbeats.last(where: { $0.recording == present.name && $0.term >= present.term })
            {
                self = .refuse(coordinator: sign.coordinator, recording: present.name)
                return
            }
            guard Self.isAbandoned(present, nodes, at: now) else {
                var recording = present
                recording.term = GroupRecording.term(after: present.term)
                self = .takeOver(recording)
                return
            }
        }
        let reported = Self.reported(besides: present, nodes, at: now)
        if let sign = heartbeats.last(where: { sign in
            sign.recording != present?.name && reported.values.contains(sign.recording)
        }) {
            self = .refuse(coordinator: sign.coordinator, recording: sign.recording)
            return
        }
        for (name, group) in Dictionary(grouping: reported.keys, by: { reported[$0] ?? "" })
        where name != present?.name && group.count * 2 > nodes.count {
            self = .recover(recording: name, nodes: group.sorted())
            return
        }
        self = .begin(term: GroupRecording.term(after: present?.term ?? 0), ending: reported)
    }

    /// Whether the coordinator must listen for heartbeats before the decision, because the store or a node
    /// indicates that a recording is running.
    static func needsHeartbeats(stored: StoredRecording, nodes: [String: String?], at now: Int64) -> Bool {
        if let present = stored.recording, present.isRunning(at: now) { return true }
        return !reported(besides: stored.recording, nodes, at: now).isEmpty
    }

    /// Whether a recording has no end in the store but isn't running on any of its nodes. A recording can be
    /// in this state after the store was restored from a backup or the nodes lost power.
    private static func isAbandoned(_ present: GroupRecording, _ nodes: [String: String?], at now: Int64)
        -> Bool
    {
        Nanoseconds(now) - Nanoseconds(present.t0_utc_ns) > settling
            && present.nodes.allSatisfy { node in nodes[node].map { $0 != present.name } ?? false }
    }

    /// Returns the recordings that nodes report, without the recording in the store. Nodes start and stop the
    /// stored recording automatically, so it is included only for nodes that are overdue.
    private static func reported(
        besides present: GroupRecording?, _ nodes: [String: String?], at now: Int64
    ) -> [String: String] {
        nodes.compactMapValues { $0 }.filter { _, name in
            present.map { $0.name != name || $0.isOverdue(at: now) } ?? true
        }
    }
}

/// Heartbeat from a coordinator, sent once per second.
struct CoordinatorHeartbeat: Codable, Sendable {
    /// Name of the coordinated recording.
    var recording: String
    /// Term number of the coordinator.
    var term: Int64
    /// Name of the coordinator, for messages.
    var coordinator: String
}
