internal import CMulticamLinux
internal import FoundationEssentials
internal import Glibc
package import MulticamMedia
internal import MulticamSystem

/// Receives commands for this process's session on a Unix socket that accepts only clients of the same user.
///
/// A request is one line of JSON that contains the words of a command (`CommandRequest`), such as `{"words":
/// ["layout", "grid"]}`. The reply is also one line of JSON (`ControlReply`). After the reply, the connection
/// is closed. Two threads serve all clients, so that clients don't wait for each other. The `control` thread
/// reads requests, sends replies, and runs non-blocking commands. The `control:work` thread runs blocking
/// commands one after the other.
package final class ControlServer: Sendable {
    /// A closure that sends the reply to a request. The closure must be called exactly once, from any thread.
    package typealias ReplyHandler = @Sendable (ControlReply) -> Void

    /// A valid command that is ready to be executed.
    package struct Command: Sendable {
        let blocks: Bool
        let isImmediate: Bool
        /// Executes the command. The parameter `arrival` is the time on `CLOCK_MONOTONIC` at which the
        /// complete request was received.
        package let perform: @Sendable (_ arrival: ClockTime, _ answer: @escaping ReplyHandler) -> Void

        /// Creates the work for a command.
        ///
        /// - Parameters:
        ///   - blocks: Whether `perform` may block its thread. If `false`, `perform` must not block, because
        ///     it runs on the thread that serves all clients.
        ///   - isImmediate: Whether `perform` replies before it returns. If `true`, the command is executed
        ///     even if many other commands are in progress.
        ///   - perform: Executes the command. `answer` must be called within one minute.
        package init(
            blocks: Bool = false, isImmediate: Bool = false,
            perform: @escaping @Sendable (_ arrival: ClockTime, _ answer: @escaping ReplyHandler) -> Void
        ) {
            self.blocks = blocks
            self.isImmediate = isImmediate
            self.perform = perform
        }
    }

    /// A closure that parses a request. For an invalid request, it throws `ControlError.usage` with a
    /// sentence for the client. The closure is called on the `control` thread, so it must not block.
    package typealias Handler = @Sendable (CommandRequest) throws(ControlError) -> Command

    private let folder: ControlFolder
    private let mailbox: ControlMailbox
    private let blocking: BoundedQueue<@Sendable () -> Void>
    private let worker: MediaThread
    private let loop: MediaThread

    /// Starts listening on the control socket.
    ///
    /// - Parameter handler: Closure that parses each request.
    /// - Throws: `ControlError.system` if the socket or its folder can't be created.
    package convenience init(handler: @escaping Handler) throws(ControlError) {
        try self.init(
            in: ControlFolder(environment: ProcessInfo.processInfo.environment), handler: handler)
    }

    init(
        in folder: ControlFolder, limits: ControlLoop.Limits = ControlLoop.Limits(),
        accept: @escaping @Sendable (LocalSocket) -> LocalSocket.AcceptResult = { $0.accept() },
        handler: @escaping Handler
    ) throws(ControlError) {
        try folder.make()
        // An earlier process with the same process ID may have left files in the folder.
        folder.removeFiles(of: getpid())
        let listener = try LocalSocket()
        try listener.listen(at: folder.socketPath(of: getpid()))
        let mailbox = try ControlMailbox()
        let blocking = BoundedQueue<@Sendable () -> Void>(capacity: limits.commands)
        self.folder = folder
        self.mailbox = mailbox
        self.blocking = blocking
        do throws(ThreadError) {
            worker = try MediaThread(name: "control:work") {
                while let command = blocking.dequeue() { command() }
            }
            loop = try MediaThread(name: "control") {
                ControlLoop(
                    listener, accept: accept, mailbox: mailbox, limits: limits, blocking: blocking,
                    handler: handler
                ).run()
            }
        } catch {
            blocking.finish()
            folder.removeFiles(of: getpid())
            throw .system("the control socket cannot receive commands: \(error)")
        }
    }

    /// Stores the path of the session folder next to the socket, so that `multicam ctl` can name the folder
    /// to recover after a crash.
    ///
    /// - Parameter sessionFolder: The session folder; `nil` after the recording is finished.
    /// - Throws: `ControlError.system` if the path can't be stored. A failure to store the path doesn't
    ///   affect the recording.
    package func setRecordingFolder(_ sessionFolder: String?) throws(ControlError) {
        try folder.setRecordingFolder(sessionFolder, of: getpid())
    }

    /// Stops accepting requests, and waits until all commands in progress have finished.
    package func stop() {
        folder.removeFiles(of: getpid())
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
        /// Maximum time for a client to send its complete request after connecting, and to receive the reply
        /// after the command was executed.
        var clientTimeout = Nanoseconds.seconds(5)
        /// Maximum time from the request to the reply.
        var commandTimeout = Nanoseconds.seconds(60)
        /// Pause in accepting connections after the system has run out of resources.
        var acceptPause = Nanoseconds.milliseconds(100)
        var connections = 64
        /// Maximum number of commands in progress or waiting.
        var commands = 32
    }

    private let listener: LocalSocket
    private let accept: @Sendable (LocalSocket) -> LocalSocket.AcceptResult
    private let mailbox: ControlMailbox
    private let limits: Limits
    private let handler: ControlServer.Handler
    /// Queue of blocking commands, which run on the `control:work` thread.
    private let blocking: BoundedQueue<@Sendable () -> Void>
    private let clock = MonotonicClock()
    /// The connections of clients, oldest first.
    private var connections: [ControlConnection] = []
    private var lastNumber = 0
    /// A spare file descriptor. If no other descriptor is available, this descriptor is closed to accept a
    /// client, so that a recorder that has reached its descriptor limit can still be queried and stopped.
    private var spareDescriptor: LocalSocket?
    /// Time when accepting connections resumes after a pause.
    private var acceptResumeTime = ClockTime(nanoseconds: 0)
    private var isClosed = false

    /// Creates the event loop.
    ///
    /// - Parameters:
    ///   - listener: The control socket, which must already be listening.
    ///   - accept: Accepts the next connection of the listener.
    ///   - mailbox: Mailbox that delivers the replies.
    ///   - limits: The limits of clients and commands.
    ///   - blocking: Receives blocking commands and runs them one after the other.
    ///   - handler: Closure that parses each request.
    init(
        _ listener: LocalSocket, accept: @escaping @Sendable (LocalSocket) -> LocalSocket.AcceptResult,
        mailbox: ControlMailbox, limits: Limits, blocking: BoundedQueue<@Sendable () -> Void>,
        handler: @escaping ControlServer.Handler
    ) {
        self.listener = listener
        self.accept = accept
        self.mailbox = mailbox
        self.limits = limits
        self.blocking = blocking
        self.handler = handler
        reopenSpareDescriptor()
    }

    /// Serves clients until the mailbox is closed and all pending replies are sent.
    func run() {
        while !isClosed || !connections.isEmpty {
            let ready = waitForEvents()
            let mail = mailbox.drain()
            for (number, reply) in mail.replies { deliver(reply, to: number) }
            if mail.isClosed, !isClosed { close() }
            for connection in ready {
                switch connection.phase {
                case .receiving: read(connection)
                case .replying: connection.write()
                case .executing, .finished: break
                }
            }
            acceptClients()
            endExpired()
            connections.removeAll { $0.phase == .finished }
            reopenSpareDescriptor()
        }
    }

    private func reopenSpareDescriptor() {
        guard spareDescriptor == nil else { return }
        let copy = fcntl(listener.descriptor, F_DUPFD_CLOEXEC, 0)
        if copy >= 0 { spareDescriptor = LocalSocket(owning: copy) }
    }

    // MARK: Deadlines

    private var canAccept: Bool { !isClosed && clock.now >= acceptResumeTime }

    /// Sleeps until a client or the mailbox needs attention, or a deadline has passed.
    ///
    /// - Returns: The connections that are ready for reading or writing.
    private func waitForEvents() -> [ControlConnection] {
        let waiting = connections.filter { $0.pollEvents != 0 }
        var polls = waiting.map { pollfd(fd: $0.socket.descriptor, events: $0.pollEvents, revents: 0) }
        polls.append(pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0))
        if canAccept { polls.append(pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)) }
        guard poll(&polls, nfds_t(polls.count), milliseconds) > 0 else { return [] }
        return zip(waiting, polls).filter { $1.revents != 0 }.map(\.0)
    }

    /// Time until the next deadline in milliseconds, as passed to poll(2); −1 if there is no deadline.
    private var milliseconds: Int32 {
        var deadlines = connections.map(\.deadline)
        if !isClosed, clock.now < acceptResumeTime { deadlines.append(acceptResumeTime) }
        guard let first = deadlines.min() else { return -1 }
        // The time is rounded up, because waking too early would only cause an additional iteration.
        return Int32(clamping: max(((first - clock.now).count + 999_999) / 1_000_000, 0))
    }

    // MARK: Clients

    private func acceptClients() {
        guard canAccept else { return }
        for _ in 0..<limits.connections {
            switch accept(listener) {
            case .connected(let socket): admit(socket)
            case .noConnection: return
            case .refused(let errno) where [EMFILE, ENFILE].contains(errno) && spareDescriptor != nil:
                spareDescriptor = nil
            case .refused:
                acceptResumeTime = clock.now + limits.acceptPause
                return
            }
        }
    }

    /// Accepts a client's connection. If the limit is exceeded, the connection of the oldest client without a
    /// complete request is closed. If there is no such client, the connection of the oldest client that
    /// hasn't received its reply is closed.
    private func admit(_ socket: LocalSocket) {
        connections.removeAll { $0.phase == .finished }
        if connections.count >= limits.connections {
            let idle = connections.firstIndex { $0.phase == .receiving }
            guard let index = idle ?? connections.firstIndex(where: { $0.phase == .replying }) else {
                return
            }
            connections.remove(at: index)
        }
        lastNumber += 1
        let connection = ControlConnection(
            number: lastNumber, socket: socket, deadline: clock.now + limits.clientTimeout)
        connections.append(connection)
        guard socket.peerUser == geteuid() else {
            return refuse(connection, "this session belongs to another user.", isUsage: false)
        }
        read(connection)
    }

    private func endExpired() {
        let now = clock.now
        for connection in connections where connection.deadline <= now {
            switch connection.phase {
            case .receiving:
                let seconds = limits.clientTimeout.inSeconds.shortest
                refuse(
                    connection,
                    "the request was incomplete after \(seconds) s. Send the whole request within \(seconds) s of connecting."
                )
            case .executing, .replying: connection.end()
            case .finished: break
            }
        }
    }

    /// Stops accepting requests, and closes the connections of clients without a complete request.
    private func close() {
        isClosed = true
        for connection in connections {
            switch connection.phase {
            case .receiving: connection.end()
            case .executing: refuse(connection, "the session has ended.", isUsage: false)
            case .replying, .finished: break
            }
        }
    }

    // MARK: Requests

    private func read(_ connection: ControlConnection) {
        switch connection.read() {
        case .incomplete: break
        case .tooLong:
            refuse(connection, "the request is longer than \(LocalSocket.longestRequest) bytes.")
        case .complete(let line): handle(line, of: connection, at: clock.now)
        }
    }

    private func handle(_ line: Data, of connection: ControlConnection, at arrival: ClockTime) {
        do throws(ControlError) {
            start(try handler(try CommandRequest(line: line)), of: connection, at: arrival)
        } catch {
            refuse(connection, error.description)
        }
    }

    private func start(_ work: ControlServer.Command, of connection: ControlConnection, at arrival: ClockTime)
    {
        let busy = connections.count { $0.phase == .executing }
        guard work.isImmediate || busy < limits.commands else {
            return refuse(
                connection, "\(busy) requests are already in progress. Try again when they have finished.",
                isUsage: false)
        }
        connection.beginWork(until: clock.now + limits.commandTimeout)
        let (mailbox, number) = (mailbox, connection.number)
        let answer: ControlServer.ReplyHandler = { mailbox.post($0, for: number) }
        guard work.blocks else { return work.perform(arrival, answer) }
        guard blocking.tryEnqueue({ work.perform(arrival, answer) }) else {
            return refuse(connection, "the session has ended.", isUsage: false)
        }
    }

    // MARK: Replies

    private func refuse(_ connection: ControlConnection, _ sentence: String, isUsage: Bool = true) {
        send(ControlReply(ok: false, text: sentence, usage: isUsage), to: connection)
    }

    private func deliver(_ reply: ControlReply, to number: Int) {
        guard let connection = connections.first(where: { $0.number == number && $0.phase == .executing })
        else { return }
        send(reply, to: connection)
    }

    private func send(_ reply: ControlReply, to connection: ControlConnection) {
        connection.startReply(reply.line, until: clock.now + limits.clientTimeout)
    }
}

/// The connection of one client of the control socket. The connection first receives the request and then
/// sends the reply.
///
/// The methods of this class never block. Use an instance only on the `control` thread.
final class ControlConnection {
    enum Phase {
        /// The request hasn't been completely received.
        case receiving
        /// The command is being executed.
        case executing
        /// The reply hasn't been completely sent.
        case replying
        /// The exchange is over, and the connection can be closed.
        case finished
    }

    /// State of the request that is being received.
    enum Request {
        case incomplete
        /// The request without its line feed.
        case complete(Data)
        case tooLong
    }

    let number: Int
    let socket: LocalSocket
    private(set) var phase = Phase.receiving
    /// Deadline of the current phase.
    private(set) var deadline: ClockTime
    private var request = Data()
    private var unsentReply = Data()

    init(number: Int, socket: LocalSocket, deadline: ClockTime) {
        self.number = number
        self.socket = socket
        self.deadline = deadline
    }

    /// The poll(2) events to wait for in the current phase; 0 if there are none.
    var pollEvents: Int16 {
        switch phase {
        case .receiving: Int16(POLLIN)
        case .replying: Int16(POLLOUT)
        case .executing, .finished: 0
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
                    return request.count > LocalSocket.longestRequest ? .tooLong : .complete(request)
                }
                request += bytes
                if request.count > LocalSocket.longestRequest { return .tooLong }
            case .wouldBlock: return .incomplete
            case .endOfStream:
                phase = .finished
                return .incomplete
            }
        }
    }

    /// Records that the command is being executed, and sets a deadline for its reply.
    func beginWork(until deadline: ClockTime) {
        request = Data()
        phase = .executing
        self.deadline = deadline
    }

    /// Starts sending the reply. The client must receive the reply before the deadline.
    func startReply(_ line: Data, until deadline: ClockTime) {
        request = Data()
        unsentReply = line
        unsentReply.append(UInt8(ascii: "\n"))
        phase = .replying
        self.deadline = deadline
        write()
    }

    /// Sends the part of the reply that fits into the socket buffer.
    func write() {
        guard phase == .replying else { return }
        guard let count = socket.send(unsentReply) else {
            phase = .finished
            return
        }
        unsentReply = unsentReply.dropFirst(count)
        if unsentReply.isEmpty { phase = .finished }
    }

    func end() { phase = .finished }
}

/// Passes replies to the `control` thread and wakes that thread. All methods of the mailbox are thread-safe.
final class ControlMailbox: Sendable {
    struct Content: Sendable {
        /// The replies, each with the number of the connection that it belongs to.
        var replies: [(connection: Int, reply: ControlReply)] = []
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

    func post(_ reply: ControlReply, for connection: Int) {
        content.withLock { $0.replies.append((connection, reply)) }
        wakeUp.wake()
    }

    /// Makes the `control` thread stop accepting requests.
    func close() {
        content.withLock { $0.isClosed = true }
        wakeUp.wake()
    }

    /// Removes and returns the replies received since the last call.
    func drain() -> Content {
        wakeUp.clear()
        return content.withLock { content in
            defer { content.replies.removeAll() }
            return content
        }
    }
}
