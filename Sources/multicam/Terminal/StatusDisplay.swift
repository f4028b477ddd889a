import Media

/// Prints a status repeatedly on a separate thread: on a terminal, in one line that is overwritten;
/// otherwise, in a new line at a longer interval.
final class StatusDisplay: Sendable {
    private let cancellation = Cancellation()
    private let thread: MediaThread

    /// Starts the display.
    ///
    /// - Parameters:
    ///   - interval: Time between two lines if the output isn't a terminal.
    ///   - text: Returns the status in at most the given number of columns (`nil`: unlimited), or `nil` if there is
    ///     none yet. The closure is called on the display's thread.
    init(every interval: Nanoseconds, _ text: @escaping @Sendable (_ columns: Int?) -> String?) {
        let (cancellation, clock) = (cancellation, MonotonicClock())
        let hasTerminal = Output.hasTerminal
        thread = .eventually(name: "status") {
            while !cancellation.wait(until: clock.now + (hasTerminal ? .milliseconds(250) : interval)) {
                guard let line = text(hasTerminal ? Output.columns - 1 : nil) else { continue }
                if hasTerminal { Output.status(line) } else { Output.message(line) }
            }
            Output.endStatus()
        }
    }

    /// Ends the display and the overwritten line. This method waits for the display's thread, and further calls do
    /// nothing.
    func end() {
        cancellation.cancel()
        thread.join()
    }
}
