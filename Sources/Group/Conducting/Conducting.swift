internal import FoundationEssentials
internal import Glibc
internal import Media
internal import SessionFolder

/// A recording of a group while it is conducted: says that the conductor is there, tells how it goes, and ends it. `signal` may be called
/// from any thread, `run` from one.
final class Conducting: Sendable {
    private let recording: GroupRecording
    private let caller: GroupCaller
    private let board: RecordingBoard
    private let identity: String
    private let asJSON: Bool
    private let states = ConditionLock<[String: (state: NodeState, at: ClockTime)]>([:])
    private let marks = ConditionLock(0)

    private static let interval = Nanoseconds.seconds(1)
    private static let telling = Nanoseconds.seconds(10)
    /// A node that tells nothing for so long is silent.
    private static let silence = Nanoseconds.seconds(4)
    /// All must hear of an end before it comes, so that all end on the same tick.
    private static let notice = Nanoseconds.milliseconds(400)
    /// Files of long recordings are closed within so long.
    private static let patience = Nanoseconds.seconds(60)

    init(
        _ recording: GroupRecording, _ caller: GroupCaller, _ board: RecordingBoard, identity: String,
        asJSON: Bool
    ) {
        (self.recording, self.caller, self.board) = (recording, caller, board)
        (self.identity, self.asJSON) = (identity, asJSON)
    }

    /// SIGUSR1 sets a mark on all nodes, SIGUSR2 splits the files of all.
    func signal(_ number: Int32) {
        let words = number == SIGUSR1 ? ["mark", "mark \(marks.withLock { $0 += 1; return $0 })"] : ["split"]
        let at = caller.now()
        _ = MediaThread(name: "conduct:ctl") { [self] in
            for sentence in Self.say(words, at: at, to: recording.nodes, of: recording, caller).sentences {
                Talk.say(sentence)
            }
        }
    }

    /// Says words of `multicam ctl` to nodes.
    ///
    /// - Returns: What each answers, as sentences, and the exit status.
    static func say(
        _ words: [String], at instant: Int64, to nodes: [String], of recording: GroupRecording,
        _ caller: GroupCaller
    ) -> (sentences: [String], status: Int32) {
        let answers = caller.askAll(nodes) { _ in
            var order = caller.order(.ctl, of: recording.name, term: recording.term, within: .seconds(10))
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

    /// Conducts until the duration is over or a signal comes. Blocks.
    ///
    /// - Returns: The exit status.
    /// - Throws: `GroupError` when another conductor has taken over.
    func run(until stop: StopSignals) throws(GroupError) -> Int32 {
        let clock = MonotonicClock()
        let over = Cancellation()
        defer { over.cancel() }
        hear(until: over)
        sleep(until: recording.t0_utc_ns, stop)
        tellBeginning()
        var told = clock.now
        while !stop.hasCome, !isOver {
            let sign = ConductorSign(
                recording: recording.name, term: recording.term, conductor: caller.conductor)
            caller.connection.tell(
                JSONText.line(sign), on: GroupSubjects(group: caller.group).conductor(identity))
            if caller.connection.isConnected { try checkThatItIsOurs() }
            if clock.now - told > Self.telling {
                told = clock.now
                tellStates()
            }
            let end = recording.duration_ns.map { (Nanoseconds(recording.t0_utc_ns) + Nanoseconds($0)).count }
            let next = (Nanoseconds(caller.now()) + Self.interval).count
            sleep(until: min(next, end ?? next), stop)
        }
        if stop.hasCome { end() }
        return conclude(unless: over)
    }

    private var isOver: Bool { !recording.isRunning(at: caller.now()) }

    private func sleep(until utc: Int64, _ stop: StopSignals) {
        let left = Nanoseconds(utc) - Nanoseconds(caller.now())
        if left > .zero { stop.sleep(until: MonotonicClock().now + left) }
    }

    private func hear(until over: Cancellation) {
        let subjects = GroupSubjects(group: caller.group)
        _ = MediaThread(name: "conduct:state") { [self] in
            do throws(GroupError) {
                let subscription = try caller.connection.subscribe(to: subjects.prefix + "state.*")
                while !over.isCancelled {
                    guard let message = try subscription.next(patience: 300),
                        let state = GroupStatus.state(message.bytes),
                        message.subject == subjects.state(of: state.node)
                    else { continue }
                    states.withLock { $0[state.node] = (state, MonotonicClock().now) }
                }
            } catch {
                Talk.say("\(error)")
            }
        }
    }

    private func tellBeginning() {
        if asJSON {
            Talk.data(
                JSONText.line(
                    [
                        "event": JSONValue.string("started"), "recording": .string(recording.name),
                        "t0_utc_ns": .integer(recording.t0_utc_ns),
                        "nodes": .array(recording.nodes.map { .string($0) }),
                    ] as [String: JSONValue]))
        } else {
            Talk.data(recording.name)
        }
    }

    private func tellStates() {
        let now = MonotonicClock().now
        let states = states.withLock { $0 }
        for node in recording.nodes {
            guard let (state, at) = states[node], now - at < Self.silence else {
                Talk.say(
                    "\(node): silent\(states[node].map { " for \(Int64(rounding: (now - $0.at).inSeconds)) s" } ?? ""). What it records goes on."
                )
                continue
            }
            Talk.say(GroupStatus.line(state))
        }
    }

    private func checkThatItIsOurs() throws(GroupError) {
        let present: GroupRecording?
        do throws(GroupError) {
            present = try board.present()?.recording
            // A broker that has lost its disk is told again, for nodes that were away.
            if present == nil { _ = try board.note(recording, revision: nil) }
        } catch {
            // The broker may be away, and its store may be new: the nodes go on.
            return
        }
        guard let present, present.name == recording.name, present.term > recording.term else { return }
        throw GroupError(
            "\(present.conductor.printable(limit: 200)) has taken over the recording \(recording.name), which goes on."
        )
    }

    // MARK: The end

    private func end() {
        let end = (Nanoseconds(caller.now()) + Self.notice).count
        do throws(GroupError) {
            _ = try board.update(recording.name) { if $0.end_utc_ns == nil { $0.end_utc_ns = end } }
        } catch {
            Talk.say(
                "the end is not noted at the broker, so nodes that are silent go on until \(recording.duration_ns == nil ? "somebody ends them" : "the duration is over"): \(error)"
            )
        }
        let answers = caller.askAll(recording.nodes) { _ in
            var order = caller.order(.stop, of: recording.name, term: recording.term, within: .seconds(5))
            order.at_utc_ns = end
            return order
        }
        for (node, answer) in answers {
            switch answer {
            case .success(let answer):
                if !answer.ok { Talk.say("\(node): \(answer.text.printable(limit: 1000))") }
            case .failure(let error): Talk.say("\(node): \(error). It ends when it hears of the end.")
            }
        }
    }

    /// Waits until each node has closed its files, and tells how it went.
    private func conclude(unless over: Cancellation) -> Int32 {
        let clock = MonotonicClock()
        let deadline = clock.now + Self.patience
        var (open, status) = (recording.nodes, Int32(0))
        var last: [String: String] = [:]
        while !open.isEmpty, clock.now < deadline {
            let answers = caller.askAll(open) { _ in
                caller.order(.report, of: recording.name, term: recording.term, within: .seconds(3))
            }
            for (node, answer) in answers {
                guard case .success(let answer) = answer else {
                    last[node] =
                        "silent. What it records goes on until it hears of the end or its duration is over."
                    continue
                }
                guard let part = answer.recording, let outcome = part.outcome, outcome != "recording" else {
                    last[node] = answer.ok ? "still closing its files." : answer.text
                    // A question that was long on its way is refused, and asked again.
                    continue
                }
                open.removeAll { $0 == node }
                last[node] = nil
                status = max(status, part.status)
                Talk.say("\(node): \(Self.text(part, outcome))")
            }
            if !open.isEmpty { clock.sleep(until: clock.now + .milliseconds(300), unless: over) }
        }
        for (node, text) in last.sorted(by: { $0.key < $1.key }) {
            status = max(status, 1)
            Talk.say("\(node): \(text.printable(limit: 1000))")
        }
        if asJSON {
            Talk.data(
                JSONText.line(
                    [
                        "event": JSONValue.string("finished"), "recording": .string(recording.name),
                        "exit": .integer(Int64(status)),
                    ] as [String: JSONValue]))
        }
        Talk.say("`multicam collect \(recording.name)` where the group was made brings all together.")
        return status
    }

    private static func text(_ part: NodeRecording, _ outcome: String) -> String {
        var parts = [part.failure ?? part.verdict ?? outcome]
        if let first = part.first_ns, first > 0 {
            parts.append("It began \(Int64(rounding: Double(first) / 1e6)) ms after the others.")
        }
        if let clock = part.clock {
            parts.append(
                "The group's time was known there to \(GroupStatus.microseconds(clock.max_bound_ns)).")
        }
        return parts.joined(separator: " ").printable(limit: 1000)
    }
}
