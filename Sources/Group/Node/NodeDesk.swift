internal import Control
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import SessionFolder

/// Does what the group's orders say on this node, with its recorder, each once. Safe to use from any thread.
final class NodeDesk: Sendable {
    let node: String
    let recorder: RecorderDesk
    let journal: NodeJournal
    let clock: GroupClock
    /// Where the node records, as an absolute path.
    let output: String

    /// Answers that were given, by the order's id; `nil` while it is worked on.
    private let answers = ConditionLock<[(id: String, answer: GroupAnswer?)]>([])
    private let count = ConditionLock(0)

    private static let mostAnswers = 256
    private static let mostOrders = 16
    /// A recorder needs so long from the order until it can begin.
    private static let lead = Nanoseconds.milliseconds(500)
    /// The instant of a stop must have passed for the recorder, too, whose clock may be read a little earlier.
    private static let grace = Nanoseconds.milliseconds(5)

    init(
        _ node: String, _ recorder: RecorderDesk, _ journal: NodeJournal, _ clock: GroupClock, output: String
    ) {
        (self.node, self.recorder, self.journal, self.clock) = (node, recorder, journal, clock)
        self.output = output
    }

    /// Does what an order says, on a thread of its own. The same order again gets the same answer.
    ///
    /// - Parameters:
    ///   - bytes: The order as it came.
    ///   - answer: Called with the answer, on another thread.
    func take(_ bytes: [UInt8], answer: @escaping @Sendable (GroupAnswer) -> Void) {
        guard let order = Self.order(bytes) else {
            return answer(
                refusal("", "the command is not understood: it is of another version of multicam.", 2))
        }
        if let sentence = Self.fault(of: order) { return answer(refusal(order.id, sentence, 2)) }
        let isFree = count.withLock { count in
            guard count < Self.mostOrders else { return false }
            count += 1
            return true
        }
        guard isFree else { return answer(refusal(order.id, "too many commands come at once.")) }
        _ = MediaThread(name: "node:order") { [self] in
            answer(obeyOnce(order))
            count.withLock { $0 -= 1 }
        }
    }

    /// Reads an order; `nil` for anything else.
    static func order(_ bytes: [UInt8]) -> GroupOrder? {
        do {
            return try JSONText.decoder().decode(GroupOrder.self, from: Data(bytes))
        } catch {
            return nil
        }
    }

    /// What is wrong with an order whatever the node does; `nil` for nothing.
    static func fault(of order: GroupOrder) -> String? {
        guard (1...100).contains(order.id.utf8.count), order.conductor.utf8.count <= 200, order.term >= 0
        else {
            return "the command has no id that can be."
        }
        if let recording = order.recording, !NodeJournal.isName(recording) {
            return "the recording's name is none."
        }
        if let duration = order.duration_ns, duration <= 0 { return "the duration is not above zero." }
        if let profile = order.profile, profile.isEmpty || profile.utf8.count > 200 || profile.hasPrefix("-")
        {
            return "the profile's name is none."
        }
        return nil
    }

    private func refusal(_ id: String, _ sentence: String, _ status: Int32 = 1) -> GroupAnswer {
        GroupAnswer(id: id, node: node, ok: false, text: sentence, exit: status)
    }

    private func obeyOnce(_ order: GroupOrder) -> GroupAnswer {
        let known: GroupAnswer? = answers.wait { answers -> GroupAnswer?? in
            guard let index = answers.firstIndex(where: { $0.id == order.id }) else {
                answers.append((order.id, nil))
                if answers.count > Self.mostAnswers, answers[0].answer != nil { answers.removeFirst() }
                return .some(nil)
            }
            return answers[index].answer.map { .some($0) }
        }
        if let known { return known }
        var answer: GroupAnswer
        if order.deadline_utc_ns < clock.now {
            answer = refusal(order.id, "the command came after its deadline, and is not done.")
        } else {
            do throws(GroupError) {
                answer = try obey(order)
            } catch {
                answer = refusal(order.id, error.description, error.status)
            }
        }
        answers.broadcast { answers in
            guard let index = answers.firstIndex(where: { $0.id == order.id }) else { return }
            answers[index].answer = answer
        }
        return answer
    }

    private func obey(_ order: GroupOrder) throws(GroupError) -> GroupAnswer {
        if let recording = order.recording, let entry = journal.entry(recording), order.term < entry.term,
            order.action != .report
        {
            throw GroupError("another conductor has taken over this recording.")
        }
        var answer = GroupAnswer(id: order.id, node: node, ok: true, text: "")
        switch order.action {
        case .prepare: try prepare(order, &answer)
        case .begin: answer.text = try begin(order)
        case .stop: answer.text = try stop(order)
        case .ctl: answer.text = try say(order)
        case .report:
            guard let recording = order.recording, let entry = journal.entry(recording) else {
                throw GroupError("this node has no such recording.")
            }
            answer.recording = entry
        }
        return answer
    }

    // MARK: Before the start

    private func prepare(_ order: GroupOrder, _ answer: inout GroupAnswer) throws(GroupError) {
        if let running = journal.running {
            throw GroupError("it makes the recording \(running.recording) still.")
        }
        let status = try recorder.standBy(with: order.profile)
        guard status.state == .standby else { throw GroupError("its recorder is \(status.state.rawValue).") }
        let left = status.disk?.seconds_left
        if let left, let duration = order.duration_ns, left < Nanoseconds(duration).inSeconds {
            throw GroupError(
                "its disk has room for \(Int64(rounding: max(left, 0))) s, and \(Nanoseconds(duration).text) are to be recorded.",
                status: 7)
        }
        let rates = status.cameras.map(\.nominal_rate).filter { $0 > 0 && $0.isFinite }
        answer.frame_ns = rates.min().map { Nanoseconds.seconds(rounding: 1 / $0).count }
        answer.cost = status.cost?.hardware
        answer.disk_seconds = left
        answer.clock = clock.reading
        let cameras = status.cameras.map { "\($0.role) \($0.width)x\($0.height) at \($0.nominal_rate)" }
        let microphones = status.microphones.map(\.role)
        answer.text = "\(status.profile): \((cameras + microphones).joined(separator: ", "))"
    }

    // MARK: The recording

    private func begin(_ order: GroupOrder) throws(GroupError) -> String {
        guard let recording = order.recording, let start = order.t0_utc_ns else {
            throw GroupError("the command to begin names no recording, or no T0.", status: 2)
        }
        try begin(recording, at: start, for: order.duration_ns, term: order.term)
        return "it begins."
    }

    /// Begins a recording at T0, or where that has passed as soon as can be, unless it was begun already. Returns at once.
    ///
    /// - Throws: `GroupError` when another recording runs.
    func begin(_ recording: String, at start: Int64, for duration: Int64?, term: Int64) throws(GroupError) {
        if let running = journal.running, running.recording != recording {
            throw GroupError("it makes the recording \(running.recording) still.")
        }
        let entry = NodeRecording(
            recording: recording, t0_utc_ns: start, duration_ns: duration, term: term, outcome: "recording")
        guard try journal.add(entry) else { return }
        _ = MediaThread(name: "node:begin") { [self] in
            do throws(GroupError) {
                try record(entry)
            } catch {
                Talk.say("\(recording) has not begun: \(error)")
                journal.update(recording) { entry in
                    entry.outcome = "failed"
                    entry.failure = error.description
                }
            }
        }
    }

    private func record(_ entry: NodeRecording) throws(GroupError) {
        _ = try recorder.standBy(with: nil)
        let start = clock.monotonic(of: entry.t0_utc_ns)
        let late = MonotonicClock().now + Self.lead - start
        // The recorder's session clock follows the group's time from T0 on, and knows better than one reading when that is.
        var words = ["start", "at=\(max(start.nanoseconds, 0))", "utc=\(max(entry.t0_utc_ns, 0))"]
        if let duration = entry.duration_ns {
            // One that begins late is ended by `tend`, at the instant at which the others end; this is for when nobody does.
            let rest = late > .zero ? Nanoseconds(duration) - late + .seconds(1) : Nanoseconds(duration)
            guard late < Nanoseconds(duration) else {
                throw GroupError("it was over when this node heard of it.")
            }
            words.append("for=\(rest.count)")
        }
        let reply = try recorder.ask(words)
        guard reply.ok else { throw GroupError(reply.text) }
        guard let (first, utc, folder) = beginning() else {
            throw GroupError("the recording was over at once.")
        }
        let name = folder.split(separator: "/").last.map(String.init)
        journal.update(entry.recording) { entry in
            entry.folder = name
            entry.t0_monotonic_ns = first
            entry.first_ns =
                utc.map { (Nanoseconds($0) - Nanoseconds(entry.t0_utc_ns)).count }
                ?? (ClockTime(nanoseconds: first) - start).count
        }
        Talk.say("records \(entry.recording) into \(folder.printable(limit: 400))")
    }

    /// T0 on CLOCK_MONOTONIC and by the group's time, and the folder, of the recording that has just begun; the recorder's status tells them a moment later.
    private func beginning() -> (start: Int64, utc: Int64?, folder: String)? {
        let monotonic = MonotonicClock()
        let deadline = monotonic.now + .seconds(5)
        repeat {
            if let status = recorder.status, let start = status.t0_monotonic_ns, let folder = status.folder {
                return (start, status.t0_utc_ns, folder)
            }
            monotonic.sleep(until: monotonic.now + .milliseconds(50), unless: Cancellation())
        } while monotonic.now < deadline
        return nil
    }

    private func stop(_ order: GroupOrder) throws(GroupError) -> String {
        guard let recording = order.recording, let entry = journal.entry(recording) else {
            throw GroupError("this node has no such recording.")
        }
        guard entry.outcome == "recording" else { return "it has ended already." }
        journal.update(recording) { $0.term = max($0.term, order.term) }
        return try stop(recording, at: order.at_utc_ns ?? clock.now)
    }

    /// Ends a recording at an instant, and waits until that has passed.
    ///
    /// - Parameters:
    ///   - recording: Its name.
    ///   - end: The group's time in nanoseconds since 1970.
    /// - Returns: What the recorder says.
    /// - Throws: `GroupError` when the recorder refuses.
    func stop(_ recording: String, at end: Int64) throws(GroupError) -> String {
        let monotonic = MonotonicClock()
        let instant = min(clock.monotonic(of: end), monotonic.now + .seconds(30)) + Self.grace
        monotonic.sleep(until: instant, unless: Cancellation())
        guard let entry = journal.entry(recording), entry.outcome == "recording" else {
            return "it has ended."
        }
        guard let first = entry.first_ns else {
            // It waits for T0.
            return try recorder.ask(["stop"]).text
        }
        let time = (Nanoseconds(end) - Nanoseconds(entry.t0_utc_ns) - Nanoseconds(first)).count
        let reply = try askOfInstant(["stop", "at=\(max(time, 0))"])
        guard reply.ok else { throw GroupError(reply.text) }
        return reply.text
    }

    /// Why a word of `multicam ctl` is not said to the nodes of a group; `nil` for others.
    static func refusal(of word: String) -> String? {
        switch word {
        case "start", "stop", "quit":
            "`\(word)` is the conductor's: `multicam record --group` begins the recording, and its Ctrl-C ends it."
        case "clock":
            "`clock` is the node's own: it tells its recorder the group's time, as it has measured it."
        default: nil
        }
    }

    private func say(_ order: GroupOrder) throws(GroupError) -> String {
        guard var words = order.words, !words.isEmpty, words.count <= 100 else {
            throw GroupError("the command has no words.", status: 2)
        }
        if let sentence = Self.refusal(of: words[0]) { throw GroupError(sentence, status: 2) }
        if words[0] == "mark", let at = order.at_utc_ns, let entry = journal.running,
            let first = entry.first_ns
        {
            let time = Nanoseconds(at) - Nanoseconds(entry.t0_utc_ns) - Nanoseconds(first)
            words.append("at=\(max(time.count, 0))")
            MonotonicClock().sleep(
                until: min(clock.monotonic(of: at), MonotonicClock().now + .seconds(5)) + Self.grace,
                unless: Cancellation())
        }
        let reply = try askOfInstant(words)
        guard reply.ok else { throw GroupError(reply.text, status: reply.usage ? 2 : 1) }
        return reply.text
    }

    /// Says words to the recorder, and, where they name an instant, again while that has not come on its session clock: it may be some
    /// milliseconds behind the group's time where that was not measured for long.
    private func askOfInstant(_ words: [String]) throws(GroupError) -> ControlReply {
        let monotonic = MonotonicClock()
        let deadline = monotonic.now + .seconds(2)
        while true {
            let reply = try recorder.ask(words)
            let mayCome = words.last?.hasPrefix("at=") ?? false
            guard !reply.ok, reply.usage, mayCome, monotonic.now < deadline else { return reply }
            monotonic.sleep(until: monotonic.now + .milliseconds(20), unless: Cancellation())
        }
    }

    // MARK: While it records

    /// Looks whether the running recording is over, and ends one that began late when the others end. To be called about once a second,
    /// on one thread.
    ///
    /// - Parameter ask: Asks how the recorder is; `nil` where none runs.
    /// - Returns: How the recorder is.
    func tend(asking ask: () -> ControlStatus?) -> ControlStatus? {
        // The journal first: one that begins after that is not taken for over because the recorder still stood by.
        let running = journal.running
        let status = ask()
        guard let entry = running, let folder = entry.folder else { return status }
        if let duration = entry.duration_ns, let first = entry.first_ns, first > 0,
            // `stop` waits for the instant itself, so that the last tick is that of the others.
            (Nanoseconds(clock.now) + .seconds(1)).count
                > (Nanoseconds(entry.t0_utc_ns) + Nanoseconds(duration)).count
        {
            do throws(GroupError) {
                _ = try stop(
                    entry.recording, at: (Nanoseconds(entry.t0_utc_ns) + Nanoseconds(duration)).count)
            } catch {
                // It has ended by itself.
            }
        }
        let isOver =
            status.map {
                $0.state != .recording && $0.state != .finishing
                    || $0.folder != nil && !($0.folder ?? "").hasSuffix("/" + folder)
            } ?? true
        // A recorder that has no time to answer holds its folder; one that has died leaves `recording` in the manifest.
        guard isOver, FolderState(of: "\(output)/\(folder)") != .running else { return status }
        let ending = Self.ending(of: "\(output)/\(folder)")
        let outcome = ending?.outcome ?? "unfinished"
        let word = outcome == "recording" ? "unfinished" : outcome
        let verdict = word == "unfinished" ? nil : ending?.verdict
        journal.update(entry.recording) { entry in
            entry.outcome = word
            entry.verdict = verdict
            entry.exit = word == "unfinished" ? 1 : ending?.exit
        }
        Talk.say("\(entry.recording) is \(word). \(verdict ?? "")")
        return status
    }

    /// What a session folder's manifest says of its end; `nil` where it cannot be read.
    private static func ending(of folder: String) -> (outcome: String, verdict: String, exit: Int32)? {
        guard let bytes = FileManager.default.contents(atPath: folder + "/manifest.json"),
            bytes.count <= Manifest.largestByteCount
        else { return nil }
        do throws(ManifestFault) {
            let manifest = try Manifest(reading: Array(bytes))
            let verdict = Verdict(manifest)
            let exit: Int32 =
                switch manifest.outcome {
                case .finished: verdict.exceededLimits.isEmpty ? 0 : 6
                case .storageFailed: 7
                case .recording, .recovered: 1
                }
            return (manifest.outcome.rawValue, verdict.text.printable(limit: 1000), exit)
        } catch {
            return nil
        }
    }
}
