internal import Control
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Processes
internal import SessionFolder

/// `multicam node`: offers this computer to its group. It connects again for as long as it runs; what it records does not depend on that.
final class Node: Sendable {
    private let folder: GroupFolder
    private let settings: GroupSettings
    private let desk: NodeDesk
    private let teller: ClockTeller
    private let board: StateBoard
    private let page: String?
    private let subjects: GroupSubjects
    private let stop = StopSignals()
    private let status = ConditionLock<ControlStatus?>(nil)

    private static let interval = Nanoseconds.seconds(1)

    /// Prepares the node: finds or starts its recorder.
    ///
    /// - Parameters:
    ///   - folder: The group's folder.
    ///   - program: Path of `multicam`.
    ///   - profile: The node's own profile.
    ///   - arguments: What else `record` is told.
    ///   - output: Where it records, as an absolute path; `nil` for where it was when it joined.
    ///   - page: The address of its own control room; `nil` for none.
    /// - Throws: `GroupError` when this computer has not joined.
    init(
        _ folder: GroupFolder, program: String, profile: String, arguments: [String], output: String?,
        page: String?
    ) throws(GroupError) {
        let settings = try folder.settings()
        guard let node = settings.node, let place = output ?? settings.output else {
            throw GroupError(
                "this computer is no node of the group \(folder.group): `multicam group invite` where it was made, then `multicam node join CODE` here."
            )
        }
        (self.folder, self.settings) = (folder, settings)
        subjects = GroupSubjects(group: folder.group)
        let recorder = RecorderDesk(
            folder, program: program, profile: profile, arguments: arguments + ["--output", place])
        let journal = try NodeJournal(in: folder)
        let log = ClockRecorder(journal, output: place)
        let teller = ClockTeller(recorder)
        let clock = GroupClock(GroupTime.socket(in: folder)) { reading, now in
            log.take(reading, at: now)
            teller.take(reading, at: now)
        }
        self.teller = teller
        self.page = page
        board = StateBoard(folder)
        desk = NodeDesk(node, recorder, journal, clock, output: place)
    }

    /// Runs until a signal comes, which also ends the recorder and its recording properly. Blocks.
    ///
    /// - Throws: `GroupError` when its recorder does not stand by.
    func run() throws(GroupError) {
        var measurement: KeptProgram?
        do throws(GroupError) {
            measurement = try GroupTime.measure(
                folder, of: settings.address, port: settings.timePort, saying: Talk.say)
        } catch {
            Talk.say("how far this computer's clock is from the others' is not known: \(error)")
        }
        defer { measurement?.end() }
        let first = try desk.recorder.standBy(with: nil)
        Talk.say(
            "\(desk.node) is offered to the group \(folder.group), with the profile \(first.profile); Ctrl-C ends that."
        )
        _ = MediaThread(name: "node:tend") { [self] in
            let clock = MonotonicClock()
            while !stop.hasCome {
                let now = desk.tend { desk.recorder.status }
                status.withLock { $0 = now }
                stop.sleep(until: clock.now + .milliseconds(500))
            }
        }
        var told = ""
        while !stop.hasCome {
            do throws(GroupError) {
                let connection = try BrokerConnection(folder, as: try folder.identity())
                Talk.say("connected to \(settings.broker).")
                told = ""
                try serve(over: connection)
            } catch {
                // The same is said once.
                if error.description != told {
                    Talk.say("\(error) It is tried again; what is recorded goes on.")
                }
                told = error.description
                stop.sleep(until: MonotonicClock().now + Self.interval)
            }
        }
        desk.clock.end()
        teller.end()
        board.end()
        try desk.recorder.quit()
        _ = desk.tend { desk.recorder.status }
    }

    /// Obeys, tells and sends over a connection, until it is closed or the node ends.
    private func serve(over connection: BrokerConnection) throws(GroupError) {
        let own = try connection.subscribe(to: subjects.command(to: desk.node))
        let stream = try JetStream(of: connection, group: folder.group)
        let over = Cancellation()
        defer { over.cancel() }
        hear(commandsToAllOver: connection, until: over)
        board.listen(over: connection, until: over)
        _ = MediaThread(name: "node:events") { [self] in send(to: stream, until: over) }
        _ = MediaThread(name: "node:state") { [self] in
            let clock = MonotonicClock()
            var next = clock.now
            repeat {
                connection.tell(JSONText.line(state()), on: subjects.state(of: desk.node))
                if connection.isConnected { follow(stream) }
                next = max(next + Self.interval, clock.now)
            } while clock.sleep(until: next, unless: over)
        }
        while !stop.hasCome { try obey(own, over: connection) }
    }

    private func hear(commandsToAllOver connection: BrokerConnection, until over: Cancellation) {
        _ = MediaThread(name: "node:all") { [self] in
            do throws(GroupError) {
                let all = try connection.subscribe(to: subjects.commandToAll)
                while !over.isCancelled { try obey(all, over: connection) }
            } catch {
                // The connection is closed, which its own thread tells.
            }
        }
    }

    private func obey(_ subscription: BrokerSubscription, over connection: BrokerConnection)
        throws(GroupError)
    {
        guard let message = try subscription.next(patience: 200) else { return }
        let reply = message.reply
        desk.take(message.bytes) { answer in
            if let reply { connection.tell(JSONText.line(answer), on: reply) }
        }
    }

    private func send(to stream: JetStream, until over: Cancellation) {
        let clock = MonotonicClock()
        while !over.isCancelled {
            do throws(GroupError) {
                var feed = try EventFeed(stream, desk.journal, node: desk.node, output: desk.output)
                while !over.isCancelled {
                    if try !feed.step() { clock.sleep(until: clock.now + .milliseconds(200), unless: over) }
                }
            } catch {
                // The broker is away, or has lost what it had: what it has then tells where to go on.
                clock.sleep(until: clock.now + .milliseconds(500), unless: over)
            }
        }
    }

    /// Begins or ends what this node did not hear of while it was away.
    private func follow(_ stream: JetStream) {
        do throws(GroupError) {
            guard let value = try stream.value(of: subjects.recordingKey) else { return }
            let recording: GroupRecording
            do {
                recording = try JSONText.decoder().decode(GroupRecording.self, from: Data(value.bytes))
            } catch {
                return
            }
            guard recording.nodes.contains(desk.node), NodeJournal.isName(recording.name) else { return }
            if recording.isRunning(at: desk.clock.now) {
                try desk.begin(
                    recording.name, at: recording.t0_utc_ns, for: recording.duration_ns, term: recording.term)
            } else if let end = recording.end_utc_ns, let entry = desk.journal.running,
                entry.recording == recording.name
            {
                _ = try desk.stop(recording.name, at: end)
            }
        } catch {
            // What another conductor's recording hinders is told where that is asked for.
        }
    }

    private func state() -> NodeState {
        let status = status.withLock { $0 }
        let running = desk.journal.running
        let lost = status.map { status in
            status.cameras.reduce(Int64(0)) { $0 + Int64($1.lost) }
        }
        return NodeState(
            node: desk.node, at_utc_ns: desk.clock.now, state: status?.state.rawValue ?? "away",
            profile: status?.profile, recording: running?.recording,
            time_ns: running?.folder == nil ? nil : status?.time_ns, lost_frames: running == nil ? nil : lost,
            disk_seconds: status?.disk?.seconds_left, cost: status?.cost?.hardware,
            pressure: status?.pressure,
            clock: desk.clock.reading, page: page)
    }
}
