import MulticamMedia

/// Prints a status repeatedly on a separate thread. On a terminal, the status is one line that is
/// overwritten. Otherwise, each status is a new line, printed at a longer interval.
final class StatusDisplay: Sendable {
    private let cancellation = Cancellation()
    private let thread: MediaThread

    /// Starts printing the status.
    ///
    /// - Parameters:
    ///   - interval: Time between two lines if the output isn't a terminal.
    ///   - text: Returns the status text with at most the given number of columns (`nil` for no limit), or
    ///     `nil` if there is no status yet. The closure is called on the thread that prints the status.
    init(every interval: Nanoseconds, _ text: @escaping @Sendable (_ columns: Int?) -> String?) {
        let (cancellation, clock) = (cancellation, MonotonicClock())
        let hasTerminal = Output.hasTerminal
        thread = .startWhenPossible(name: "status") {
            while !cancellation.wait(until: clock.now + (hasTerminal ? .milliseconds(250) : interval)) {
                guard let line = text(hasTerminal ? Output.columns - 1 : nil) else { continue }
                if hasTerminal { Output.status(line) } else { Output.message(line) }
            }
            Output.endStatus()
        }
    }

    /// Stops printing the status and clears the status line. This method waits until the printing thread has
    /// ended. Further calls have no effect.
    func end() {
        cancellation.cancel()
        thread.join()
    }
}
