import Glibc
import Media
import System

/// The output streams of the command: data for programs, messages for users.
enum Output {
    /// Whether the terminal's last line is a status line. Other output must not be appended to this line.
    private static let showsStatus = ConditionLock(false)
    private static let clearLine = "\r\u{1B}[K"
    /// Whether writing data to standard output has failed.
    private static let lostData = ConditionLock(false)

    /// Prints a line of data to standard output without buffering.
    ///
    /// - Returns: Whether the reader is still connected.
    @discardableResult
    static func data(_ text: String) -> Bool { self.text(text + "\n") }

    /// Prints text that includes its own line feeds to standard output without buffering.
    ///
    /// - Returns: Whether the reader is still connected.
    @discardableResult
    static func text(_ text: String) -> Bool {
        if isatty(STDOUT_FILENO) == 1 { endStatus() }
        let number = StandardStreams.errorNumber(writing: text, to: STDOUT_FILENO)
        // A reader closes the pipe when it has enough data, which isn't an error.
        if number != 0, number != EPIPE { reportLost(text, number) }
        return number == 0
    }

    /// Whether writing data to standard output has failed, except to a pipe that its reader has closed. The command
    /// then ends with a nonzero status.
    static var hasLostData: Bool { lostData.withLock { $0 } }

    /// Prints the first data that couldn't be written, so that the path of a recording isn't lost.
    private static func reportLost(_ text: String, _ number: Int32) {
        let isFirst = lostData.withLock { lost in
            defer { lost = true }
            return !lost
        }
        if isFirst { message(StandardStreams.lossReport(of: text, errno: number)) }
    }

    /// Prints a sentence for the user to standard error.
    static func message(_ sentence: String) {
        endStatus()
        write("multicam: \(sentence)\n")
    }

    /// Prints the lines that explain a message to standard error, unchanged.
    static func explanation(_ lines: [String]) {
        endStatus()
        write(lines.joined(separator: "\n") + "\n")
    }

    /// Replaces the status line of the terminal. The text is truncated to the terminal's width.
    static func status(_ text: String) {
        showsStatus.withLock { $0 = true }
        write(clearLine + text.prefix(max(columns - 1, 10)))
    }

    /// Clears the status line.
    static func endStatus() {
        let wasShown = showsStatus.withLock { shown in
            defer { shown = false }
            return shown
        }
        if wasShown { write(clearLine) }
    }

    /// Opens closed standard streams on `/dev/null`. Otherwise, the first files of a recording would get
    /// their descriptor numbers, and messages would be written to these files.
    static func openClosedStreams() {
        var number: Int32
        repeat { number = open("/dev/null", O_RDWR) } while (0...STDERR_FILENO).contains(number)
        if number >= 0 { close(number) }
    }

    /// Whether standard error is a terminal that supports escape sequences, so that a status line can be replaced.
    static var hasTerminal: Bool { isatty(STDERR_FILENO) == 1 && !isDumb }

    /// Whether standard output is a terminal that supports color, and the user hasn't disabled it (no-color.org).
    static var showsColor: Bool {
        isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil && !isDumb
    }

    /// Whether the terminal lacks support for escape sequences (`TERM=dumb`).
    private static var isDumb: Bool { getenv("TERM").map { String(cString: $0) } == "dumb" }

    /// Number of columns of the terminal on standard error; 80 if unknown.
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
    /// Returns the time in milliseconds, without the unit: `137.2`, `-0.4`, `0.0`.
    static func text(_ time: Nanoseconds) -> String {
        let (sign, count) = (time.count < 0 ? "-" : "", time.count.magnitude)
        let tenths = (count + 50_000) / 100_000
        return (tenths == 0 ? "" : sign) + "\(tenths / 10).\(tenths % 10)"
    }
}
