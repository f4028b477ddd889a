internal import FoundationEssentials
internal import Glibc
internal import MulticamControl
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// Executes the group's commands with this node's recorder, each exactly once. Safe to use from any thread.
final class NodeCommandHandler: Sendable {
    let node: String
    let recorder: RecorderSupervisor
    let journal: NodeJournal
    let clock: GroupClock
    /// Absolute path of the node's recordings folder.
    let output: String

    /// Responses by command identifier. A response is `nil` while its command is being executed.
    private let answers = ConditionLock<[(id: String, answer: GroupAnswer?)]>([])
    private let count = ConditionLock(0)
    /// The recording that a thread of this process is starting.
    private let startingRecording = ConditionLock<String?>(nil)

    private static let mostAnswers = 256
    private static let mostOrders = 16
    /// Minimum time that a recorder needs from the start command until T0.
    private static let lead = Nanoseconds.milliseconds(500)
    /// Maximum lead time of a stop command. Coordinators send stop commands less than a second in advance. If
    /// a command's time is further in the future, a clock must be wrong, and the recording is stopped
    /// immediately.
    private static let maxStopLead = Nanoseconds.seconds(5)
    /// Additional wait after the time of a stop command. The recorder's clock must also have reached that
    /// time, but may lag slightly behind this process's clock.
    private static let grace = Nanoseconds.milliseconds(5)

    init(
        _ node: String, _ recorder: RecorderSupervisor, _ journal: NodeJournal, _ clock: GroupClock,
        output: String
    ) {
        (self.node, self.recorder, self.journal, self.clock) = (node, recorder, journal, clock)
        self.output = output
    }

    /// Executes a command on a separate thread. A repeated command gets the same response.
    ///
    /// - Parameters:
    ///   - bytes: The received message.
    ///   - answer: Called with the response, on another thread.
    func handle(_ bytes: [UInt8], answer: @escaping @Sendable (GroupAnswer) -> Void) {
        guard let order = Self.order(bytes) else {
            return answer(
                refusal(
                    "", "invalid command: the other computer is running a different version of multicam.", 2))
        }
        if let sentence = Self.fault(of: order) { return answer(refusal(order.id, sentence, 2)) }
        let isFree = count.withLock { count in
            guard count < Self.mostOrders else { return false }
            count += 1
            return true
        }
        guard isFree else {
            return answer(refusal(order.id, "too many commands are being executed at the same time."))
        }
        do throws(ThreadError) {
            _ = try MediaThread(name: "node:order") { [self] in
                answer(executeOnce(order))
                count.withLock { $0 -= 1 }
            }
        } catch {
            count.withLock { $0 -= 1 }
            answer(refusal(order.id, error.description))
        }
    }

    /// Decodes a command; `nil` if the bytes aren't a command.
    static func order(_ bytes: [UInt8]) -> GroupOrder? {
        do {
            return try JSONText.decoder().decode(GroupOrder.self, from: Data(bytes))
        } catch {
            return nil
        }
    }

    /// Returns the reason why a command is invalid regardless of the node's state; `nil` if the command is
    /// valid.
    static func fault(of order: GroupOrder) -> String? {
        guard (1...100).contains(order.id.utf8.count), order.coordinator.utf8.count <= 200, order.term >= 0
        else {
            return "the command does not have a valid ID."
        }
        // A `report` command has no side effects, and `multicam collect` sends it with an arbitrary term
        // number.
        guard order.action == .report || order.term <= GroupRecording.highestTerm else {
            return "invalid coordinator number \(order.term)."
        }
        if let recording = order.recording, !GroupName.isValidRecordingName(recording) {
            return "invalid recording name."
        }
        if let duration = order.duration_ns, duration <= 0 {
            return "the duration must be greater than zero."
        }
        if let profile = order.profile, !isProfileName(profile) {
            return
                "invalid profile name. Use a name that `multicam profiles` lists on this node, not a file path."
        }
        return nil
    }

    /// Whether a string is a valid profile name and can't be a file path.
    private static func isProfileName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && !text.hasPrefix(".") && !text.hasPrefix("-")
            && !text.hasSuffix(".yaml")
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_.".utf8.contains(byte)
            }
    }

    private func refusal(_ id: String, _ sentence: String, _ status: Int32 = 1) -> GroupAnswer {
        GroupAnswer(id: id, node: node, ok: false, text: sentence, exit: status)
    }

    private func executeOnce(_ order: GroupOrder) -> GroupAnswer {
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
            answer = refusal(order.id, "the command arrived after its deadline and was not executed.")
        } else {
            do throws(GroupError) {
                answer = try execute(order)
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

    private func execute(_ order: GroupOrder) throws(GroupError) -> GroupAnswer {
        if let recording = order.recording, let entry = journal.entry(recording), order.term < entry.term,
            order.action != .report
        {
            throw GroupError("another coordinator has taken over this recording.")
        }
        var answer = GroupAnswer(id: order.id, node: node, ok: true, text: "")
        switch order.action {
        case .prepare: try prepare(order, &answer)
        case .begin: answer.text = try begin(order)
        case .stop: answer.text = try stop(order)
        case .ctl: answer.text = try executeControl(order)
        case .report:
            guard let recording = order.recording, let entry = journal.entry(recording) else {
                throw GroupError("this recording does not exist on the node.")
            }
            answer.recording = entry
            answer.text = entry.failure ?? ""
        }
        return answer
    }

    // MARK: Preparation

    private func prepare(_ order: GroupOrder, _ answer: inout GroupAnswer) throws(GroupError) {
        try checkIdle(except: nil)
        var status = try standBy(with: order.profile)
        if case .waiting = RecorderActivity(status, isAlive: true) { status = try cancelWait() }
        guard status.state == .standby else {
            throw GroupError("the recorder is not on standby (state: \(status.state.rawValue)).")
        }
        let left = status.disk?.seconds_left
        if let left, let duration = order.duration_ns, left < Nanoseconds(duration).inSeconds {
            throw GroupError(
                "the disk has space for only \(Int64(rounding: max(left, 0))) s of the requested duration of \(Nanoseconds(duration).text).",
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

    /// Puts the recorder on standby at the request of another computer. Errors in a profile aren't sent to
    /// that computer, because the error messages quote the profile, which may contain camera passwords.
    private func standBy(with profile: String?) throws(GroupError) -> ControlStatus {
        do throws(GroupError) {
            return try recorder.standBy(with: profile)
        } catch {
            // Status 3 means that a device is missing or busy, 4 that permission is denied, 5 that the plan
            // is over budget, and 7 that the storage failed. The messages for these statuses contain only
            // device names and numbers.
            guard ![3, 4, 5, 7].contains(error.status) else { throw error }
            let name = profile.map { "the profile `\($0)`" } ?? "the node's profile"
            let failure = GroupError(
                "\(name) cannot be used (exit status \(error.status)). Run `multicam plan --profile \(profile ?? "NAME")` on this node to see why.",
                status: error.status)
            // The details aren't logged either, because users without access to the profiles may be able to
            // read this computer's logs.
            ConsoleOutput.writeMessage("\(failure)")
            throw failure
        }
    }

    // MARK: Recording

    private func begin(_ order: GroupOrder) throws(GroupError) -> String {
        guard let recording = order.recording, let start = order.t0_utc_ns else {
            throw GroupError("the start command must contain a recording name and a T0.", status: 2)
        }
        try begin(recording, at: start, for: order.duration_ns, term: order.term)
        return "the recording is starting."
    }

    /// Starts a recording at T0, or as soon as possible if T0 has passed. This method does nothing if the
    /// recording has already been started. The method returns without waiting for T0.
    ///
    /// - Throws: `GroupError` if another recording is running, or T0 is implausible.
    func begin(_ recording: String, at start: Int64, for duration: Int64?, term: Int64) throws(GroupError) {
        let now = clock.now
        if let fault = GroupRecording.fault(ofStart: start, at: now) {
            throw GroupError("\(recording) was rejected: \(fault).")
        }
        guard Nanoseconds(now) - Nanoseconds(start) <= GroupRecording.longestDelay else {
            throw GroupError("\(recording) was rejected: T0 is more than 30 days in the past.")
        }
        try checkIdle(except: recording)
        let entry = NodeRecording(
            recording: recording, t0_utc_ns: start, duration_ns: duration, term: term, outcome: "recording")
        // The name is set before the entry is added to the journal, so that `reconcile` ignores the recording.
        let former = startingRecording.withLock { beginning in
            defer { beginning = beginning ?? recording }
            return beginning
        }
        if let former {
            guard former != recording else { return }
            throw Self.busy(former)
        }
        let admission: Admission
        do throws(GroupError) {
            admission = try journal.admit(entry)
        } catch {
            startingRecording.withLock { $0 = nil }
            throw error
        }
        guard admission == .begin else {
            startingRecording.withLock { $0 = nil }
            if case .busy(let other) = admission { throw Self.busy(other) }
            return
        }
        MediaThread.startWhenPossible(name: "node:begin") { [self] in
            do throws(GroupError) {
                try record(entry)
            } catch {
                ConsoleOutput.writeMessage("\(recording) did not start: \(error)")
                journal.update(recording) { entry in
                    entry.outcome = "failed"
                    entry.failure = error.description
                }
            }
            startingRecording.withLock { $0 = nil }
        }
    }

    private static let stoppedBeforeStart = GroupError("the recording was stopped before it started.")

    private static func busy(_ recording: String) -> GroupError {
        GroupError("this node is still recording \(recording).")
    }

    /// Checks that no other recording is running, after reconciling the journal with the recorder.
    ///
    /// - Throws: `GroupError` if another recording is actually running or about to start.
    private func checkIdle(except recording: String?) throws(GroupError) {
        if let beginning = startingRecording.withLock({ $0 }), beginning != recording {
            throw Self.busy(beginning)
        }
        guard let running = journal.running, running.recording != recording else { return }
        _ = reconcile { recorder.status }
        if let running = journal.running, running.recording != recording {
            throw Self.busy(running.recording)
        }
    }

    /// Makes the recorder stop waiting for a T0 if the T0 doesn't belong to any recording in the journal.
    ///
    /// - Returns: The recorder's status afterwards.
    /// - Throws: `GroupError` if the recorder doesn't stop waiting.
    private func cancelWait() throws(GroupError) -> ControlStatus {
        _ = try recorder.send(["stop"])
        let monotonic = MonotonicClock()
        let deadline = monotonic.now + .seconds(5)
        while monotonic.now < deadline {
            let status = recorder.status
            if let status, RecorderActivity(status, isAlive: true) == .idle { return status }
            monotonic.sleep(until: monotonic.now + .milliseconds(50), unless: Cancellation())
        }
        throw GroupError(
            "the recorder is waiting for the T0 of another recording, and the wait could not be canceled.")
    }

    private func record(_ entry: NodeRecording) throws(GroupError) {
        let status = try recorder.standBy(with: nil)
        if case .waiting = RecorderActivity(status, isAlive: true) { _ = try cancelWait() }
        let start = clock.monotonic(of: entry.t0_utc_ns)
        let late = MonotonicClock().now + Self.lead - start
        // From T0, the recorder's session clock follows the group's time. The recorder can therefore
        // determine T0 more precisely than a single clock reading can.
        var words = ["start", "at=\(max(start.nanoseconds, 0))", "utc=\(max(entry.t0_utc_ns, 0))"]
        if let duration = entry.duration_ns {
            // If a recording started late, `reconcile` stops it when the other nodes stop. The duration that is
            // computed here applies only if `reconcile` doesn't run.
            let rest = late > .zero ? Nanoseconds(duration) - late + .seconds(1) : Nanoseconds(duration)
            guard late < Nanoseconds(duration) else {
                throw GroupError("the recording ended before this node received the start command.")
            }
            words.append("for=\(rest.count)")
        }
        guard journal.entry(entry.recording)?.isRunning ?? false else { throw Self.stoppedBeforeStart }
        let reply: ControlReply
        do throws(GroupError) {
            reply = try recorder.send(words)
        } catch {
            // The recorder may still be waiting for T0. If it then started the recording, nothing would stop
            // it.
            do throws(GroupError) {
                _ = try recorder.send(["stop"])
            } catch {
                // The recorder has died or is unresponsive. If an unresponsive recorder starts recording
                // anyway, `reconcile` detects this.
            }
            throw error
        }
        guard reply.ok else { throw GroupError(reply.text) }
        guard let start = waitForStart() else {
            throw GroupError("the recording ended immediately after it started.")
        }
        let isWanted = journal.entry(entry.recording)?.isRunning ?? false
        journal.update(entry.recording) { apply(start, to: &$0) }
        // The recording was stopped between the start command and T0.
        if !isWanted { _ = try recorder.send(["stop"]) }
        ConsoleOutput.writeMessage("recording \(entry.recording) to \(start.folder.printable(limit: 400)).")
    }

    private func apply(_ start: RecordingStart, to entry: inout NodeRecording) {
        entry.folder = start.folder
        entry.t0_monotonic_ns = start.monotonic.nanoseconds
        let utc = start.utc.map { Nanoseconds($0) } ?? Nanoseconds(clock.utc(of: start.monotonic))
        entry.first_ns = (utc - Nanoseconds(entry.t0_utc_ns)).count
        (entry.outcome, entry.failure) = ("recording", nil)
    }

    /// Waits for details of the recording's start. The details appear in the recorder's status shortly after
    /// the recorder has responded to the start command.
    private func waitForStart() -> RecordingStart? {
        let monotonic = MonotonicClock()
        let deadline = monotonic.now + .seconds(5)
        repeat {
            if case .recording(let start) = RecorderActivity(recorder.status, isAlive: true) { return start }
            monotonic.sleep(until: monotonic.now + .milliseconds(50), unless: Cancellation())
        } while monotonic.now < deadline
        return nil
    }

    private func stop(_ order: GroupOrder) throws(GroupError) -> String {
        guard let recording = order.recording, let entry = journal.entry(recording) else {
            throw GroupError("this recording does not exist on the node.")
        }
        guard entry.outcome == "recording" else { return "the recording has already ended." }
        journal.update(recording) { $0.term = max($0.term, order.term) }
        return try stop(recording, at: order.at_utc_ns ?? clock.now)
    }

    /// Stops a recording at a given time and waits until that time has passed.
    ///
    /// - Parameters:
    ///   - recording: Name of the recording.
    ///   - end: The group's time in nanoseconds since 1970.
    /// - Returns: The recorder's response.
    /// - Throws: `GroupError` if the recorder refuses the command.
    func stop(_ recording: String, at end: Int64) throws(GroupError) -> String {
        let monotonic = MonotonicClock()
        let now = clock.now
        let end = Nanoseconds(end) - Nanoseconds(now) > Self.maxStopLead ? now : end
        let instant = clock.monotonic(of: end) + Self.grace
        monotonic.sleep(until: instant, unless: Cancellation())
        guard let entry = journal.entry(recording), entry.outcome == "recording" else {
            return "the recording has ended."
        }
        guard let first = entry.first_ns else {
            // The recorder is waiting for T0 or is starting the recording. The journal is updated first, so
            // that the recording isn't started again if this program dies.
            journal.update(recording, if: entry) { entry in
                (entry.outcome, entry.failure) = ("failed", Self.stoppedBeforeStart.description)
            }
            return try recorder.send(["stop"]).text
        }
        let time = (Nanoseconds(end) - Nanoseconds(entry.t0_utc_ns) - Nanoseconds(first)).count
        let reply = try sendTimedCommand(["stop", "at=\(max(time, 0))"])
        guard reply.ok else { throw GroupError(reply.text) }
        return reply.text
    }

    private func executeControl(_ order: GroupOrder) throws(GroupError) -> String {
        guard var words = order.words, !words.isEmpty, words.count <= 100 else {
            throw GroupError("the command is empty.", status: 2)
        }
        if words[0] == "mark", let at = order.at_utc_ns, let entry = journal.running,
            let first = entry.first_ns
        {
            let time = Nanoseconds(at) - Nanoseconds(entry.t0_utc_ns) - Nanoseconds(first)
            words.append("at=\(max(time.count, 0))")
            MonotonicClock().sleep(
                until: min(clock.monotonic(of: at), MonotonicClock().now + .seconds(5)) + Self.grace,
                unless: Cancellation())
        }
        let reply = try sendTimedCommand(words, isFromGroup: true)
        guard reply.ok else { throw GroupError(reply.text, status: reply.usage ? 2 : 1) }
        return reply.text
    }

    /// Sends a command to the recorder. If the command specifies a time that the session clock hasn't
    /// reached, the command is retried until the clock has reached that time. The session clock may lag a few
    /// milliseconds behind the group's time if its offset hasn't been measured for a long time.
    private func sendTimedCommand(
        _ words: [String], isFromGroup: Bool = false
    ) throws(GroupError) -> ControlReply {
        let monotonic = MonotonicClock()
        let deadline = monotonic.now + .seconds(2)
        while true {
            let reply = try recorder.send(words, isFromGroup: isFromGroup)
            let isTimed = words.first == "mark" || words.first == "stop" && !isFromGroup
            let mayCome = isTimed && words.last?.hasPrefix("at=") ?? false
            guard !reply.ok, reply.usage, mayCome, monotonic.now < deadline else { return reply }
            monotonic.sleep(until: monotonic.now + .milliseconds(20), unless: Cancellation())
        }
    }

    // MARK: Supervision of the recording

    /// Reconciles the journal with the recorder's state. If the recording started late, this method also
    /// stops it when the other nodes stop. Call this method about once per second, and before a command is
    /// refused because a recording is running.
    ///
    /// - Parameter ask: Returns the recorder's status; `nil` if no recorder responds.
    /// - Returns: The recorder's status.
    @discardableResult
    func reconcile(withStatus ask: () -> ControlStatus?) -> ControlStatus? {
        // The journal is read before the recorder's status. In the reverse order, a recording that was added
        // to the journal in between would be considered finished, because the recorder was still on standby.
        let running = journal.running
        let beginning = startingRecording.withLock { $0 }
        let status = ask()
        let activity = RecorderActivity(status, isAlive: recorder.isAlive)
        guard let entry = running else {
            if beginning == nil,
                let (entry, start) = Reconciliation.untracked(in: journal.all, activity)
            {
                adopt(start, entry)
            }
            return status
        }
        stopAtCommonEnd(entry)
        let place = entry.folder.flatMap { sessionFolder($0) }
        let folder = place.map { FolderState(of: $0) } ?? .noRecording
        switch Reconciliation(
            entry, in: journal.all, activity, isBeginning: beginning == entry.recording, folder: folder)
        {
        case .unchanged: break
        case .adopt(let start): adopt(start, entry)
        case .drop:
            let isChanged = journal.update(entry.recording, if: entry) { entry in
                (entry.outcome, entry.exit) = ("unfinished", 1)
                entry.failure = "`multicam node` exited before the recording started."
            }
            if isChanged {
                ConsoleOutput.writeMessage(
                    "\(entry.recording) did not start on this node. The recorder is available again.")
            }
        case .end:
            let ending = place.flatMap { Self.ending(of: $0) }
            let outcome = ending?.outcome ?? "unfinished"
            let word = outcome == "recording" ? "unfinished" : outcome
            let verdict = word == "unfinished" ? nil : ending?.verdict
            let isChanged = journal.update(entry.recording) { entry in
                guard entry.isRunning else { return }
                entry.outcome = word
                entry.verdict = verdict
                entry.exit = word == "unfinished" ? 1 : ending?.exit
            }
            if isChanged {
                ConsoleOutput.writeMessage(
                    "the recording \(entry.recording) ended. Outcome: \(word). \(verdict ?? "")")
            }
        }
        return status
    }

    /// Opens the session folder with the given name; `nil` if the folder doesn't exist, or if the name
    /// belongs to something other than a folder.
    private func sessionFolder(_ name: String) -> ContainedFolder? {
        do throws(FileError) {
            return try ContainedFolder(opening: output).folder(name)
        } catch {
            return nil
        }
    }

    private func adopt(_ start: RecordingStart, _ entry: NodeRecording) {
        guard journal.update(entry.recording, if: entry, { apply(start, to: &$0) }) else { return }
        ConsoleOutput.writeMessage("recording \(entry.recording) to \(start.folder.printable(limit: 400)).")
    }

    /// Stops a recording that started late at the time when the other nodes stop.
    private func stopAtCommonEnd(_ entry: NodeRecording) {
        guard let duration = entry.duration_ns, let first = entry.first_ns, first > 0 else { return }
        let end = Nanoseconds(entry.t0_utc_ns) + Nanoseconds(duration)
        // `stop` waits for the exact time, so that all nodes stop at the same tick.
        guard Nanoseconds(clock.now) + .seconds(1) > end else { return }
        do throws(GroupError) {
            _ = try stop(entry.recording, at: end.count)
        } catch {
            // The recording has already ended.
        }
    }

    /// Reads the outcome of a recording from the session folder's manifest; `nil` if the manifest can't be read.
    private static func ending(of folder: ContainedFolder) -> (
        outcome: String, verdict: String, exit: Int32
    )? {
        do {
            let manifest = try Manifest(reading: folder.file(Manifest.fileName))
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
