internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder

/// Serves a group: runs the broker, the pairing service, and the time source until a stop signal arrives.
struct GroupServer {
    let folder: GroupFolder
    /// Address of an external broker; `nil` starts the group's own broker.
    let server: String?

    /// Serves the group. Blocks until a stop signal arrives.
    ///
    /// - Throws: `GroupError` if a required program or file is missing.
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
        var broker: SupervisedProgram?
        if server == nil {
            try folder.make("store")
            broker = try SupervisedProgram(
                "nats-server", ["-c", folder.file("broker.conf")], pidFile: folder.file("broker.pid"),
                package: "nats-server", messageHandler: ConsoleOutput.writeMessage)
        }
        defer { broker?.end() }
        var clock: SupervisedProgram?
        do throws(GroupError) {
            clock = try GroupTime.serve(
                folder, port: settings.timePort, messageHandler: ConsoleOutput.writeMessage)
        } catch {
            ConsoleOutput.writeMessage(
                "time synchronization is not running, so the clock differences between the nodes are unknown: \(error)"
            )
        }
        defer { clock?.end() }
        let (kept, folder) = (broker, folder)
        let watch = MemberMonitor(folder) {
            do throws(GroupError) {
                try BrokerConfiguration(folder: folder, settings: present, members: try folder.members())
                    .write()
                // nats-server 2.9 accepts new accounts when its configuration is reloaded, but requests that
                // these accounts import get no response until the server is restarted. Restarting is
                // acceptable, because nodes reconnect within a second and their recordings don't depend on
                // the broker.
                kept?.restart()
            } catch {
                ConsoleOutput.writeMessage("\(error)")
            }
        }
        defer { watch.end() }
        let pairing = try PairingServer(
            folder, joined: { ConsoleOutput.writeMessage("\($0.name) joined from \($0.address).") },
            messageHandler: ConsoleOutput.writeMessage)
        defer { withExtendedLifetime(pairing) {} }
        let connection = try connect(as: identity, unless: stop)
        if let connection {
            let stream = try JetStream(of: connection, group: folder.group)
            try stream.createStreams()
            ConsoleOutput.writeData("\(present.broker)")
            ConsoleOutput.writeMessage(
                "serving the group \(folder.group). Press Ctrl-C to stop serving. Running recordings will continue."
            )
            let board = NodeStateMonitor(folder)
            defer { board.end() }
            board.receiveStates(over: connection, until: Cancellation())
            maintain(stream, until: stop)
        }
    }

    /// Recreates the stream and the store if the broker has lost its data. This method runs until a stop
    /// signal arrives.
    private func maintain(_ stream: JetStream, until stop: StopSignals) {
        while !stop.isRequested {
            stop.sleep(until: MonotonicClock().now + .seconds(1))
            do throws(GroupError) {
                try stream.createStreams()
            } catch {
                // The broker is currently restarting.
            }
        }
    }

    /// Connects to the broker, which may still be starting.
    private func connect(
        as identity: (name: String, certificate: String, key: String), unless stop: StopSignals
    ) throws(GroupError) -> BrokerConnection? {
        let clock = MonotonicClock()
        let deadline = clock.now + .seconds(20)
        while !stop.isRequested {
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

/// Detects changes to the member list within half a second, even if another process made the changes.
final class MemberMonitor: Sendable {
    private let ending = Cancellation()

    init(_ folder: GroupFolder, changed: @escaping @Sendable () -> Void) {
        let path = folder.file(GroupFolder.membersName)
        let first = Self.stamp(path)
        MediaThread.startWhenPossible(name: "members") { [ending] in
            let clock = MonotonicClock()
            var last = first
            while clock.sleep(until: clock.now + .milliseconds(500), unless: ending) {
                let now = Self.stamp(path)
                if now != last { changed() }
                last = now
            }
        }
    }

    func end() { ending.cancel() }

    /// Returns file attributes that change when the file is replaced.
    private static func stamp(_ path: String) -> [Int] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        return [Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, Int(status.st_size)]
    }
}
