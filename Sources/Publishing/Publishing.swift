internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Processes
internal import SessionFolder

/// Live output: the process that takes what a session records from its media socket, and sends it to servers and devices.
public enum Publishing {
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
            while let line = reports.next() {
                guard StandardStreams.write(line, to: STDOUT_FILENO) else { break }
            }
            written.cancel()
        }
        let process = LiveProcess(path: arguments[2]) { _ = reports.offer(JSONText.line($0) + "\n") }
        process.start()
        StandardStreams.readLines(
            { line in
                if let sentence = process.follow(line) { complain(sentence) }
            },
            tooLong: {
                complain("a line of standard input is longer than \(StandardStreams.longestLine) bytes.")
            })
        process.close()
        reports.finish()
        _ = written.wait(until: MonotonicClock().now + .milliseconds(100))
        return 0
    }

    private static func complain(_ sentence: String) {
        _ = StandardStreams.write("multicam-live: \(sentence)\n", to: STDERR_FILENO)
    }
}
