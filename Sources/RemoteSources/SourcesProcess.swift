internal import FoundationEssentials
internal import Media
internal import SessionFolder

/// All network cameras of a session: follows what the recorder says, and tells how they go. Safe to use from any thread.
final class SourcesProcess: Sendable {
    private let path: String
    private let sources = ConditionLock<[String: OpenSource]>([:])
    private let tell: @Sendable (SourceReport) -> Void
    private let cancellation = Cancellation()
    private let memory = PortalMemory()

    /// Most network cameras at once.
    private static let most = 32
    private static let interval = Nanoseconds.seconds(1)

    /// - Parameters:
    ///   - path: Path of the media socket.
    ///   - tell: Gets each report, on any thread. It must not block.
    init(path: String, tell: @escaping @Sendable (SourceReport) -> Void) {
        (self.path, self.tell) = (path, tell)
    }

    /// Starts the thread that reports once a second.
    func start() {
        _ = MediaThread(name: "source:second") { [self] in
            while !cancellation.wait(until: MonotonicClock().now + Self.interval) {
                for source in sources.withLock({ Array($0.values) }) { tell(source.report) }
            }
        }
    }

    /// Follows a line of standard input.
    ///
    /// - Returns: What is wrong with it, as a sentence without anything of the line; `nil` for nothing.
    func follow(_ line: Data) -> String? {
        let request: SourceRequest
        do {
            request = try JSONText.decoder().decode(SourceCommand.self, from: line).open
        } catch {
            // The error may have a part of the line in it, and the line a password.
            return "a line of standard input is no command: expected {\"open\":{\"name\":…,\"url\":…}}."
        }
        let (known, count) = sources.withLock { ($0[request.name], $0.count) }
        guard known?.request != request || known?.isOver == true else { return nil }
        known?.close()
        guard known != nil || count < Self.most else {
            tell(
                SourceReport(
                    source: request.name, state: .refused, text: "\(Self.most) network cameras are the most.")
            )
            return nil
        }
        do throws(DestinationAddressError) {
            let source = OpenSource(
                request, try SourceAddress(request.url.value), socket: path, memory: memory, tell: tell)
            sources.withLock { $0[request.name] = source }
            source.start(after: known)
        } catch {
            tell(SourceReport(source: request.name, state: .refused, text: error.description))
        }
        return nil
    }

    /// Ends all connections.
    func close() {
        cancellation.cancel()
        for source in sources.withLock({ Array($0.values) }) { source.close() }
    }
}
