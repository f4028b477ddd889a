internal import Glibc
internal import MulticamMedia
internal import MulticamSystem

/// The output streams of this program: data for other programs, and messages for users. Safe to use from any thread.
enum ConsoleOutput {
    /// Whether data could not be written to standard output. The lock around this flag also prevents lines
    /// from interleaving.
    private static let lostData = ConditionLock(false)

    /// Prints a line of data to standard output. The first line that can't be written is reported on standard
    /// error.
    static func writeData(_ line: String) {
        let number = write(line + "\n", to: STDOUT_FILENO)
        guard number != 0, number != EPIPE else { return }
        let isFirst = lostData.withLock { lost in
            defer { lost = true }
            return !lost
        }
        if isFirst { writeMessage(StandardStreams.writeFailureMessage(for: line, errno: number)) }
    }

    /// Whether data could not be written to standard output, except because the reader has closed the pipe.
    /// If `true`, the program exits with a nonzero status.
    static var hasLostData: Bool { lostData.withLock { $0 } }

    /// Prints a human-readable message to standard error.
    static let writeMessage: @Sendable (String) -> Void = { sentence in
        write("multicam: \(sentence.printable(limit: 2000))\n", to: STDERR_FILENO)
    }

    /// Prints a line to standard error without changing it.
    static func writeLine(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

    /// - Returns: The system's error number, or 0 if the line was written.
    @discardableResult
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        lostData.withLock { _ in StandardStreams.errorNumber(writing: text, to: descriptor) }
    }
}

/// The signals that stop this program: SIGINT, SIGTERM, and SIGHUP. SIGUSR1 and SIGUSR2 are passed to a handler. Create
/// only one instance per process.
final class StopSignals: Sendable {
    private let received = Cancellation()
    private let repeated = Cancellation()

    /// Time within which several stop signals count as one, because a terminal and a parent process may send
    /// the same signal.
    private static let minRepeatDelay = Nanoseconds.seconds(1)

    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }

    /// Blocks the signals, so that `sigwait` receives them. `block` must be called while the process is still
    /// single-threaded.
    static func block() {
        var set = set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Starts a thread that waits for the signals.
    ///
    /// - Parameter user: Called for SIGUSR1 and SIGUSR2 on a separate thread.
    init(user: @escaping @Sendable (Int32) -> Void = { _ in }) {
        let (came, cameAgain) = (received, repeated)
        MediaThread.startWhenPossible(name: "signals") {
            var first: ClockTime?
            while true {
                var (set, number): (sigset_t, Int32) = (Self.set, 0)
                guard sigwait(&set, &number) == 0 else { continue }
                guard number != SIGUSR1, number != SIGUSR2 else {
                    user(number)
                    continue
                }
                let now = MonotonicClock().now
                if let first, now - first > Self.minRepeatDelay { cameAgain.cancel() }
                first = first ?? now
                came.cancel()
            }
        }
    }

    /// Whether a stop signal has arrived.
    var isRequested: Bool { received.isCancelled }

    /// Whether a second stop signal has arrived, at least a second after the first. After the second signal,
    /// the program stops without waiting.
    var isRepeated: Bool { repeated.isCancelled }

    /// Sleeps until a given time, or until a stop signal arrives.
    func sleep(until time: ClockTime) { _ = received.wait(until: time) }
}
