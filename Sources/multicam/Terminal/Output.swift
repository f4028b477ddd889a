import Glibc
import MulticamMedia
import MulticamSystem

/// The output streams of a command: standard output for data, and standard error for messages to the user.
enum Output {
    /// Whether the last line of the terminal is a status line, which must be cleared before other output is
    /// printed.
    private static let showsStatus = ConditionLock(false)
    private static let clearLine = "\r\u{1B}[K"
    /// Whether writing data to standard output has failed.
    private static let lostData = ConditionLock(false)

    /// Prints a line of data to standard output without buffering.
    ///
    /// - Returns: Whether the reader is still connected.
    @discardableResult
    static func data(_ text: String) -> Bool { self.text(text + "\n") }

    /// Prints text to standard output without buffering. The text must include line feeds.
    ///
    /// - Returns: Whether the reader is still connected.
    @discardableResult
    static func text(_ text: String) -> Bool {
        if isatty(STDOUT_FILENO) == 1 { endStatus() }
        let number = StandardStreams.errorNumber(writing: text, to: STDOUT_FILENO)
        // A closed pipe isn't an error, because its reader may have received enough data.
        if number != 0, number != EPIPE { reportLost(text, number) }
        return number == 0
    }

    /// Whether writing data to standard output has failed for another reason than a closed pipe. After such a
    /// failure, the command ends with a nonzero exit status.
    static var hasLostData: Bool { lostData.withLock { $0 } }

    /// Prints data that couldn't be written to standard output to standard error instead, so that the path of
    /// a recording isn't lost. Only the first such data is printed.
    private static func reportLost(_ text: String, _ number: Int32) {
        let isFirst = lostData.withLock { lost in
            defer { lost = true }
            return !lost
        }
        if isFirst { message(StandardStreams.writeFailureMessage(for: text, errno: number)) }
    }

    /// Prints a sentence for the user to standard error.
    static func message(_ sentence: String) {
        endStatus()
        write("multicam: \(sentence)\n")
    }

    /// Prints lines of text that explain a message, unchanged, to standard error.
    static func explanation(_ lines: [String]) {
        endStatus()
        write(lines.joined(separator: "\n") + "\n")
    }

    /// Replaces the text of the status line in the terminal. The text is truncated to the width of the
    /// terminal.
    static func status(_ text: String) {
        showsStatus.withLock { $0 = true }
        write(clearLine + text.prefix(max(columns - 1, 10)))
    }

    /// Clears the status line, if one is shown.
    static func endStatus() {
        let wasShown = showsStatus.withLock { shown in
            defer { shown = false }
            return shown
        }
        if wasShown { write(clearLine) }
    }

    /// Opens `/dev/null` for each standard stream that is closed. Otherwise, the first files of a recording
    /// would get the descriptor numbers of standard streams, and messages would be written to these files.
    static func openClosedStreams() {
        var number: Int32
        repeat { number = open("/dev/null", O_RDWR) } while (0...STDERR_FILENO).contains(number)
        if number >= 0 { close(number) }
    }

    /// Whether standard error is a terminal that supports escape sequences, which are required for the status
    /// line.
    static var hasTerminal: Bool { isatty(STDERR_FILENO) == 1 && !isDumb }

    /// Whether standard output is a terminal that supports color and the user hasn't disabled color
    /// (`NO_COLOR`, no-color.org).
    static var showsColor: Bool {
        isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil && !isDumb
    }

    /// Whether the terminal doesn't support escape sequences (`TERM=dumb`).
    private static var isDumb: Bool { getenv("TERM").map { String(cString: $0) } == "dumb" }

    /// Width of the terminal on standard error in columns; 80 if unknown.
    static var columns: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Writes to standard error. Errors are ignored, because they can't be reported and must not end a recording.
    private static func write(_ text: String) {
        _ = StandardStreams.write(text, to: STDERR_FILENO)
    }
}

/// The exit statuses of the process.
enum ExitStatus: Int32, Error {
    case done = 0
    case failed = 1
    case usage = 2
    case deviceMissing = 3
    case noPermission = 4
    case overBudget = 5
    case lossesBeyondLimit = 6
    case storageFailed = 7
    case aborted = 130
}

/// Formats times in milliseconds with one decimal place.
enum Milliseconds {
    /// Formats a time in milliseconds without the unit: `137.2`, `-0.4`, `0.0`.
    static func text(_ time: Nanoseconds) -> String {
        let (sign, count) = (time.count < 0 ? "-" : "", time.count.magnitude)
        let tenths = (count + 50_000) / 100_000
        return (tenths == 0 ? "" : sign) + "\(tenths / 10).\(tenths % 10)"
    }
}
