internal import CMulticamMedia
internal import CMulticamSRT
internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// The process for network cameras, which connects to them and sends their media to the media socket of a session.
package enum RemoteSources {
    /// Maximum number of reports queued for a recorder that doesn't read them.
    private static let mostReports = 1000

    /// Connects to the sources requested on standard input, until standard input ends. This method blocks the calling
    /// thread, which must be the main thread.
    ///
    /// - Parameter arguments: The program's name, `--socket`, and the path of the media socket.
    /// - Returns: The exit status: 0 after standard input has ended, 2 for invalid arguments.
    package static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 3, arguments[1] == "--socket" else {
            writeMessage(
                "don't start this program directly: `multicam` starts it with --socket PATH, the path of the session's media socket."
            )
            return 2
        }
        // Libraries include addresses, and therefore passwords, in their log messages.
        media_hear_messages()
        srt_be_silent()
        let reports = BoundedQueue<String>(capacity: mostReports)
        MediaThread.startWhenPossible(name: "source:reports") {
            while let line = reports.dequeue() {
                guard StandardStreams.write(line, to: STDOUT_FILENO) else { break }
            }
        }
        let process = SourcesProcess(path: arguments[2]) { _ = reports.tryEnqueue(JSONText.line($0) + "\n") }
        process.start()
        StandardStreams.readLines(
            { line in
                if let sentence = process.handle(line) { writeMessage(sentence) }
            },
            tooLong: {
                writeMessage("a line of standard input is longer than \(StandardStreams.longestLine) bytes.")
            })
        process.close()
        return 0
    }

    private static func writeMessage(_ sentence: String) {
        _ = StandardStreams.write("multicam-sources: \(sentence)\n", to: STDERR_FILENO)
    }
}

/// All network cameras of a session. This class executes the recorder's commands and reports the state of each camera.
/// Safe to use from any thread.
final class SourcesProcess: Sendable {
    private let path: String
    private let sources = ConditionLock<[String: SourceSession]>([:])
    private let reportHandler: @Sendable (SourceReport) -> Void
    private let cancellation = Cancellation()
    private let tokenStore = PortalTokenStore()

    /// Maximum number of simultaneous network cameras.
    private static let maxSources = 32
    private static let interval = Nanoseconds.seconds(1)

    /// Creates an instance without connections.
    ///
    /// - Parameters:
    ///   - path: Path of the media socket.
    ///   - reportHandler: Receives each report, on any thread. The closure must not block.
    init(path: String, reportHandler: @escaping @Sendable (SourceReport) -> Void) {
        (self.path, self.reportHandler) = (path, reportHandler)
    }

    /// Starts the thread that sends reports once per second.
    func start() {
        MediaThread.startWhenPossible(name: "source:second") { [self] in
            while !cancellation.wait(until: MonotonicClock().now + Self.interval) {
                for source in sources.withLock({ Array($0.values) }) { reportHandler(source.report) }
            }
        }
    }

    /// Executes one line of standard input.
    ///
    /// - Returns: An error message that contains no part of the line; `nil` on success.
    func handle(_ line: Data) -> String? {
        let request: SourceRequest
        do {
            request = try JSONText.decoder().decode(SourceCommand.self, from: line).open
        } catch {
            // The error may quote a part of the line, and the line may contain a password.
            return "invalid command on standard input: expected {\"open\":{\"name\":…,\"url\":…}}."
        }
        let (known, count) = sources.withLock { ($0[request.name], $0.count) }
        guard known?.request != request || known?.isOver == true else { return nil }
        known?.close()
        guard known != nil || count < Self.maxSources else {
            reportHandler(
                SourceReport(
                    source: request.name, state: .refused,
                    text: "the limit of \(Self.maxSources) network cameras has been reached.")
            )
            return nil
        }
        do throws(AddressError) {
            let source = SourceSession(
                request, try SourceAddress(request.url.value), socket: path, tokenStore: tokenStore,
                reportHandler: reportHandler)
            sources.withLock { $0[request.name] = source }
            source.start(after: known)
        } catch {
            reportHandler(SourceReport(source: request.name, state: .refused, text: error.description))
        }
        return nil
    }

    /// Closes all connections.
    func close() {
        cancellation.cancel()
        for source in sources.withLock({ Array($0.values) }) { source.close() }
    }
}
