internal import Glibc
internal import Media

/// The signals that end this program's work: SIGINT, SIGTERM and SIGHUP. SIGUSR1 and SIGUSR2 are told to a handler. One per process.
final class StopSignals: Sendable {
    private let came = Cancellation()

    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }

    /// Keeps the signals for `sigwait`. To be called before the process has a second thread.
    static func hold() {
        var set = set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Listens from here on.
    ///
    /// - Parameter user: Called on a thread of its own with SIGUSR1 and SIGUSR2.
    init(user: @escaping @Sendable (Int32) -> Void = { _ in }) {
        let came = came
        _ = MediaThread(name: "signals") {
            while true {
                var (set, number): (sigset_t, Int32) = (Self.set, 0)
                guard sigwait(&set, &number) == 0 else { continue }
                if number == SIGUSR1 || number == SIGUSR2 { user(number) } else { came.cancel() }
            }
        }
    }

    /// Whether an end was asked for.
    var hasCome: Bool { came.isCancelled }

    /// Sleeps until an instant, or until an end is asked for.
    func sleep(until time: ClockTime) { _ = came.wait(until: time) }
}
