internal import Control
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import SessionFolder

/// All publications of a session: follows what the recorder says, and tells how they go. Safe to use from any thread.
final class LiveProcess: Sendable {
    /// A publication that is wanted.
    private struct Entry {
        let request: LiveRequest
        /// `nil` for a request that was refused.
        var running: (destination: Destination, feed: PublicationFeed)?
    }

    private let path: String
    private let packets: PacketFeed
    private let standbyPackets: PacketFeed
    private let entries = ConditionLock<[String: Entry]>([:])
    private let leaving = ConditionLock<[Destination]>([])
    private let tell: @Sendable (LiveReport) -> Void
    private let cancellation = Cancellation()

    /// Most publications at once.
    private static let most = 32
    private static let interval = Nanoseconds.seconds(1)
    /// How long the end waits for goodbyes.
    private static let farewell = Nanoseconds.milliseconds(900)

    /// - Parameters:
    ///   - path: Path of the media socket.
    ///   - tell: Gets each report, on any thread. It must not block.
    init(path: String, tell: @escaping @Sendable (LiveReport) -> Void) {
        (self.path, self.tell) = (path, tell)
        packets = PacketFeed(path: path, includesStandby: false)
        standbyPackets = PacketFeed(path: path, includesStandby: true)
    }

    /// Starts the thread that reports once a second.
    func start() {
        _ = MediaThread(name: "live:second") { [self] in
            let clock = MonotonicClock()
            var next = clock.now + Self.interval
            while !cancellation.wait(until: next) {
                next = max(next + Self.interval, clock.now)
                packets.tend()
                standbyPackets.tend()
                for entry in entries.withLock({ Array($0.values) }) {
                    if let (destination, feed) = entry.running { destination.tick(feed) }
                }
                leaving.withLock { $0.removeAll { $0.hasEnded(by: ClockTime(nanoseconds: 0)) } }
            }
        }
    }

    /// Follows a line of standard input.
    ///
    /// - Returns: What is wrong with it, as a sentence without anything of the line; `nil` for nothing.
    func follow(_ line: Data) -> String? {
        let command: LiveCommand
        do {
            command = try JSONText.decoder().decode(LiveCommand.self, from: line)
        } catch {
            // The error may have a part of the line in it, and the line a key.
            return
                "a line of standard input is no command: expected {\"publish\":{\"name\":…,\"url\":…}} or {\"unpublish\":…}."
        }
        if let name = command.unpublish { end(name) }
        if let request = command.publish { begin(request) }
        return command.publish == nil && command.unpublish == nil
            ? "a line of standard input has neither `publish` nor `unpublish`." : nil
    }

    private func begin(_ request: LiveRequest) {
        let (known, count) = entries.withLock { ($0[request.name]?.request, $0.count) }
        guard known != request else { return }
        if known != nil { end(request.name) }
        do throws(PublishingError) {
            guard count < Self.most else { throw .refused("\(Self.most) publications are the most.") }
            let publication = try Publication(request)
            let connection = publication.address.kind.connection
            let destination = Destination(publication, connection, tell: tell)
            let feed = PublicationFeed(
                publication, connection.content, request.standby ? standbyPackets : packets, path: path,
                tell: destination.take)
            destination.start(with: feed)
            entries.withLock { $0[request.name] = Entry(request: request, running: (destination, feed)) }
        } catch {
            var report = LiveReport(
                publication: request.name.printable(limit: 64), state: .refused,
                at_ns: MonotonicClock().now.nanoseconds)
            report.text = error.description
            tell(report)
            if count < Self.most { entries.withLock { $0[request.name] = Entry(request: request) } }
        }
    }

    private func end(_ name: String) {
        guard let entry = entries.withLock({ $0.removeValue(forKey: name) }) else { return }
        guard let destination = entry.running?.destination else {
            return tell(
                LiveReport(publication: name, state: .ended, at_ns: MonotonicClock().now.nanoseconds))
        }
        leaving.withLock { $0.append(destination) }
        destination.close()
    }

    /// Ends all publications, and waits for their goodbyes, for less than a second.
    func close() {
        cancellation.cancel()
        for name in entries.withLock({ Array($0.keys) }) { end(name) }
        let deadline = MonotonicClock().now + Self.farewell
        for destination in leaving.withLock({ $0 }) { _ = destination.hasEnded(by: deadline) }
    }
}
