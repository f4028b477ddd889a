package import MulticamMedia

/// Tracks the live outputs of a session and collects their data for the current recording. Thread-safe.
///
/// The sending process is not trusted, so a recording stores only a limited number of changes, no matter how often the
/// state changes.
package final class LiveOutputRegistry: Sendable {
    private struct Entry {
        var status: LiveOutputStatus
        /// Connection periods, relative to T0. The last period has no end while the output is connected.
        var connected: [(from: ClockTime, to: ClockTime?)] = []
        var reasons: [String] = []
        /// Numbers of frames that were sent and dropped before T0.
        var initialCounts: (sent: Int64, dropped: Int64) = (0, 0)
        /// Whether the recording's manifest includes the live output, because the output was active at T0 or
        /// later.
        var isRecorded = false
        /// The second in which the last change events occurred, and the number of events in that second.
        var reported: (second: Int64, count: Int) = (0, 0)

        init(_ status: LiveOutputStatus) { self.status = status }
    }

    private struct State {
        /// The live outputs, in the order of their first reports.
        var entries: [Entry] = []
        var listener: (@Sendable (Bool) -> Void)?
    }

    private let state = ConditionLock(State())

    /// Creates a registry without live outputs.
    package init() {}

    /// Maximum number of change events per second for each live output.
    private static let maxChanges = 20
    /// Maximum number of connection periods per live output in a manifest.
    private static let maxConnections = 10_000
    private static let maxEntries = 100

    /// Status of all live outputs, in the order of their first reports.
    package var statuses: [LiveOutputStatus] { state.withLock { $0.entries.map(\.status) } }

    /// Sets the listener, which is called with `true` when a recording starts and with `false` when the recording has
    /// been encoded completely. The listener must not block.
    package func setListener(_ listener: (@Sendable (Bool) -> Void)?) {
        state.withLock { $0.listener = listener }
    }

    /// Updates the status of a live output.
    ///
    /// - Returns: Whether an event must be reported because the state or its reason has changed.
    package func update(_ status: LiveOutputStatus) -> Bool {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.status.name == status.name }) else {
                guard state.entries.count < Self.maxEntries else { return false }
                state.entries.append(Entry(status))
                Self.apply(status, to: &state.entries[state.entries.count - 1])
                return true
            }
            let last = state.entries[index].status
            var status = status
            // Frame counts never decrease, even if the sender reports lower values.
            status.sentFrames = max(status.sentFrames, last.sentFrames)
            status.droppedFrames = max(status.droppedFrames, last.droppedFrames)
            guard (status.state, status.text) != (last.state, last.text) else {
                status.since = last.since
                state.entries[index].status = status
                return false
            }
            Self.apply(status, to: &state.entries[index])
            let second = status.since.nanoseconds / 1_000_000_000
            if state.entries[index].reported.second != second { state.entries[index].reported = (second, 0) }
            state.entries[index].reported.count += 1
            return state.entries[index].reported.count <= Self.maxChanges
        }
    }

    private static func apply(_ status: LiveOutputStatus, to entry: inout Entry) {
        entry.status = status
        if status.state != .off { entry.isRecorded = true }
        let isOpen = entry.connected.last.map { $0.to == nil } ?? false
        if status.state == .connected, !isOpen {
            entry.connected.append((status.since, nil))
            if entry.connected.count > maxConnections { entry.connected.removeFirst(maxConnections / 2) }
        } else if status.state != .connected, isOpen {
            entry.connected[entry.connected.count - 1].to = status.since
        }
        if let text = status.text, status.state == .waiting || status.state == .refused,
            !entry.reasons.contains(text),
            entry.reasons.count < Manifest.LiveOutput.maxReasons
        {
            entry.reasons.append(text)
        }
    }

    /// Records the start of a recording and notifies the listener.
    ///
    /// - Parameter start: T0, the start time of the recording.
    /// - Returns: The live outputs that are active at the start.
    package func begin(at start: ClockTime) -> [LiveOutputStatus] {
        let (running, listener) = state.withLock { state in
            for index in state.entries.indices {
                let status = state.entries[index].status
                let isWanted = ![.off, .ended].contains(status.state)
                state.entries[index].initialCounts = (status.sentFrames, status.droppedFrames)
                state.entries[index].isRecorded = isWanted
                state.entries[index].connected = status.state == .connected ? [(start, nil)] : []
                let isFailing = status.state == .waiting || status.state == .refused
                state.entries[index].reasons = isFailing ? [status.text].compactMap(\.self) : []
            }
            return (state.entries.filter(\.isRecorded).map(\.status), state.listener)
        }
        listener?(true)
        return running
    }

    /// Notifies the listener that the recording has been encoded completely.
    package func end() { state.withLock(\.listener)?(false) }

    /// Returns the live outputs for the manifest of a recording.
    ///
    /// - Parameters:
    ///   - start: T0, the start time of the recording.
    ///   - end: The end of the recording, or the current time if it is still running.
    /// - Returns: The live outputs that were active at T0 or later, with connection times limited to the
    ///   range from T0 to `end`.
    package func recorded(from start: ClockTime, to end: ClockTime) -> [Manifest.LiveOutput] {
        let length = (end - start).count
        return state.withLock(\.entries).filter(\.isRecorded).map { entry in
            let connected = entry.connected.compactMap { stretch -> Manifest.LiveOutput.Connection? in
                let from = min(max((stretch.from - start).count, 0), length)
                let to = stretch.to.map { min(($0 - start).count, length) } ?? length
                return to > from ? Manifest.LiveOutput.Connection(from_ns: from, to_ns: to) : nil
            }
            return Manifest.LiveOutput(
                name: entry.status.name, kind: entry.status.kind.rawValue, connected: connected,
                sent_frames: entry.status.sentFrames - entry.initialCounts.sent,
                dropped_frames: entry.status.droppedFrames - entry.initialCounts.dropped,
                reasons: entry.reasons)
        }
    }
}

extension SessionEvent {
    /// Creates the event for a change of a live output's state or reason.
    package init(_ status: LiveOutputStatus, at time: MediaTime) {
        self.init(
            .liveOutput(
                LiveOutput(
                    name: status.name, kind: status.kind.rawValue, state: status.state,
                    sent_frames: status.sentFrames, dropped_frames: status.droppedFrames,
                    text: status.text)),
            at: time)
    }
}

/// Status of one live output.
package struct LiveOutputStatus: Sendable, Equatable {
    /// Connection state of a live output.
    package enum State: String, Sendable, Codable, CaseIterable {
        /// The output is defined in the profile but not published.
        case off
        /// The output is connecting.
        case connecting
        /// The server accepts the stream.
        case connected
        /// The server is unreachable or has stopped accepting data; the output retries.
        case waiting
        /// The receiver rejected the connection because the key, name or certificate is wrong. Retries are
        /// infrequent.
        case refused
        /// The output was stopped.
        case ended
    }

    /// The live output's name.
    package let name: String
    /// The kind of live output.
    package let kind: LiveOutputAddress.Kind
    /// Current connection state of the live output.
    package var state: State
    /// Reason for the state, as a sentence; `nil` if there is none.
    package var text: String?
    /// Start of the current state, on the session clock.
    package var since: ClockTime
    /// Number of frames sent. For a virtual microphone, this is the number of 20 ms blocks.
    package var sentFrames: Int64 = 0
    /// Frames dropped so far because the server was too slow or unreachable.
    package var droppedFrames: Int64 = 0
    /// Current bit rate in bits per second; `nil` if unknown.
    package var bitrate: Int64?

    /// Creates the status of a live output that has not sent anything yet.
    package init(
        name: String, kind: LiveOutputAddress.Kind, state: State, text: String? = nil, since: ClockTime
    ) {
        (self.name, self.kind, self.state) = (name, kind, state)
        (self.text, self.since) = (text, since)
    }
}

extension Manifest {
    /// A live output during the recording.
    package struct LiveOutput: Sendable, Equatable, Codable {
        /// An interval in which the server accepted the stream.
        package struct Connection: Sendable, Equatable, Codable {
            /// Start of the connection in nanoseconds since T0.
            package var from_ns: Int64
            /// End of the connection in nanoseconds since T0.
            package var to_ns: Int64

            package init(from_ns: Int64, to_ns: Int64) { (self.from_ns, self.to_ns) = (from_ns, to_ns) }
        }

        /// Maximum number of reasons stored per live output.
        package static let maxReasons = 20

        /// Name of the live output.
        package var name: String
        /// Kind of the output: `srt`, `rtmp`, `whip`, `v4l2` or `pulse`.
        package var kind: String
        /// Connection periods, in order.
        package var connected: [Connection]
        /// Number of frames sent. For a virtual microphone, this is the number of 20 ms blocks.
        package var sent_frames: Int64
        /// Number of frames dropped because the server was too slow or unreachable.
        package var dropped_frames: Int64
        /// Descriptions of the connection problems, without duplicates.
        package var reasons: [String]

        package init(
            name: String, kind: String, connected: [Connection] = [], sent_frames: Int64 = 0,
            dropped_frames: Int64 = 0, reasons: [String] = []
        ) {
            self.name = name
            self.kind = kind
            self.connected = connected
            self.sent_frames = sent_frames
            self.dropped_frames = dropped_frames
            self.reasons = reasons
        }
    }
}
