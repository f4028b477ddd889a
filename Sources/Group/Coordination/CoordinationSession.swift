internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder

/// Coordinates a group's running recording: sends heartbeats, reports progress, and stops the recording.
/// `handle(signal:)` may be called from any thread, `run` from only one.
final class CoordinationSession: Sendable {
    private let recording: GroupRecording
    private let caller: GroupCaller
    private let store: RecordingStore
    private let identity: String
    private let asJSON: Bool
    private let states = ConditionLock<[String: (state: NodeState, at: ClockTime)]>([:])
    private let markers = ConditionLock(0)

    /// Exit status of a group recording that was canceled before T0.
    static let interrupted: Int32 = 130

    private static let interval = Nanoseconds.seconds(1)
    private static let statusInterval = Nanoseconds.seconds(10)
    /// Time without a state message after which a node is considered unresponsive.
    private static let nodeTimeout = Nanoseconds.seconds(4)
    /// Lead time of a stop command. All nodes must receive a stop command in advance so that they stop at the
    /// same tick.
    private static let stopLead = Nanoseconds.milliseconds(400)

    init(
        _ recording: GroupRecording, _ caller: GroupCaller, _ board: RecordingStore, identity: String,
        asJSON: Bool
    ) {
        (self.recording, self.caller, self.store) = (recording, caller, board)
        (self.identity, self.asJSON) = (identity, asJSON)
    }

    /// Handles user signals: SIGUSR1 sets a marker on all nodes, and SIGUSR2 splits the files on all nodes.
    func handle(signal number: Int32) {
        let words =
            number == SIGUSR1 ? ["mark", "marker \(markers.withLock { $0 += 1; return $0 })"] : ["split"]
        let at = caller.now()
        MediaThread.startWhenPossible(name: "coord:ctl") { [self] in
            for sentence in Self.sendCommand(words, at: at, to: recording.nodes, of: recording, caller)
                .sentences
            {
                ConsoleOutput.writeMessage(sentence)
            }
        }
    }

    /// Sends a `multicam ctl` command to nodes.
    ///
    /// - Returns: Each node's response as a sentence, and the exit status.
    static func sendCommand(
        _ words: [String], at instant: Int64, to nodes: [String], of recording: GroupRecording,
        _ caller: GroupCaller
    ) -> (sentences: [String], status: Int32) {
        let answers = caller.sendToAll(nodes) { _ in
            var order = caller.makeOrder(.ctl, of: recording.name, term: recording.term, within: .seconds(10))
            (order.words, order.at_utc_ns) = (words, instant)
            return order
        }
        var status: Int32 = 0
        let sentences = answers.map { node, answer in
            switch answer {
            case .success(let answer):
                if !answer.ok { status = max(status, answer.status) }
                return "\(node): \(answer.text.printable(limit: 1000))"
            case .failure(let error):
                status = max(status, 1)
                return "\(node): \(error)."
            }
        }
        return (sentences, status)
    }

    /// Coordinates the recording. Blocks until the recording's duration has elapsed or a stop signal arrives.
    ///
    /// - Returns: The exit status of the recording.
    /// - Throws: `GroupError` if another coordinator has taken over.
    func run(until stop: StopSignals) throws(GroupError) -> Int32 {
        let clock = MonotonicClock()
        let over = Cancellation()
        defer { over.cancel() }
        receiveStates(until: over)
        var (lastReport, hasBegun) = (clock.now, false)
        while !stop.isRequested, !isOver {
            // Heartbeats start before T0, so that no other coordinator takes over the recording.
            let sign = CoordinatorHeartbeat(
                recording: recording.name, term: recording.term, coordinator: caller.coordinator)
            caller.connection.publish(
                JSONText.line(sign), on: GroupSubjects(group: caller.group).coordinator(identity))
            if !hasBegun, caller.now() >= recording.t0_utc_ns {
                hasBegun = true
                notifyRecordingStarted()
            }
            if caller.connection.isConnected { try checkOwnership() }
            if clock.now - lastReport > Self.statusInterval {
                lastReport = clock.now
                reportStates()
            }
            let end = recording.duration_ns.map { (Nanoseconds(recording.t0_utc_ns) + Nanoseconds($0)).count }
            let next = (Nanoseconds(caller.now()) + Self.interval).count
            sleep(until: min(next, hasBegun ? end ?? next : recording.t0_utc_ns), stop)
        }
        let isCancelled = stop.isRequested && caller.now() < recording.t0_utc_ns
        if stop.isRequested { end() } else if !hasBegun { notifyRecordingStarted() }
        let status = collectReports(until: stop, unless: over)
        return isCancelled ? Self.interrupted : status
    }

    private var isOver: Bool { !recording.isRunning(at: caller.now()) }

    private func sleep(until utc: Int64, _ stop: StopSignals) {
        let left = Nanoseconds(utc) - Nanoseconds(caller.now())
        if left > .zero { stop.sleep(until: MonotonicClock().now + left) }
    }

    private func receiveStates(until over: Cancellation) {
        let subjects = GroupSubjects(group: caller.group)
        MediaThread.startWhenPossible(name: "coord:state") { [self] in
            do throws(GroupError) {
                let subscription = try caller.connection.subscribe(to: subjects.prefix + "state.*")
                while !over.isCancelled {
                    guard let message = try subscription.next(timeout: 300),
                        let state = GroupStatus.state(message.bytes),
                        message.subject == subjects.state(of: state.node)
                    else { continue }
                    states.withLock { $0[state.node] = (state, MonotonicClock().now) }
                }
            } catch {
                ConsoleOutput.writeMessage("\(error)")
            }
        }
    }

    private func notifyRecordingStarted() {
        if asJSON {
            ConsoleOutput.writeData(
                JSONText.line(
                    [
                        "event": JSONValue.string("started"), "recording": .string(recording.name),
                        "t0_utc_ns": .integer(recording.t0_utc_ns),
                        "nodes": .array(recording.nodes.map { .string($0) }),
                    ] as [String: JSONValue]))
        } else {
            ConsoleOutput.writeData(recording.name)
        }
    }

    private func reportStates() {
        let now = MonotonicClock().now
        let states = states.withLock { $0 }
        for node in recording.nodes {
            guard let (state, at) = states[node], now - at < Self.nodeTimeout else {
                ConsoleOutput.writeMessage(
                    "\(node): no response\(states[node].map { " for \(Int64(rounding: (now - $0.at).inSeconds)) s" } ?? ""). The recording on this node continues."
                )
                continue
            }
            ConsoleOutput.writeMessage(GroupStatus.line(state))
        }
    }

    private func checkOwnership() throws(GroupError) {
        let decision: StoreDecision
        do throws(GroupError) {
            let stored = try store.stored()
            decision = StoreDecision(coordinating: recording, stored: stored)
            // Stores the recording again if the broker has lost its data, so that nodes that were disconnected can find
            // it.
            if case .store(let own) = decision { _ = try store.replace(own, revision: stored.revision) }
        } catch {
            // The broker may be unreachable, or its store may not exist yet. The nodes continue to record.
            return
        }
        guard case .yield(let coordinator) = decision else { return }
        throw GroupError(
            "\(coordinator.printable(limit: 200)) has taken over the recording \(recording.name). The recording continues."
        )
    }

    // MARK: End of the recording

    private func end() {
        let end = (Nanoseconds(caller.now()) + Self.stopLead).count
        do throws(GroupError) {
            try store.storeEnd(of: recording, at: end)
        } catch {
            ConsoleOutput.writeMessage(
                "the stop command could not be stored on the broker, so unreachable nodes continue recording until \(recording.duration_ns == nil ? "they are stopped manually" : "the duration has passed"): \(error)"
            )
        }
        let answers = caller.sendToAll(recording.nodes) { _ in
            var order = caller.makeOrder(.stop, of: recording.name, term: recording.term, within: .seconds(5))
            order.at_utc_ns = end
            return order
        }
        for (node, answer) in answers {
            switch answer {
            case .success(let answer):
                if !answer.ok { ConsoleOutput.writeMessage("\(node): \(answer.text.printable(limit: 1000))") }
            case .failure(let error):
                ConsoleOutput.writeMessage(
                    "\(node): \(error). The node will stop when it receives the stop command.")
            }
        }
    }

    /// Waits up to `GroupRecording.closingTime` for all nodes to close their files, and then reports the
    /// results.
    private func collectReports(until stop: StopSignals, unless over: Cancellation) -> Int32 {
        let clock = MonotonicClock()
        var ending = GroupEnding(recording.nodes, endedAt: clock.now)
        while !ending.isOver(at: clock.now), !stop.isRepeated {
            let answers = caller.sendToAll(ending.openNodes) { _ in
                caller.makeOrder(.report, of: recording.name, term: recording.term, within: .seconds(3))
            }
            for (node, answer) in answers {
                guard let part = ending.receive(answer, from: node) else { continue }
                ConsoleOutput.writeMessage("\(node): \(Self.text(part))")
            }
            if !ending.openNodes.isEmpty { clock.sleep(until: clock.now + .milliseconds(300), unless: over) }
        }
        for node in ending.openNodes {
            if let complaint = ending.overdueMessage(for: node) {
                ConsoleOutput.writeMessage(complaint.printable(limit: 1000))
            }
        }
        if let verdict = ending.verdict { ConsoleOutput.writeMessage(verdict) }
        if asJSON { report(ending) }
        ConsoleOutput.writeMessage(
            "to collect all files, run `multicam collect \(recording.name)` on the computer that created the group."
        )
        return ending.status
    }

    /// Prints the end of the recording as events for other programs.
    private func report(_ ending: GroupEnding) {
        for node in ending.openNodes {
            ConsoleOutput.writeData(
                JSONText.line(
                    [
                        "event": JSONValue.string("node-overdue"), "recording": .string(recording.name),
                        "node": .string(node), "outcome": .string(ending.outcomes[node] ?? "silent"),
                    ] as [String: JSONValue]))
        }
        ConsoleOutput.writeData(
            JSONText.line(
                [
                    "event": JSONValue.string("finished"), "recording": .string(recording.name),
                    "exit": .integer(Int64(ending.status)),
                    "nodes": .object(ending.outcomes.mapValues { .string($0) }),
                ] as [String: JSONValue]))
    }

    private static func text(_ part: NodeRecording) -> String {
        var parts = [part.failure ?? part.verdict ?? part.outcome ?? "unfinished"]
        if let first = part.first_ns, first > 0 {
            parts.append(
                "This node started \(Int64(rounding: Double(first) / 1e6)) ms after the other nodes.")
        }
        if let clock = part.clock {
            parts.append(
                "The maximum clock error was \(GroupStatus.microseconds(clock.max_bound_ns)).")
        }
        return parts.joined(separator: " ").printable(limit: 1000)
    }
}
