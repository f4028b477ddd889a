internal import FoundationEssentials
internal import Glibc
public import Media

/// Receives commands for this process's session on a Unix socket that accepts only the same user.
///
/// A request is a line of JSON with the words of a `ControlCommand`, `{"words": ["layout", "grid"]}`; the reply is a line of JSON
/// too (`ControlReply`), and the connection ends with it. Two threads serve all clients, and no client waits for another:
/// `control` reads, answers and runs commands that do not block; `control:work` runs commands that block, one after the other.
public final class ControlServer: Sendable {
    /// Sends the answer to a request. Call it once, from any thread.
    public typealias Answer = @Sendable (ControlReply) -> Void

    /// Carries out a command, and answers at once or later.
    ///
    /// - Parameters:
    ///   - command: The command. When its `blocks` is false, the handler must not block: nothing else is served meanwhile.
    ///   - arrival: When the whole request had arrived, on `CLOCK_MONOTONIC`.
    ///   - answer: Sends the answer; must be called within a minute.
    public typealias Handler =
        @Sendable (_ command: ControlCommand, _ arrival: ClockTime, _ answer: @escaping Answer) -> Void

    private let folder: ControlFolder
    private let mailbox: ControlMailbox
    private let blocking: BoundedQueue<@Sendable () -> Void>
    private let threads: [MediaThread]

    /// Starts to listen.
    ///
    /// - Parameter handler: Carries out each command.
    /// - Throws: `ControlError.system` when the socket or its folder cannot be created.
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
        // An earlier process with the same identifier may have left files.
        folder.forget(getpid())
        let listener = try LocalSocket()
        try listener.listen(at: folder.socketPath(of: getpid()))
        let mailbox = try ControlMailbox()
        let blocking = BoundedQueue<@Sendable () -> Void>(capacity: limits.commands)
        self.folder = folder
        self.mailbox = mailbox
        self.blocking = blocking
        threads = [
            MediaThread(name: "control:work") { while let command = blocking.next() { command() } },
            MediaThread(name: "control") {
                ControlLoop(
                    listener, accept: accept, mailbox: mailbox, limits: limits, blocking: blocking,
                    handler: handler
                ).run()
            },
        ]
    }

    /// Stores beside the socket which folder is recorded into, so that after a crash `multicam ctl` can name the folder to
    /// recover.
    ///
    /// - Parameter sessionFolder: The folder that is recorded into; `nil` when it is finished.
    /// - Throws: `ControlError.system` when it cannot be stored. The recording does not depend on it.
    public func note(recordingIn sessionFolder: String?) throws(ControlError) {
        try folder.note(recordingIn: sessionFolder, by: getpid())
    }

    /// Stops listening, and waits for the commands in progress.
    public func stop() {
        folder.forget(getpid())
        blocking.finish()
        threads[0].join()
        mailbox.close()
        threads[1].join()
    }
}
