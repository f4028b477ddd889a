internal import Foundation
internal import Glibc
public import Media

/// Takes what people and programs ask of this process's session: on a Unix socket that only the same user may speak to.
///
/// A request is a line of JSON with the words of a `ControlCommand`, `{"words": ["layout", "grid"]}`; the reply is a line of JSON
/// too (`ControlReply`), and the connection ends with it. Two threads serve all clients, and no client waits for another: `control`
/// reads, answers and does what does not block; `control:work` does commands that block, one after the other.
public final class ControlServer: Sendable {
    /// Answers a request: once, from any thread.
    public typealias Answer = @Sendable (ControlReply) -> Void

    /// Does a command, and answers at once or later.
    ///
    /// - Parameters:
    ///   - command: Where `blocks` is true of it, its thread may be blocked; otherwise nothing else is served meanwhile.
    ///   - arrival: When the request had come whole, on `CLOCK_MONOTONIC`.
    ///   - answer: Has to be called, within a minute.
    public typealias Handler =
        @Sendable (_ command: ControlCommand, _ arrival: ClockTime, _ answer: @escaping Answer) -> Void

    private let folder: ControlFolder
    private let mailbox: ControlMailbox
    private let blocking: BoundedQueue<@Sendable () -> Void>
    private let threads: [MediaThread]

    /// Begins to listen.
    ///
    /// - Parameter handler: Does each command.
    /// - Throws: When there is no place for the socket.
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
        // Of an earlier process of this number.
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

    /// Remembers beside the socket what is being recorded, so that `ctl` can say after a crash which folder is to be made whole.
    ///
    /// - Parameter sessionFolder: That is being written; `nil` when it is finished.
    /// - Throws: When it cannot be noted. The recording needs none of it.
    public func note(recordingIn sessionFolder: String?) throws(ControlError) {
        try folder.note(recordingIn: sessionFolder, by: getpid())
    }

    /// Listens no longer, and waits for the commands under way.
    public func stop() {
        folder.forget(getpid())
        blocking.finish()
        threads[0].join()
        mailbox.close()
        threads[1].join()
    }
}
