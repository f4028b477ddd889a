internal import FoundationEssentials
internal import Glibc
internal import Media
internal import SessionFolder

/// Serves a group: broker, pairing and time, until a signal ends it.
struct Serving {
    let folder: GroupFolder
    /// The address of another broker; `nil` starts the group's own.
    let server: String?

    /// Serves. Blocks until a signal comes.
    ///
    /// - Throws: `GroupError` when something for it is missing.
    func run() throws(GroupError) {
        var settings = try folder.settings()
        let identity = try folder.servingIdentity()
        if server != settings.server {
            settings.server = server
            try folder.encode(settings, to: GroupFolder.settingsName)
        }
        let present = settings
        try BrokerConfiguration(folder: folder, settings: settings, members: try folder.members()).write()
        try folder.make(GroupFolder.invitations)
        let stop = StopSignals()
        var broker: KeptProgram?
        if server == nil {
            try folder.make("store")
            broker = try KeptProgram(
                "nats-server", ["-c", folder.file("broker.conf")], pidFile: folder.file("broker.pid"),
                package: "nats-server", saying: Talk.say)
        }
        defer { broker?.end() }
        var clock: KeptProgram?
        do throws(GroupError) {
            clock = try GroupTime.serve(folder, port: settings.timePort, saying: Talk.say)
        } catch {
            Talk.say(
                "the group has no common time, so its nodes cannot tell how far apart their clocks are: \(error)"
            )
        }
        defer { clock?.end() }
        let (kept, folder) = (broker, folder)
        let watch = MembersWatch(folder) {
            do throws(GroupError) {
                try BrokerConfiguration(folder: folder, settings: present, members: try folder.members())
                    .write()
                kept?.reload()
            } catch {
                Talk.say("\(error)")
            }
        }
        defer { watch.end() }
        let pairing = try PairingServer(
            folder, joined: { Talk.say("\($0.name) has joined, from \($0.address).") }, saying: Talk.say)
        defer { withExtendedLifetime(pairing) {} }
        let connection = try connect(as: identity, unless: stop)
        if let connection {
            let stream = try JetStream(of: connection, group: folder.group)
            try stream.make()
            Talk.data("\(present.broker)")
            Talk.say("the group \(folder.group) is served; Ctrl-C ends that, and no recording.")
            let board = StateBoard(folder)
            defer { board.end() }
            board.listen(over: connection, until: Cancellation())
            keep(stream, until: stop)
        }
    }

    /// Makes stream and store again where the broker has lost its disk, until the end.
    private func keep(_ stream: JetStream, until stop: StopSignals) {
        while !stop.hasCome {
            stop.sleep(until: MonotonicClock().now + .seconds(1))
            do throws(GroupError) {
                try stream.make()
            } catch {
                // The broker is being started again.
            }
        }
    }

    /// Waits for the broker, which needs a moment.
    private func connect(
        as identity: (name: String, certificate: String, key: String), unless stop: StopSignals
    ) throws(GroupError) -> BrokerConnection? {
        let clock = MonotonicClock()
        let deadline = clock.now + .seconds(20)
        while !stop.hasCome {
            do throws(GroupError) {
                return try BrokerConnection(folder, as: identity)
            } catch {
                guard clock.now < deadline else { throw error }
                stop.sleep(until: clock.now + .milliseconds(200))
            }
        }
        return nil
    }
}
