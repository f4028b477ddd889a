import Glibc
import Media

/// The two streams of the command: data for programs, messages for people.
enum Output {
    /// Whether the last thing on the terminal is a status line, which what follows must not continue.
    private static let showsStatus = ConditionLock(false)
    private static let clearLine = "\r\u{1B}[K"

    /// A line of data on standard output, written at once.
    ///
    /// - Returns: Whether somebody can still read it.
    @discardableResult
    static func data(_ text: String) -> Bool {
        if isatty(STDOUT_FILENO) == 1 { endStatus() }
        return write(text + "\n", to: STDOUT_FILENO)
    }

    /// A sentence for people on standard error.
    static func message(_ sentence: String) {
        endStatus()
        write("multicam: \(sentence)\n", to: STDERR_FILENO)
    }

    /// What belongs to a message, on standard error: several lines as they are.
    static func explanation(_ lines: [String]) {
        endStatus()
        write(lines.joined(separator: "\n") + "\n", to: STDERR_FILENO)
    }

    /// Shows a line on the terminal in place of the last one, cut to its width.
    static func status(_ text: String) {
        showsStatus.withLock { $0 = true }
        write(clearLine + text.prefix(max(columns - 1, 10)), to: STDERR_FILENO)
    }

    /// Takes the status line away.
    static func endStatus() {
        let wasShown = showsStatus.withLock { shown in
            defer { shown = false }
            return shown
        }
        if wasShown { write(clearLine, to: STDERR_FILENO) }
    }

    /// Opens the standard streams that our starter closed, on nothing: else the first files of a recording would get
    /// their numbers, and our messages.
    static func openClosedStreams() {
        var number: Int32
        repeat { number = open("/dev/null", O_RDWR) } while (0...STDERR_FILENO).contains(number)
        if number >= 0 { close(number) }
    }

    static var hasTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether standard output is a terminal that shows colors, and nobody has asked for none (no-color.org).
    static var showsColor: Bool {
        isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
            && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// Columns of the terminal on standard error; 80 where it does not say.
    static var columns: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// A reader that went away must not end a recording: what cannot be written is not.
    @discardableResult
    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }
}
