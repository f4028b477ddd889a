internal import FoundationEssentials
internal import Glibc
internal import Media
internal import SessionFolder

/// Live output: the process that takes what a session records from its media socket, and sends it to servers and devices.
public enum Publishing {
    /// Most bytes of a line of standard input.
    private static let longestLine = 1 << 16
    /// Reports that wait for a recorder that does not read.
    private static let mostReports = 1000

    /// Publishes what standard input asks for, until that ends. Blocks the calling thread, which must be the main one.
    ///
    /// - Parameter arguments: The program's name, `--socket` and the path of the media socket.
    /// - Returns: The exit status: 0 when standard input has ended, 2 for other arguments.
    public static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 3, arguments[1] == "--socket" else {
            complain("`multicam` starts this program, with --socket PATH of the session's media socket.")
            return 2
        }
        let reports = BoundedQueue<String>(capacity: mostReports)
        let written = Cancellation()
        _ = MediaThread(name: "live:reports") {
            while let line = reports.next() { guard write(line, to: STDOUT_FILENO) else { break } }
            written.cancel()
        }
        let process = LiveProcess(path: arguments[2]) { _ = reports.offer(JSONText.line($0) + "\n") }
        process.start()
        readLines { line in
            if let sentence = process.follow(line) { complain(sentence) }
        }
        process.close()
        reports.finish()
        _ = written.wait(until: MonotonicClock().now + .milliseconds(100))
        return 0
    }

    /// Calls a handler for each line of standard input, until that ends. Lines that are too long are left out.
    private static func readLines(_ handler: (Data) -> Void) {
        var (pending, buffer) = (Data(), [UInt8](repeating: 0, count: 1 << 14))
        var isTooLong = false
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            pending.append(contentsOf: buffer[..<count])
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                if !isTooLong, end > pending.startIndex { handler(Data(pending[pending.startIndex..<end])) }
                isTooLong = false
                pending = Data(pending[pending.index(after: end)...])
            }
            if pending.count > longestLine {
                if !isTooLong { complain("a line of standard input is longer than \(longestLine) bytes.") }
                (isTooLong, pending) = (true, Data())
            }
        }
    }

    private static func complain(_ sentence: String) {
        _ = write("multicam-live: \(sentence)\n", to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
