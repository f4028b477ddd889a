internal import FoundationEssentials
internal import Glibc
internal import MulticamControl
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// `multicam node`: makes this computer available to its group. The node reconnects automatically, and its recordings
/// don't depend on the connection.
final class Node: Sendable {
    private let folder: GroupFolder
    private let settings: GroupSettings
    private let commandHandler: NodeCommandHandler
    private let clockFeed: ClockFeed
    private let stateMonitor: NodeStateMonitor
    private let page: String?
    private let subjects: GroupSubjects
    private let stop = StopSignals()
    private let status = ConditionLock<ControlStatus?>(nil)
    /// Revision of the last value in the broker's store that this node ignored.
    private let ignored = ConditionLock<UInt64?>(nil)

    private static let interval = Nanoseconds.seconds(1)
    private static let lockName = "node.lock"

    /// Prepares the node, and finds or starts its recorder.
    ///
    /// - Parameters:
    ///   - folder: The group's folder.
    ///   - program: Path of `multicam`.
    ///   - profile: The node's default profile.
    ///   - arguments: Additional arguments for `record`.
    ///   - output: Absolute path of the recordings folder; `nil` for the folder that was set when the node joined.
    ///   - page: Address of the node's control room; `nil` if the node doesn't have a control room.
    /// - Throws: `GroupError` if this computer hasn't joined the group.
    init(
        _ folder: GroupFolder, program: String, profile: String, arguments: [String], output: String?,
        page: String?
    ) throws(GroupError) {
        let settings = try folder.settings()
        guard let node = settings.node, let place = output ?? settings.output else {
            throw GroupError(
                "this computer is not a node of the group \(folder.group). Run `multicam group invite` on the computer that created the group, then `multicam node join CODE` here."
            )
        }
        (self.folder, self.settings) = (folder, settings)
        subjects = GroupSubjects(group: folder.group)
        let recorder = RecorderSupervisor(
            RecorderProcesses(folder: folder, program: program, arguments: arguments + ["--output", place]),
            profile: profile)
        let journal = try NodeJournal(in: folder)
        let log = ClockRecorder(journal, output: place)
        let teller = ClockFeed(recorder)
        let clock = GroupClock(GroupTime.socket(in: folder)) { reading, now in
            log.record(reading, at: now)
            teller.enqueue(reading, at: now)
        }
        self.clockFeed = teller
        self.page = page
        stateMonitor = NodeStateMonitor(folder)
        commandHandler = NodeCommandHandler(node, recorder, journal, clock, output: place)
    }

    /// Runs the node. Blocks until a stop signal arrives. The signal also stops the recorder, which finalizes
    /// its recording.
    ///
    /// - Throws: `GroupError` if the recorder doesn't reach standby.
    func run() throws(GroupError) {
        let lock = try folder.lock(
            Self.lockName,
            orThrow:
                "another `multicam node` is already running for the group \(folder.group). Stop it first."
        )
        defer { withExtendedLifetime(lock) {} }
        exitWithParent()
        var measurement: SupervisedProgram?
        do throws(GroupError) {
            measurement = try GroupTime.measure(
                folder, of: settings.address, port: settings.timePort,
                messageHandler: ConsoleOutput.writeMessage)
        } catch {
            ConsoleOutput.writeMessage("the clock offset from the other computers is unknown: \(error)")
        }
        defer { measurement?.end() }
        let first = try commandHandler.recorder.standBy(with: nil)
        ConsoleOutput.writeMessage(
            "\(commandHandler.node) is available to the group \(folder.group) with the profile \(first.profile). Press Ctrl-C to stop."
        )
        MediaThread.startWhenPossible(name: "node:tend") { [self] in
            let clock = MonotonicClock()
            while !stop.isRequested {
                let now = commandHandler.reconcile { commandHandler.recorder.status }
                status.withLock { $0 = now }
                stop.sleep(until: clock.now + .milliseconds(500))
            }
        }
        var lastError = ""
        while !stop.isRequested {
            do throws(GroupError) {
                let connection = try BrokerConnection(folder, as: try folder.identity())
                ConsoleOutput.writeMessage("connected to \(settings.broker).")
                lastError = ""
                try serve(over: connection)
            } catch {
                // Report an error only if it differs from the previous one.
                if error.description != lastError {
                    ConsoleOutput.writeMessage("\(error) Retrying. Any running recording continues.")
                }
                lastError = error.description
                stop.sleep(until: MonotonicClock().now + Self.interval)
            }
        }
        commandHandler.clock.end()
        clockFeed.end()
        stateMonitor.end()
        try commandHandler.recorder.quit()
        _ = commandHandler.reconcile { commandHandler.recorder.status }
    }

    /// Ends this process immediately if its parent, `multicam node`, has died, because the next `multicam
    /// node` starts another one. The recorder continues to run.
    private func exitWithParent() {
        let parent = getppid()
        MediaThread.startWhenPossible(name: "node:parent") {
            let clock = MonotonicClock()
            while getppid() == parent {
                clock.sleep(until: clock.now + .milliseconds(200), unless: Cancellation())
            }
            kill(getpid(), SIGKILL)
        }
    }

    /// Executes commands and sends states and events over a connection, until the connection is closed or the
    /// node exits.
    private func serve(over connection: BrokerConnection) throws(GroupError) {
        let own = try connection.subscribe(to: subjects.command(to: commandHandler.node))
        let stream = try JetStream(of: connection, group: folder.group)
        let board = RecordingStore(
            stream: stream, group: folder.group, now: { [commandHandler] in commandHandler.clock.now })
        let over = Cancellation()
        defer { over.cancel() }
        stateMonitor.receiveStates(over: connection, until: over)
        MediaThread.startWhenPossible(name: "node:events") { [self] in sendEvents(to: stream, until: over) }
        MediaThread.startWhenPossible(name: "node:state") { [self] in
            let clock = MonotonicClock()
            var next = clock.now
            repeat {
                connection.publish(JSONText.line(state()), on: subjects.state(of: commandHandler.node))
                if connection.isConnected { synchronize(with: board) }
                next = max(next + Self.interval, clock.now)
            } while clock.sleep(until: next, unless: over)
        }
        while !stop.isRequested { try handleCommand(from: own, over: connection) }
    }

    private func handleCommand(from subscription: BrokerSubscription, over connection: BrokerConnection)
        throws(GroupError)
    {
        guard let message = try subscription.next(timeout: 200) else { return }
        // Ignore commands without an inbox as their reply subject. Coordinators always set a reply subject,
        // but stored messages that the broker delivers again don't have one.
        guard let reply = message.reply, GroupSubjects.isInbox(reply) else { return }
        commandHandler.handle(message.bytes) { answer in connection.publish(JSONText.line(answer), on: reply)
        }
    }

    private func sendEvents(to stream: JetStream, until over: Cancellation) {
        let clock = MonotonicClock()
        while !over.isCancelled {
            do throws(GroupError) {
                var feed = try EventFeed(
                    stream, commandHandler.journal, node: commandHandler.node, output: commandHandler.output)
                while !over.isCancelled {
                    if try !feed.sendNext() {
                        clock.sleep(until: clock.now + .milliseconds(200), unless: over)
                    }
                }
            } catch {
                // The broker is unreachable or has lost its data. The next feed continues after the last
                // event in the broker's stream.
                clock.sleep(until: clock.now + .milliseconds(500), unless: over)
            }
        }
    }

    /// Starts or stops a recording if this node missed the command while it was disconnected.
    private func synchronize(with board: RecordingStore) {
        do throws(GroupError) {
            let stored = try board.stored()
            if case .implausible(let reason, let revision) = stored,
                ignored.withLock({ last in
                    defer { last = revision }
                    return last != revision
                })
            {
                ConsoleOutput.writeMessage(
                    "the recording stored on the broker is invalid and will be ignored: \(reason).")
            }
            let decision = RecordingAction(
                stored.recording, node: commandHandler.node, running: commandHandler.journal.running,
                at: commandHandler.clock.now)
            guard let recording = stored.recording else { return }
            switch decision {
            case .nothing: break
            case .begin:
                try commandHandler.begin(
                    recording.name, at: recording.t0_utc_ns, for: recording.duration_ns, term: recording.term)
            case .stop(let end): _ = try commandHandler.stop(recording.name, at: end)
            }
        } catch {
            // Errors of a recording are also reported to the coordinator, in the responses to its commands.
        }
    }

    private func state() -> NodeState {
        let status = status.withLock { $0 }
        let running = commandHandler.journal.running
        let lost = status.map { status in
            status.cameras.reduce(Int64(0)) { $0 + Int64($1.lost) }
        }
        return NodeState(
            node: commandHandler.node, at_utc_ns: commandHandler.clock.now,
            state: status?.state.rawValue ?? "away",
            profile: status?.profile, recording: running?.recording,
            time_ns: running?.folder == nil ? nil : status?.time_ns, lost_frames: running == nil ? nil : lost,
            disk_seconds: status?.disk?.seconds_left, cost: status?.cost?.hardware,
            pressure: status?.pressure,
            clock: commandHandler.clock.reading, page: page)
    }
}
