internal import FoundationEssentials
internal import Glibc
internal import Media
internal import SessionFolder

/// `multicam record --group`: has all nodes record as one, or takes over a recording whose conductor has died.
struct Conductor {
    let folder: GroupFolder
    /// The profile of each node that the conductor's profile names; empty has every node that is there record with its own.
    let nodes: [(name: String, profile: String?)]
    let duration: Nanoseconds?
    let asJSON: Bool

    /// T0 is at least so far ahead.
    private static let lead = Nanoseconds.seconds(2)
    /// Conductors say so often that they are there, and are silent when nothing is heard for so long.
    private static let silence = Nanoseconds.milliseconds(2600)

    /// Conducts. Blocks until the recording is over.
    ///
    /// - Returns: The exit status: the worst of all nodes'.
    /// - Throws: `GroupError` when nothing is recorded.
    func run() throws(GroupError) -> Int32 {
        let desk = ConditionLock<Conducting?>(nil)
        let stop = StopSignals { number in desk.withLock { $0 }?.signal(number) }
        let identity = try folder.identity()
        let connection = try BrokerConnection(folder, as: identity)
        let board = RecordingBoard(
            stream: try JetStream(of: connection, group: folder.group), group: folder.group)
        let states = try GroupStatus.listen(over: connection, group: folder.group, for: .milliseconds(2300))
        let correction = Self.correction(states)
        let caller = GroupCaller(connection, group: folder.group, conductor: Self.name(identity.name)) {
            (Nanoseconds(ClockPair.now().utc) + correction).count
        }
        let present = try board.present()
        let recording: GroupRecording
        if let (running, revision) = present, running.isRunning(at: caller.now()) {
            recording = try takeOver(running, revision, caller, board)
        } else {
            let chosen = try choose(states)
            recording = try begin(chosen, caller, board, after: present)
        }
        let conducting = Conducting(recording, caller, board, identity: identity.name, asJSON: asJSON)
        desk.withLock { $0 = conducting }
        return try conducting.run(until: stop)
    }

    private static func name(_ member: String) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        gethostname(&buffer, 255)
        let host = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(member) (\(host.printable(limit: 60)), process \(getpid()))"
    }

    /// How far this computer's clock is from the nodes': they know the group's time, and a message comes late and never early.
    private static func correction(_ states: [String: (state: NodeState, ahead: Nanoseconds)]) -> Nanoseconds
    {
        states.values.filter { $0.state.clock != nil }.map(\.ahead).max() ?? .zero
    }

    // MARK: A new recording

    private func choose(
        _ states: [String: (state: NodeState, ahead: Nanoseconds)]
    ) throws(GroupError) -> [(name: String, profile: String?)] {
        let there = states.keys.sorted()
        guard !nodes.isEmpty else {
            guard !there.isEmpty else {
                throw GroupError(
                    "no node of the group \(folder.group) is there: `multicam node` on each computer offers it."
                )
            }
            return there.map { ($0, nil) }
        }
        let missing = nodes.map(\.name).filter { states[$0] == nil }
        guard missing.isEmpty else {
            throw GroupError(
                "nothing is recorded: \(missing.joined(separator: ", ")) \(missing.count == 1 ? "is" : "are") not there. Run `multicam node` there, or leave \(missing.count == 1 ? "it" : "them") out of the profile's `nodes`. There \(there.count == 1 ? "is" : "are") \(there.isEmpty ? "none" : there.joined(separator: ", "))."
            )
        }
        return nodes
    }

    private func begin(
        _ chosen: [(name: String, profile: String?)], _ caller: GroupCaller, _ board: RecordingBoard,
        after present: (recording: GroupRecording, revision: UInt64)?
    ) throws(GroupError) -> GroupRecording {
        let profiles = Dictionary(
            chosen.map { ($0.name, $0.profile) }, uniquingKeysWith: { first, _ in first })
        let names = chosen.map(\.name)
        let name = recordingName(at: caller.now())
        let term = (present?.recording.term ?? 0) + 1
        let answers = caller.askAll(names) { node in
            var order = caller.order(.prepare, of: name, term: term, within: .seconds(45))
            order.profile = profiles[node] ?? nil
            order.duration_ns = duration?.count
            return order
        }
        try tell(answers)
        let now = caller.now()
        // A whole second: at every rate that is a whole number a label of the time code.
        let second = (Nanoseconds(now) + Self.lead).count / 1_000_000_000 + 1
        let recording = GroupRecording(
            name: name, group: folder.group, conductor: caller.conductor, term: term,
            t0_utc_ns: Nanoseconds.seconds(second).count, duration_ns: duration?.count, nodes: names)
        guard try board.note(recording, revision: present?.revision) else {
            let other = try board.present()?.recording
            throw GroupError(
                "nothing is recorded by this one: \(other?.conductor ?? "another conductor") was first, with \(other?.name ?? "a recording")."
            )
        }
        try board.keep(recording)
        for (node, answer) in caller.askAll(
            names,
            { _ in
                var order = caller.order(.begin, of: name, term: term, within: .milliseconds(1500))
                order.t0_utc_ns = recording.t0_utc_ns
                order.duration_ns = duration?.count
                return order
            })
        {
            switch answer {
            case .success(let answer) where answer.ok: break
            case .success(let answer): Talk.say("\(node) does not begin: \(answer.text)")
            case .failure(let error):
                Talk.say("\(node) has not answered: \(error). It begins when it hears of the recording.")
            }
        }
        return recording
    }

    /// Tells what each node would do, or why not.
    private func tell(
        _ answers: [(node: String, answer: Result<GroupAnswer, GroupError>)]
    ) throws(GroupError) {
        var refusals: [(String, Int32)] = []
        var largest: (bound: Int64, frame: Int64) = (0, .max)
        for (node, answer) in answers {
            switch answer {
            case .success(let answer) where answer.ok:
                var parts = [answer.text.printable(limit: 400)]
                if let cost = answer.cost { parts.append("cost \(GroupStatus.percent(cost))") }
                if let left = answer.disk_seconds {
                    parts.append("disk for \(Int64(rounding: left / 60)) min")
                }
                parts.append(GroupStatus.clock(answer.clock))
                Talk.say("\(node): \(parts.joined(separator: "; "))")
                if let clock = answer.clock { largest.bound = max(largest.bound, clock.bound_ns) }
                if let frame = answer.frame_ns { largest.frame = min(largest.frame, frame) }
            case .success(let answer):
                refusals.append(("\(node) refuses: \(answer.text.printable(limit: 1000))", answer.status))
            case .failure(let error): refusals.append(("\(node): \(error)", 1))
            }
        }
        if largest.bound > largest.frame / 2 {
            Talk.say(
                "the nodes' clocks may be apart by more than half a frame: a bound is \(GroupStatus.microseconds(largest.bound)), half a frame \(GroupStatus.microseconds(largest.frame / 2))."
            )
        }
        guard let first = refusals.first else { return }
        for (sentence, _) in refusals.dropLast() { Talk.say(sentence) }
        throw GroupError(
            "\(refusals.last?.0 ?? first.0) Nothing is recorded.", status: refusals.map(\.1).max() ?? 1)
    }

    /// Date, time and group, by this computer's time zone.
    private func recordingName(at utc: Int64) -> String {
        var (seconds, fields) = (time_t(utc / 1_000_000_000), tm())
        localtime_r(&seconds, &fields)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(fields.tm_year + 1900)-\(two(fields.tm_mon + 1))-\(two(fields.tm_mday))_"
            + "\(two(fields.tm_hour))\(two(fields.tm_min))\(two(fields.tm_sec))_\(folder.group)"
    }

    // MARK: A recording that runs

    private func takeOver(
        _ running: GroupRecording, _ revision: UInt64, _ caller: GroupCaller, _ board: RecordingBoard
    ) throws(GroupError) -> GroupRecording {
        let subscription = try caller.connection.subscribe(
            to: GroupSubjects(group: folder.group).prefix + "conductor.*")
        let clock = MonotonicClock()
        let deadline = clock.now + Self.silence
        while clock.now < deadline {
            guard let message = try subscription.next(patience: 200), let sign = Self.sign(message.bytes),
                sign.recording == running.name, sign.term >= running.term
            else { continue }
            throw GroupError(
                "\(sign.conductor.printable(limit: 200)) conducts the recording \(running.name): a group makes one at a time. End that one first."
            )
        }
        var recording = running
        recording.term += 1
        recording.conductor = caller.conductor
        guard try board.note(recording, revision: revision) else {
            throw GroupError("another conductor has taken over the recording \(running.name) at this moment.")
        }
        Talk.say(
            "takes over the recording \(running.name), whose conductor, \(running.conductor.printable(limit: 200)), is silent. Ctrl-C ends it."
        )
        return recording
    }

    /// Reads a sign of life; `nil` for anything else.
    static func sign(_ bytes: [UInt8]) -> ConductorSign? {
        do {
            return try JSONText.decoder().decode(ConductorSign.self, from: Data(bytes))
        } catch {
            return nil
        }
    }
}
