internal import CLinux
internal import FoundationEssentials
internal import Glibc
public import Media
internal import System

/// Receives commands for this process's session on a Unix socket that accepts only clients of the same user.
///
/// A request is a line of JSON with the words of a command (`CommandRequest`), such as `{"words": ["layout", "grid"]}`. The reply
/// is also a line of JSON (`ControlReply`), after which the connection is closed. Two threads serve all clients, and
/// clients don't wait for each other. The `control` thread reads requests, sends replies, and runs non-blocking
/// commands. The `control:work` thread runs blocking commands one after the other.
public final class ControlServer: Sendable {
    /// Sends the reply to a request. Call this exactly once, from any thread.
    public typealias Answer = @Sendable (ControlReply) -> Void

    /// The execution of a valid command.
    public struct Work: Sendable {
        let blocks: Bool
        let isImmediate: Bool
        /// Executes the command. `arrival` is the time when the complete request was received, on `CLOCK_MONOTONIC`.
        public let perform: @Sendable (_ arrival: ClockTime, _ answer: @escaping Answer) -> Void

        /// Creates the execution of a command.
        ///
        /// - Parameters:
        ///   - blocks: Whether `perform` may block its thread. Otherwise it must not block, because no other client is
        ///     served in the meantime.
        ///   - isImmediate: Whether `perform` replies before it returns. The command is then executed even if many
        ///     others are in progress.
        ///   - perform: Executes the command. `answer` must be called within one minute.
        public init(
            blocks: Bool = false, isImmediate: Bool = false,
            perform: @escaping @Sendable (_ arrival: ClockTime, _ answer: @escaping Answer) -> Void
        ) {
            self.blocks = blocks
            self.isImmediate = isImmediate
            self.perform = perform
        }
    }

    /// Parses a request. Throws `ControlError.usage` for an invalid request, with a sentence for the client. Called on
    /// the `control` thread, so it must not block.
    public typealias Handler = @Sendable (CommandRequest) throws(ControlError) -> Work

    private let folder: ControlFolder
    private let mailbox: ControlMailbox
    private let blocking: BoundedQueue<@Sendable () -> Void>
    private let worker: MediaThread
    private let loop: MediaThread

    /// Starts listening.
    ///
    /// - Parameter handler: Parses each request.
    /// - Throws: `ControlError.system` if the socket or its folder can't be created.
    public convenience init(handler: @escaping Handler) throws(ControlError) {
        try self.init(
            in: ControlFolder(environment: ProcessInfo.processInfo.environment), handler: handler)
    }

    init(
        in folder: ControlFolder, limits: ControlLoop.Limits = ControlLoop.Limits(),
        accept: @escaping @Sendable (LocalSocket) -> LocalSocket.Acceptance = { $0.accept() },
        handler: @escaping Handler
    ) throws(ControlError) {
        try folder.make()
        // An earlier process with the same process ID may have left files.
        folder.forget(getpid())
        let listener = try LocalSocket()
        try listener.listen(at: folder.socketPath(of: getpid()))
        let mailbox = try ControlMailbox()
        let blocking = BoundedQueue<@Sendable () -> Void>(capacity: limits.commands)
        self.folder = folder
        self.mailbox = mailbox
        self.blocking = blocking
        do throws(ThreadError) {
            worker = try MediaThread(name: "control:work") {
                while let command = blocking.next() { command() }
            }
            loop = try MediaThread(name: "control") {
                ControlLoop(
                    listener, accept: accept, mailbox: mailbox, limits: limits, blocking: blocking,
                    handler: handler
                ).run()
            }
        } catch {
            blocking.finish()
            folder.forget(getpid())
            throw .system("the control socket cannot receive commands: \(error)")
        }
    }

    /// Stores the path of the session folder next to the socket, so that `multicam ctl` can name the folder to recover
    /// after a crash.
    ///
    /// - Parameter sessionFolder: The session folder. `nil` after the recording is finished.
    /// - Throws: `ControlError.system` if the path can't be stored. The recording isn't affected.
    public func note(recordingIn sessionFolder: String?) throws(ControlError) {
        try folder.note(recordingIn: sessionFolder, by: getpid())
    }

    /// Stops listening, and waits until commands in progress have finished.
    public func stop() {
        folder.forget(getpid())
        blocking.finish()
        worker.join()
        mailbox.close()
        loop.join()
    }
}

/// The event loop of the control thread: accepts connections, reads requests, and sends replies. The loop never waits
/// for a client or a command.
final class ControlLoop {
    /// Timeouts and connection limits, which tests override.
    struct Limits: Sendable {
        /// Maximum time from connecting to the complete request, and from the reply until the client has received it.
        var patience = Nanoseconds.seconds(5)
        /// Maximum time from the request to the reply.
        var work = Nanoseconds.seconds(60)
        /// Pause after the system has run out of resources for a connection.
        var pause = Nanoseconds.milliseconds(100)
        var connections = 64
        /// Maximum number of commands in progress or waiting.
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
    /// The connections, oldest first.
    private var connections: [ControlConnection] = []
    private var lastNumber = 0
    /// A spare file descriptor that is closed to accept a client when no other descriptor is available. With this
    /// descriptor, a recorder at its descriptor limit can still be queried and stopped.
    private var reserve: LocalSocket?
    /// No connections are accepted before this time.
    private var acceptsFrom = ClockTime(nanoseconds: 0)
    private var isClosed = false

    /// Creates the event loop.
    ///
    /// - Parameters:
    ///   - listener: The socket, already listening.
    ///   - accept: Accepts the next connection of the listener.
    ///   - mailbox: Delivers the replies.
    ///   - limits: The limits of clients and commands.
    ///   - blocking: Receives blocking commands and runs them one after the other.
    ///   - handler: Parses a request.
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
        keepReserve()
    }

    /// Serves clients until the mailbox is closed and all pending replies are sent.
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
            keepReserve()
        }
    }

    private func keepReserve() {
        guard reserve == nil else { return }
        let copy = fcntl(listener.descriptor, F_DUPFD_CLOEXEC, 0)
        if copy >= 0 { reserve = LocalSocket(owning: copy) }
    }

    // MARK: Deadlines

    private var acceptsNow: Bool { !isClosed && clock.now >= acceptsFrom }

    /// Sleeps until there is work to do.
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

    /// Time until the next deadline in milliseconds, for poll(2). -1 if there is no deadline.
    private var milliseconds: Int32 {
        var deadlines = connections.map(\.deadline)
        if !isClosed, clock.now < acceptsFrom { deadlines.append(acceptsFrom) }
        guard let first = deadlines.min() else { return -1 }
        // Round up, because waking too early would only cause another iteration.
        return Int32(clamping: max(((first - clock.now).count + 999_999) / 1_000_000, 0))
    }

    // MARK: Clients

    private func acceptClients() {
        guard acceptsNow else { return }
        for _ in 0..<limits.connections {
            switch accept(listener) {
            case .connected(let socket): admit(socket)
            case .nobody: return
            case .refused(let errno) where [EMFILE, ENFILE].contains(errno) && reserve != nil:
                reserve = nil
            case .refused:
                acceptsFrom = clock.now + limits.pause
                return
            }
        }
    }

    /// Accepts a client. If the limit is exceeded, the oldest client without a complete request is dropped, or else the
    /// oldest one that hasn't received its reply.
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
                refuse(
                    connection,
                    "the request was incomplete after \(seconds) s. Send the whole request within \(seconds) s of connecting."
                )
            case .working, .answering: connection.end()
            case .over: break
            }
        }
    }

    /// Stops accepting requests, and drops clients without a complete request.
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
            start(try handler(try CommandRequest(line: line)), of: connection, at: arrival)
        } catch {
            refuse(connection, error.description)
        }
    }

    private func start(_ work: ControlServer.Work, of connection: ControlConnection, at arrival: ClockTime) {
        let busy = connections.count { $0.phase == .working }
        guard work.isImmediate || busy < limits.commands else {
            return refuse(
                connection, "\(busy) requests are already in progress. Try again when they have finished.",
                isUsage: false)
        }
        connection.beginWork(until: clock.now + limits.work)
        let (mailbox, number) = (mailbox, connection.number)
        let answer: ControlServer.Answer = { mailbox.put($0, for: number) }
        guard work.blocks else { return work.perform(arrival, answer) }
        guard blocking.offer({ work.perform(arrival, answer) }) else {
            return refuse(connection, "the session has ended.", isUsage: false)
        }
    }

    // MARK: Replies

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

/// One client of the control socket. Receives the request, then sends the reply.
///
/// Never blocks. Used only on the control thread.
final class ControlConnection {
    enum Phase {
        /// The request is incomplete.
        case asking
        /// The command is being executed.
        case working
        /// The reply isn't completely sent.
        case answering
        /// The connection can be closed.
        case over
    }

    /// The request received so far.
    enum Request {
        case incomplete
        /// The request without its line feed.
        case whole(Data)
        case tooLong
    }

    let number: Int
    let socket: LocalSocket
    private(set) var phase = Phase.asking
    /// Deadline of the current phase.
    private(set) var deadline: ClockTime
    private var request = Data()
    private var answer = Data()

    init(number: Int, socket: LocalSocket, deadline: ClockTime) {
        self.number = number
        self.socket = socket
        self.deadline = deadline
    }

    /// The poll(2) events to wait for in the current phase. 0 means none.
    var events: Int16 {
        switch phase {
        case .asking: Int16(POLLIN)
        case .answering: Int16(POLLOUT)
        case .working, .over: 0
        }
    }

    /// Receives the data that the client has sent since the last call. If the client has disconnected, the connection
    /// ends.
    func read() -> Request {
        while true {
            switch socket.receive() {
            case .bytes(let bytes):
                if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                    request += bytes[..<end]
                    return request.count > LocalSocket.longestRequest ? .tooLong : .whole(request)
                }
                request += bytes
                if request.count > LocalSocket.longestRequest { return .tooLong }
            case .nothingYet: return .incomplete
            case .end:
                phase = .over
                return .incomplete
            }
        }
    }

    /// Marks the command as being executed, with a deadline.
    func beginWork(until deadline: ClockTime) {
        request = Data()
        phase = .working
        self.deadline = deadline
    }

    /// Starts sending the reply. The client must receive it before the deadline.
    func give(_ line: Data, until deadline: ClockTime) {
        request = Data()
        answer = line
        answer.append(UInt8(ascii: "\n"))
        phase = .answering
        self.deadline = deadline
        write()
    }

    /// Sends the part of the reply that fits into the socket buffer.
    func write() {
        guard phase == .answering else { return }
        guard let count = socket.send(answer) else {
            phase = .over
            return
        }
        answer = answer.dropFirst(count)
        if answer.isEmpty { phase = .over }
    }

    func end() { phase = .over }
}

/// Passes replies to the control thread and wakes it. All methods are thread-safe.
final class ControlMailbox: Sendable {
    struct Content: Sendable {
        /// The replies, each with the number of its connection.
        var answers: [(connection: Int, reply: ControlReply)] = []
        var isClosed = false
    }

    private let content = ConditionLock(Content())
    private let wakeUp: WakeUp

    /// Creates an empty mailbox.
    ///
    /// - Throws: `ControlError.system` if no file descriptor is available.
    init() throws(ControlError) {
        do throws(DeviceError) {
            wakeUp = try WakeUp(for: "the control socket")
        } catch {
            throw .system(error.description)
        }
    }

    /// A file descriptor that is readable while the mailbox isn't empty.
    var descriptor: Int32 { wakeUp.number }

    func put(_ reply: ControlReply, for connection: Int) {
        content.withLock { $0.answers.append((connection, reply)) }
        wakeUp.wake()
    }

    /// Makes the control thread stop accepting requests.
    func close() {
        content.withLock { $0.isClosed = true }
        wakeUp.wake()
    }

    /// Removes and returns the replies received since the last call.
    func take() -> Content {
        wakeUp.forget()
        return content.withLock { content in
            defer { content.answers.removeAll() }
            return content
        }
    }
}
