internal import FoundationEssentials
internal import Glibc
internal import MulticamControl
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// The process for live outputs. The process reads a session's streams from the media socket and sends them
/// to servers and devices.
package enum Publishing {
    /// Maximum number of reports that are queued while the recorder doesn't read them.
    private static let mostReports = 1000

    /// Runs the live outputs that are requested on standard input, until the end of standard input. This
    /// method blocks the calling thread, which must be the main thread.
    ///
    /// - Parameter arguments: The program's name, `--socket`, and the path of the media socket.
    /// - Returns: The exit status: 0 after the end of standard input, 2 for invalid arguments.
    package static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 3, arguments[1] == "--socket" else {
            writeMessage(
                "this program must be started by `multicam` with the option --socket PATH, the path of the session's media socket."
            )
            return 2
        }
        let reports = BoundedQueue<String>(capacity: mostReports)
        let written = Cancellation()
        MediaThread.startWhenPossible(name: "live:reports") {
            while let line = reports.dequeue() {
                guard StandardStreams.write(line, to: STDOUT_FILENO) else { break }
            }
            written.cancel()
        }
        let process = LiveProcess(path: arguments[2]) { _ = reports.tryEnqueue(JSONText.line($0) + "\n") }
        process.start()
        StandardStreams.readLines(
            { line in
                if let sentence = process.handle(line) { writeMessage(sentence) }
            },
            tooLong: {
                writeMessage("a line on standard input is longer than \(StandardStreams.longestLine) bytes.")
            })
        process.close()
        reports.finish()
        _ = written.wait(until: MonotonicClock().now + .milliseconds(100))
        return 0
    }

    private static func writeMessage(_ sentence: String) {
        _ = StandardStreams.write("multicam-live: \(sentence)\n", to: STDERR_FILENO)
    }
}

/// All live outputs of a session. `LiveProcess` executes the recorder's commands and reports the state of
/// each live output. Safe to use from any thread.
final class LiveProcess: Sendable {
    /// A live output that the recorder has requested.
    private struct Entry {
        let request: LiveRequest
        /// The sender and feed of a running live output; `nil` if the request was refused.
        var running: (sender: LiveOutputSender, feed: LiveOutputFeed)?
    }

    private let path: String
    private let packets: PacketFeed
    private let standbyPackets: PacketFeed
    private let entries = ConditionLock<[String: Entry]>([:])
    private let closingSenders = ConditionLock<[LiveOutputSender]>([])
    private let reportHandler: @Sendable (LiveReport) -> Void
    private let cancellation = Cancellation()

    /// Maximum number of simultaneous live outputs.
    private static let maxOutputs = 32
    private static let interval = Nanoseconds.seconds(1)
    /// Maximum time to wait for connections to close when the process ends.
    private static let closeTimeout = Nanoseconds.milliseconds(900)

    /// Creates an instance without live outputs.
    ///
    /// - Parameters:
    ///   - path: Path of the media socket.
    ///   - reportHandler: Receives each report, on any thread. The closure must not block.
    init(path: String, reportHandler: @escaping @Sendable (LiveReport) -> Void) {
        (self.path, self.reportHandler) = (path, reportHandler)
        packets = PacketFeed(path: path, includesStandby: false)
        standbyPackets = PacketFeed(path: path, includesStandby: true)
    }

    /// Starts the thread that sends reports once per second.
    func start() {
        MediaThread.startWhenPossible(name: "live:second") { [self] in
            let clock = MonotonicClock()
            var next = clock.now + Self.interval
            while !cancellation.wait(until: next) {
                next = max(next + Self.interval, clock.now)
                packets.reconnectIfNeeded()
                standbyPackets.reconnectIfNeeded()
                for entry in entries.withLock({ Array($0.values) }) {
                    if let (sender, feed) = entry.running { sender.tick(feed) }
                }
                closingSenders.withLock { $0.removeAll { $0.hasEnded(by: ClockTime(nanoseconds: 0)) } }
            }
        }
    }

    /// Executes one command line from standard input.
    ///
    /// - Returns: An error message that contains no part of the line; `nil` on success.
    func handle(_ line: Data) -> String? {
        let command: LiveCommand
        do {
            command = try JSONText.decoder().decode(LiveCommand.self, from: line)
        } catch {
            // The decoder's error isn't included in the message, because it may quote a part of the line, and
            // the line may contain a stream key.
            return
                "invalid command on standard input: expected {\"publish\":{\"name\":…,\"url\":…}} or {\"unpublish\":…}."
        }
        if let name = command.unpublish { end(name) }
        if let request = command.publish { begin(request) }
        return command.publish == nil && command.unpublish == nil
            ? "invalid command on standard input: expected `publish` or `unpublish`." : nil
    }

    private func begin(_ request: LiveRequest) {
        let (known, count) = entries.withLock { ($0[request.name]?.request, $0.count) }
        guard known != request else { return }
        if known != nil { end(request.name) }
        do throws(PublishingError) {
            guard count < Self.maxOutputs else {
                throw .refused("a session can have at most \(Self.maxOutputs) live outputs.")
            }
            let liveOutput = try RequestedOutput(request)
            let connection = liveOutput.address.kind.connection
            let sender = LiveOutputSender(liveOutput, connection, reportHandler: reportHandler)
            let feed = LiveOutputFeed(
                liveOutput, connection.content, request.standby ? standbyPackets : packets, path: path,
                handler: sender.receive)
            sender.start(with: feed)
            entries.withLock { $0[request.name] = Entry(request: request, running: (sender, feed)) }
        } catch {
            var report = LiveReport(
                live_output: request.name.printable(limit: 64), state: .refused,
                at_ns: MonotonicClock().now.nanoseconds)
            report.text = error.description
            reportHandler(report)
            if count < Self.maxOutputs { entries.withLock { $0[request.name] = Entry(request: request) } }
        }
    }

    private func end(_ name: String) {
        guard let entry = entries.withLock({ $0.removeValue(forKey: name) }) else { return }
        guard let sender = entry.running?.sender else {
            return reportHandler(
                LiveReport(live_output: name, state: .ended, at_ns: MonotonicClock().now.nanoseconds))
        }
        closingSenders.withLock { $0.append(sender) }
        sender.close()
    }

    /// Ends all live outputs and waits less than a second for their connections to close.
    func close() {
        cancellation.cancel()
        for name in entries.withLock({ Array($0.keys) }) { end(name) }
        let deadline = MonotonicClock().now + Self.closeTimeout
        for sender in closingSenders.withLock({ $0 }) { _ = sender.hasEnded(by: deadline) }
    }
}
