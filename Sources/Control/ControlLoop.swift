internal import FoundationEssentials
internal import Glibc
internal import Media

/// The loop of the control thread: accepts connections, reads requests and sends answers. It waits for no client and no command.
final class ControlLoop {
    /// Time and count limits, which tests change.
    struct Limits: Sendable {
        /// The longest time from connecting to the whole request, and from the answer until it is taken.
        var patience = Nanoseconds.seconds(5)
        /// The longest time from the request to the answer.
        var work = Nanoseconds.seconds(60)
        /// The pause after the system had no room for a connection.
        var pause = Nanoseconds.milliseconds(100)
        var connections = 64
        /// The greatest number of commands in progress or waiting.
        var commands = 32
    }

    private let listener: LocalSocket
    private let accept: @Sendable (LocalSocket) -> LocalSocket.Acceptance
    private let mailbox: ControlMailbox
    private let limits: Limits
    private let handler: ControlServer.Handler
    /// Commands that block their thread.
    private let blocking: BoundedQueue<@Sendable () -> Void>
    private let clock = MonotonicClock()
    /// The connections, the oldest first.
    private var connections: [ControlConnection] = []
    private var lastNumber = 0
    /// No connection is accepted before this time.
    private var acceptsFrom = ClockTime(nanoseconds: 0)
    private var isClosed = false

    /// Prepares the loop.
    ///
    /// - Parameters:
    ///   - listener: The socket, which listens already.
    ///   - accept: Accepts the next connection of the listener.
    ///   - mailbox: Delivers the answers.
    ///   - limits: The limits of clients and commands.
    ///   - blocking: Receives the commands that block their thread, and runs them one after the other.
    ///   - handler: Carries out a command.
    init(
        _ listener: LocalSocket, accept: @escaping @Sendable (LocalSocket) -> LocalSocket.Acceptance,
        mailbox: ControlMailbox, limits: Limits, blocking: BoundedQueue<@Sendable () -> Void>,
        handler: @escaping ControlServer.Handler
    ) {
        self.listener = listener
        self.accept = accept
        self.mailbox = mailbox
        self.limits = limits
        self.blocking = blocking
        self.handler = handler
    }

    /// Serves until the mailbox is closed and the pending answers are sent.
    func run() {
        while !isClosed || !connections.isEmpty {
            let ready = sleep()
            let mail = mailbox.take()
            for (number, reply) in mail.answers { give(reply, to: number) }
            if mail.isClosed, !isClosed { close() }
            for connection in ready {
                switch connection.phase {
                case .asking: read(connection)
                case .answering: connection.write()
                case .working, .over: break
                }
            }
            acceptClients()
            endLate()
            connections.removeAll { $0.phase == .over }
        }
    }

    // MARK: Sleeping

    private var acceptsNow: Bool { !isClosed && clock.now >= acceptsFrom }

    /// Sleeps until there is something to do.
    ///
    /// - Returns: The connections that are ready.
    private func sleep() -> [ControlConnection] {
        let waiting = connections.filter { $0.events != 0 }
        var polls = waiting.map { pollfd(fd: $0.socket.descriptor, events: $0.events, revents: 0) }
        polls.append(pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0))
        if acceptsNow { polls.append(pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)) }
        guard poll(&polls, nfds_t(polls.count), milliseconds) > 0 else { return [] }
        return zip(waiting, polls).filter { $1.revents != 0 }.map(\.0)
    }

    /// Time until the next deadline in milliseconds, for poll(2); -1 when there is none.
    private var milliseconds: Int32 {
        var deadlines = connections.map(\.deadline)
        if !isClosed, clock.now < acceptsFrom { deadlines.append(acceptsFrom) }
        guard let first = deadlines.min() else { return -1 }
        // Rounded up, because waking too early would only cost another round.
        return Int32(clamping: max(((first - clock.now).count + 999_999) / 1_000_000, 0))
    }

    // MARK: Clients

    private func acceptClients() {
        guard acceptsNow else { return }
        for _ in 0..<limits.connections {
            switch accept(listener) {
            case .connected(let socket): admit(socket)
            case .nobody: return
            case .refused:
                acceptsFrom = clock.now + limits.pause
                return
            }
        }
    }

    /// Admits a client. Beyond the limit the oldest one is dropped that has not asked, or else that has not taken its answer.
    private func admit(_ socket: LocalSocket) {
        connections.removeAll { $0.phase == .over }
        if connections.count >= limits.connections {
            let idle = connections.firstIndex { $0.phase == .asking }
            guard let index = idle ?? connections.firstIndex(where: { $0.phase == .answering }) else {
                return
            }
            connections.remove(at: index)
        }
        lastNumber += 1
        let connection = ControlConnection(
            number: lastNumber, socket: socket, deadline: clock.now + limits.patience)
        connections.append(connection)
        guard socket.peerUser == geteuid() else {
            return refuse(connection, "this session belongs to another user.", isUsage: false)
        }
        read(connection)
    }

    private func endLate() {
        let now = clock.now
        for connection in connections where connection.deadline <= now {
            switch connection.phase {
            case .asking:
                let seconds = limits.patience.inSeconds.shortest
                refuse(connection, "the request did not come whole within \(seconds) s of connecting.")
            case .working, .answering: connection.end()
            case .over: break
            }
        }
    }

    /// Stops accepting requests, and drops clients that have not asked.
    private func close() {
        isClosed = true
        for connection in connections {
            switch connection.phase {
            case .asking: connection.end()
            case .working: refuse(connection, "the session has ended.", isUsage: false)
            case .answering, .over: break
            }
        }
    }

    // MARK: Requests

    private func read(_ connection: ControlConnection) {
        switch connection.read() {
        case .incomplete: break
        case .tooLong:
            refuse(connection, "the request is longer than \(LocalSocket.longestRequest) bytes.")
        case .whole(let line): follow(line, of: connection, at: clock.now)
        }
    }

    private func follow(_ line: Data, of connection: ControlConnection, at arrival: ClockTime) {
        do throws(ControlError) {
            work(on: try CommandRequest(line: line).command, of: connection, at: arrival)
        } catch {
            refuse(connection, error.description)
        }
    }

    private func work(on command: ControlCommand, of connection: ControlConnection, at arrival: ClockTime) {
        let busy = connections.count { $0.phase == .working }
        guard command.isAnsweredAtOnce || busy < limits.commands else {
            return refuse(
                connection, "\(busy) requests are being worked on already: ask again when they are done.",
                isUsage: false)
        }
        connection.beginWork(until: clock.now + limits.work)
        let (handler, mailbox, number) = (handler, mailbox, connection.number)
        let answer: ControlServer.Answer = { mailbox.put($0, for: number) }
        guard command.blocks else { return handler(command, arrival, answer) }
        guard blocking.offer({ handler(command, arrival, answer) }) else {
            return refuse(connection, "the session has ended.", isUsage: false)
        }
    }

    // MARK: Answers

    private func refuse(_ connection: ControlConnection, _ sentence: String, isUsage: Bool = true) {
        send(ControlReply(ok: false, text: sentence, usage: isUsage), to: connection)
    }

    private func give(_ reply: ControlReply, to number: Int) {
        guard let connection = connections.first(where: { $0.number == number && $0.phase == .working })
        else { return }
        send(reply, to: connection)
    }

    private func send(_ reply: ControlReply, to connection: ControlConnection) {
        connection.give(reply.line, until: clock.now + limits.patience)
    }
}
