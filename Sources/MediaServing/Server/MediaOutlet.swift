internal import Media
internal import MediaLink

/// Where the messages of one subscription go: its connection, until the subscription ends. Safe from any thread.
final class MediaOutlet: Sendable {
    private struct State {
        var isClosed = false
        var sending = 0
    }

    private let connection: MediaConnection
    private let state = ConditionLock(State())

    init(_ connection: MediaConnection) { self.connection = connection }

    /// Number of threads that are sending now. They wait where the process does not read, even after `close`.
    var sendingCount: Int { state.withLock { $0.sending } }

    /// Sends no message from now on.
    func close() { state.withLock { $0.isClosed = true } }

    /// Sends a message. Blocks while the process does not read.
    ///
    /// - Parameters:
    ///   - header: A JSON object.
    ///   - bytes: What follows it, or `nil`.
    /// - Returns: `false` when the connection or the subscription has ended.
    func send(_ header: String, _ bytes: SharedBytes? = nil) -> Bool {
        counted { connection.send(header, bytes) }
    }

    /// Sends a message whose bytes are in memory of their own. Blocks until the process has read all before it.
    ///
    /// - Parameters:
    ///   - header: A JSON object that says `memory`.
    ///   - bytes: What the memory holds.
    /// - Returns: `false` when the connection or the subscription has ended, or the memory cannot be made.
    func send(_ header: String, inMemory bytes: SharedBytes) -> Bool {
        counted { connection.send(header, inMemory: bytes) }
    }

    private func counted(_ send: () -> Bool) -> Bool {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.sending += 1 }
            return !state.isClosed
        }
        guard isOpen else { return false }
        defer { state.withLock { $0.sending -= 1 } }
        return send()
    }
}
