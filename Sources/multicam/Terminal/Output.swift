import Glibc
import Media

/// The output streams of the command: data for programs, messages for people.
enum Output {
    /// Whether the terminal's last line is a status line, which further output must not continue.
    private static let showsStatus = ConditionLock(false)
    private static let clearLine = "\r\u{1B}[K"

    /// Prints a line of data on standard output, at once.
    ///
    /// - Returns: Whether the reader is still there.
    @discardableResult
    static func data(_ text: String) -> Bool { self.text(text + "\n") }

    /// Prints a text with its own line feeds on standard output, at once.
    ///
    /// - Returns: Whether the reader is still there.
    @discardableResult
    static func text(_ text: String) -> Bool {
        if isatty(STDOUT_FILENO) == 1 { endStatus() }
        return write(text, to: STDOUT_FILENO)
    }

    /// Prints a sentence for people on standard error.
    static func message(_ sentence: String) {
        endStatus()
        write("multicam: \(sentence)\n", to: STDERR_FILENO)
    }

    /// Prints lines that explain a message on standard error, unchanged.
    static func explanation(_ lines: [String]) {
        endStatus()
        write(lines.joined(separator: "\n") + "\n", to: STDERR_FILENO)
    }

    /// Replaces the status line of the terminal, cut to its width.
    static func status(_ text: String) {
        showsStatus.withLock { $0 = true }
        write(clearLine + text.prefix(max(columns - 1, 10)), to: STDERR_FILENO)
    }

    /// Clears the status line.
    static func endStatus() {
        let wasShown = showsStatus.withLock { shown in
            defer { shown = false }
            return shown
        }
        if wasShown { write(clearLine, to: STDERR_FILENO) }
    }

    /// Opens closed standard streams on `/dev/null`. Otherwise the first files of a recording would get their numbers, and our
    /// messages.
    static func openClosedStreams() {
        var number: Int32
        repeat { number = open("/dev/null", O_RDWR) } while (0...STDERR_FILENO).contains(number)
        if number >= 0 { close(number) }
    }

    static var hasTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether standard output is a terminal that shows colours, and the user has not disabled them (no-color.org).
    static var showsColor: Bool {
        isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
            && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// The number of columns of the terminal on standard error; 80 when it is unknown.
    static var columns: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Writes a text, or gives up: a reader that has gone must not end a recording.
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
