internal import CLinux
internal import FileSystem
internal import FoundationEssentials
internal import Glibc
internal import Media

/// A program that this process has started, in a process group of its own, so that Ctrl-C does not reach it. Safe to use from any
/// thread.
public final class ChildProcess: Sendable {
    /// The child's process identifier.
    public let process: Int32
    private let input: PipeEnd
    private let output: OwnedDescriptor
    private let messages: OwnedDescriptor
    private let lines = BoundedQueue<String>(capacity: 1000)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: Its path.
    ///   - arguments: What follows its name.
    ///   - variables: Variables of its environment beside those of this process, each as `NAME=VALUE`.
    ///   - isWithheld: Whether it does not get the variable of this process that has a name.
    ///   - descriptor: A descriptor that it gets besides its three streams, under a number of its own; `nil` for none.
    /// - Throws: `ProcessError` when the system cannot start it.
    public init(
        _ program: String, _ arguments: [String], variables: [String] = [],
        withholding isWithheld: (String) -> Bool = { _ in false },
        passing descriptor: (own: Int32, as: Int32)? = nil
    ) throws(ProcessError) {
        var ends: [Int32] = [-1, -1, -1, -1, -1, -1]
        for index in stride(from: 0, to: 6, by: 2) {
            var pair: [Int32] = [-1, -1]
            if linux_pipe(&pair) == 0 { (ends[index], ends[index + 1]) = (pair[0], pair[1]) }
        }
        // The child's ends close when this function returns.
        let childInput = OwnedDescriptor(owning: ends[0])
        let childOutput = OwnedDescriptor(owning: ends[3])
        let childMessages = OwnedDescriptor(owning: ends[5])
        input = PipeEnd(owning: ends[1])
        output = OwnedDescriptor(owning: ends[2])
        messages = OwnedDescriptor(owning: ends[4])
        guard !ends.contains(-1) else {
            throw ProcessError("\(program.printable(limit: 1000)) cannot be started: \(Self.reason(errno)).")
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
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2] { sigaddset(&signals, number) }
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
                "\(program.printable(limit: 1000)) cannot be started: \(Self.reason(failure)).")
        }
        self.process = process
        let (lines, input) = (lines, input)
        _ = MediaThread(name: "child:input") { [self] in
            // A child that has ended must not end this process (write(2), EPIPE).
            var pipe = sigset_t()
            sigemptyset(&pipe)
            sigaddset(&pipe, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &pipe, nil)
            while let line = lines.next() {
                guard input.write(line) else { break }
            }
            // The child finds the end of its input, though others still read what it says.
            input.close()
            withExtendedLifetime(self) {}
        }
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// Says a line to the child's standard input. Never blocks: a child that does not read loses what does not fit.
    ///
    /// - Parameter line: Without its line feed.
    public func say(_ line: String) { _ = lines.offer(line + "\n") }

    /// Says nothing more: the child finds the end of its input behind what was said.
    public func finish() { lines.finish() }

    /// Sends a signal to the child.
    public func signal(_ number: Int32) { kill(process, number) }

    /// Calls a handler for each line of the child's standard output, on a thread of its own, until it ends.
    ///
    /// - Parameters:
    ///   - handler: Gets a line without its line feed.
    ///   - whenOver: Called once when no line follows.
    public func readOutput(
        _ handler: @escaping @Sendable (String) -> Void, whenOver: @escaping @Sendable () -> Void = {}
    ) {
        _ = MediaThread(name: "child:output") { [self] in
            Self.read(output.number, handler)
            whenOver()
        }
    }

    /// Calls a handler for each line of the child's standard error, on a thread of its own, until it ends.
    ///
    /// - Parameters:
    ///   - handler: Gets a line without its line feed.
    ///   - whenOver: Called once when no line follows.
    public func readMessages(
        _ handler: @escaping @Sendable (String) -> Void, whenOver: @escaping @Sendable () -> Void = {}
    ) {
        _ = MediaThread(name: "child:error") { [self] in
            Self.read(messages.number, handler)
            whenOver()
        }
    }

    /// Waits until the child has ended. Blocks; one thread calls it, once.
    ///
    /// - Returns: The exit status; of a child that a signal has ended 128 and the signal's number.
    public func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return 1 } }
        lines.finish()
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    // MARK: Pipes

    /// Most bytes of a line; what is longer comes in pieces.
    private static let longestLine = 16 << 20

    private static func read(_ descriptor: Int32, _ handler: (String) -> Void) {
        var (pending, buffer) = (Data(), [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            pending.append(contentsOf: buffer[..<count])
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                handler(String(decoding: pending[pending.startIndex..<end], as: UTF8.self))
                pending = Data(pending[pending.index(after: end)...])
            }
            if pending.count > longestLine {
                handler(String(decoding: pending, as: UTF8.self))
                pending = Data()
            }
        }
        if !pending.isEmpty { handler(String(decoding: pending, as: UTF8.self)) }
    }
}
