internal import CMulticamFiles
internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia

/// A child process. The child runs in a separate process group, so that Ctrl-C doesn't reach it.
/// `ChildProcess` can be used from any thread.
///
/// The child's pipes are released when the child has exited, even if another process still holds the other
/// ends of the pipes. Such a process can be a descendant of the child, or a debugger that was attached after
/// a crash.
package final class ChildProcess: Sendable {
    /// The child's process ID.
    package let processID: Int32
    private let input: PipeEnd
    private let output: OwnedDescriptor
    private let messages: OwnedDescriptor
    /// An eventfd that becomes readable when `wait()` has detected the child's exit.
    private let exitEvent: OwnedDescriptor
    private let lines = BoundedQueue<String>(capacity: 1000)

    /// Starts a program as a child process.
    ///
    /// - Parameters:
    ///   - program: Path of the program to start.
    ///   - arguments: Arguments of the program, without the program's name.
    ///   - variables: Additional environment variables for the child, each in the form `NAME=VALUE`.
    ///   - isWithheld: A closure that returns whether an environment variable must not be inherited by the
    ///     child.
    ///   - descriptor: A file descriptor that is passed to the child in addition to the standard streams, and
    ///     the descriptor's number in the child; `nil` to pass only the standard streams.
    /// - Throws: `ProcessError` if the system can't start the program.
    package init(
        _ program: String, _ arguments: [String], variables: [String] = [],
        withholding isWithheld: (String) -> Bool = { _ in false },
        passing descriptor: (own: Int32, as: Int32)? = nil
    ) throws(ProcessError) {
        var ends: [Int32] = [-1, -1, -1, -1, -1, -1]
        for index in stride(from: 0, to: 6, by: 2) {
            var pair: [Int32] = [-1, -1]
            if system_pipe(&pair) == 0 { (ends[index], ends[index + 1]) = (pair[0], pair[1]) }
        }
        // The child's ends of the pipes are closed in this process when the function returns.
        let childInput = OwnedDescriptor(owning: ends[0])
        let childOutput = OwnedDescriptor(owning: ends[3])
        let childMessages = OwnedDescriptor(owning: ends[5])
        input = PipeEnd(owning: ends[1])
        output = OwnedDescriptor(owning: ends[2])
        messages = OwnedDescriptor(owning: ends[4])
        exitEvent = OwnedDescriptor(owning: eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)))
        guard !ends.contains(-1), exitEvent.number >= 0, fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 else {
            throw ProcessError("\(program.printable(limit: 1000)) cannot be started: \(Self.reason(errno))")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, childInput.number, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, childOutput.number, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, childMessages.number, STDERR_FILENO)
        if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor.own, descriptor.as) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        posix_spawnattr_setpgroup(&attributes, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2, SIGXFSZ] {
            sigaddset(&signals, number)
        }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var environment: [UnsafeMutablePointer<CChar>?] = []
        var entry = environ
        while let variable = entry.pointee {
            entry += 1
            let name = String(cString: variable).prefix { $0 != "=" }
            if !isWithheld(String(name)) { environment.append(strdup(variable)) }
        }
        environment += variables.map { strdup($0) } + [nil]
        defer { for variable in environment { free(variable) } }
        var process: pid_t = 0
        let failure = posix_spawn(&process, program, &actions, &attributes, &words, &environment)
        guard failure == 0 else {
            throw ProcessError(
                "\(program.printable(limit: 1000)) cannot be started: \(Self.reason(failure))")
        }
        self.processID = process
        ProcessPreparation.restoreLimits(of: process)
        let lines = lines
        MediaThread.startWhenPossible(name: "child:input") { [self] in
            // Writing to a child that has exited must not terminate this process (write(2), EPIPE).
            var pipe = sigset_t()
            sigemptyset(&pipe)
            sigaddset(&pipe, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &pipe, nil)
            while let line = lines.dequeue() {
                guard input.write(line, unless: exitEvent) else { break }
            }
            // The child reads end of file on its standard input while this process is still reading the
            // child's output.
            input.close()
        }
    }

    private static func reason(_ code: Int32) -> String { MachineLimit.explanation(errno: code) }

    /// Enqueues a line for the child's standard input. This method never blocks: if the child doesn't read
    /// its input and the queue is full, the line is dropped.
    ///
    /// - Parameter line: The line, without a line feed at the end.
    package func send(_ line: String) { _ = lines.tryEnqueue(line + "\n") }

    /// Closes the child's standard input after the queued lines have been written.
    package func closeInput() { lines.finish() }

    /// Sends a signal to the child.
    package func signal(_ number: Int32) { kill(processID, number) }

    /// Calls a handler for each line of the child's standard output, on a separate thread, until the child
    /// has exited.
    ///
    /// After `wait()` has returned, only the bytes already in the pipe are read, because another process may
    /// still hold the other end of the pipe.
    ///
    /// - Parameters:
    ///   - handler: Called with each line, without the line feed at its end.
    ///   - whenOver: Called once, after the last line.
    package func readOutput(
        _ handler: @escaping @Sendable (String) -> Void, whenOver: @escaping @Sendable () -> Void = {}
    ) {
        MediaThread.startWhenPossible(name: "child:output") { [self] in
            read(output, handler)
            whenOver()
        }
    }

    /// Calls a handler for each line of the child's standard error, on a separate thread, until the child has
    /// exited.
    ///
    /// After `wait()` has returned, only the bytes already in the pipe are read, because another process may
    /// still hold the other end of the pipe.
    ///
    /// - Parameters:
    ///   - handler: Called with each line, without the line feed at its end.
    ///   - whenOver: Called once, after the last line.
    package func readMessages(
        _ handler: @escaping @Sendable (String) -> Void, whenOver: @escaping @Sendable () -> Void = {}
    ) {
        MediaThread.startWhenPossible(name: "child:error") { [self] in
            read(messages, handler)
            whenOver()
        }
    }

    /// Waits until the child has exited, and then releases the child's pipes. This method blocks the calling
    /// thread. Call `wait()` only once.
    ///
    /// - Returns: The exit status, or 128 plus the signal number if a signal terminated the child.
    package func wait() -> Int32 {
        defer {
            lines.finish()
            eventfd_write(exitEvent.number, 1)
        }
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0 { guard errno == EINTR else { return 1 } }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    // MARK: Pipes

    /// Maximum length of a line in bytes. Longer lines are delivered in several pieces.
    private static let longestLine = 16 << 20

    /// Reads a pipe until end of file. After the child's exit, only the remaining content of the pipe is
    /// read.
    private func read(_ pipe: borrowing OwnedDescriptor, _ handler: (String) -> Void) {
        var (pending, buffer) = (Data(), [UInt8](repeating: 0, count: 1 << 16))
        /// Number of bytes that remain to be read after the child's exit; `nil` while the child is running.
        var rest: Int?
        while true {
            if rest == nil { rest = waitForData(in: pipe) }
            if rest == 0 { break }
            let count = Glibc.read(pipe.number, &buffer, min(buffer.count, rest ?? .max))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.map { $0 - count }
            pending.append(contentsOf: buffer[..<count])
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                handler(String(decoding: pending[pending.startIndex..<end], as: UTF8.self))
                pending = Data(pending[pending.index(after: end)...])
            }
            if pending.count > Self.longestLine {
                handler(String(decoding: pending, as: UTF8.self))
                pending = Data()
            }
        }
        if !pending.isEmpty { handler(String(decoding: pending, as: UTF8.self)) }
    }

    /// Waits until a pipe can be read or the child has exited.
    ///
    /// - Returns: Number of bytes in the pipe if the child has exited; `nil` while the child is running.
    private func waitForData(in pipe: borrowing OwnedDescriptor) -> Int? {
        var sources = [pipe.number, exitEvent.number].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        while poll(&sources, 2, -1) < 0 { guard errno == EINTR else { return 0 } }
        guard sources[1].revents != 0 else { return nil }
        var count: Int32 = 0
        return ioctl(pipe.number, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }
}

/// The non-blocking write end of a pipe. Only one thread writes to the pipe and closes it, and the pipe is
/// closed only once.
final class PipeEnd: Sendable {
    private let number: ConditionLock<Int32?>

    /// Takes ownership of an open file descriptor; -1 represents a closed pipe.
    init(owning number: Int32) { self.number = ConditionLock(number >= 0 ? number : nil) }

    deinit { close() }

    /// Writes text to the pipe. This method blocks while the pipe is full.
    ///
    /// - Parameters:
    ///   - text: The text to write.
    ///   - ended: A descriptor that becomes readable when writing must stop.
    /// - Returns: Whether the complete text was written.
    func write(_ text: String, unless ended: borrowing OwnedDescriptor) -> Bool {
        guard let descriptor = number.withLock({ $0 }) else { return false }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            var places = [
                pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: ended.number, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&places, 2, -1) >= 0 else {
                guard errno == EINTR else { return false }
                continue
            }
            guard places[1].revents == 0 else { return false }
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Closes the pipe. The reader then reads end of file.
    func close() {
        if let descriptor = number.withLock({ $0.take() }) { Glibc.close(descriptor) }
    }
}

/// Reason why a program can't be started, as a message for the user.
package struct ProcessError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error message, which states what failed, where, and why.
    package let description: String

    /// Creates an error with a message for the user.
    package init(_ description: String) { self.description = description }
}
