package import Media

/// What is known of a session's live outputs, and what the recording that runs keeps of them. Any thread may call.
///
/// The process that sends is not trusted: however often it changes its mind, a recording keeps a bounded number of changes.
package final class PublicationBoard: Sendable {
    private struct Entry {
        var status: PublicationStatus
        /// Stretches in which it was connected, since T0; the last one may be open.
        var connected: [(from: ClockTime, to: ClockTime?)] = []
        var reasons: [String] = []
        /// What was counted before T0.
        var before: (sent: Int64, dropped: Int64) = (0, 0)
        /// Whether the recording keeps it: it was wanted at T0 or later.
        var isKept = false
        /// The second in which the last changes were told, and how many they were.
        var told: (second: Int64, count: Int) = (0, 0)

        init(_ status: PublicationStatus) { self.status = status }
    }

    private struct State {
        /// In the order in which they were first told of.
        var entries: [Entry] = []
        var listener: (@Sendable (Bool) -> Void)?
    }

    private let state = ConditionLock(State())

    /// Creates a board without live outputs.
    package init() {}

    /// Most changes of one publication in a second that are told as events.
    private static let mostChanges = 20
    /// Most stretches of a publication that a manifest keeps.
    private static let mostConnections = 10_000
    private static let mostEntries = 100

    /// How the live outputs go, in the order in which they were first told of.
    package var present: [PublicationStatus] { state.withLock { $0.entries.map(\.status) } }

    /// Sets what is told when a recording begins, and when all of it has been encoded. It must not block.
    package func follow(_ listener: (@Sendable (Bool) -> Void)?) { state.withLock { $0.listener = listener } }

    /// Takes news of a live output.
    ///
    /// - Returns: Whether they are to be told as an event: the state or its reason is another one.
    package func take(_ status: PublicationStatus) -> Bool {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.status.name == status.name }) else {
                guard state.entries.count < Self.mostEntries else { return false }
                state.entries.append(Entry(status))
                Self.note(status, in: &state.entries[state.entries.count - 1])
                return true
            }
            let last = state.entries[index].status
            var status = status
            // Counts never fall, whoever tells them.
            status.sentFrames = max(status.sentFrames, last.sentFrames)
            status.droppedFrames = max(status.droppedFrames, last.droppedFrames)
            guard (status.state, status.text) != (last.state, last.text) else {
                status.since = last.since
                state.entries[index].status = status
                return false
            }
            Self.note(status, in: &state.entries[index])
            let second = status.since.nanoseconds / 1_000_000_000
            if state.entries[index].told.second != second { state.entries[index].told = (second, 0) }
            state.entries[index].told.count += 1
            return state.entries[index].told.count <= Self.mostChanges
        }
    }

    private static func note(_ status: PublicationStatus, in entry: inout Entry) {
        entry.status = status
        if status.state != .off { entry.isKept = true }
        let isOpen = entry.connected.last.map { $0.to == nil } ?? false
        if status.state == .connected, !isOpen {
            entry.connected.append((status.since, nil))
            if entry.connected.count > mostConnections { entry.connected.removeFirst(mostConnections / 2) }
        } else if status.state != .connected, isOpen {
            entry.connected[entry.connected.count - 1].to = status.since
        }
        if let text = status.text, status.state == .waiting || status.state == .refused,
            !entry.reasons.contains(text),
            entry.reasons.count < Manifest.Publication.mostReasons
        {
            entry.reasons.append(text)
        }
    }

    /// Notes that a recording begins, and tells the listener.
    ///
    /// - Parameter start: T0.
    /// - Returns: The live outputs that run already.
    package func begin(at start: ClockTime) -> [PublicationStatus] {
        let (running, listener) = state.withLock { state in
            for index in state.entries.indices {
                let status = state.entries[index].status
                let isWanted = ![.off, .ended].contains(status.state)
                state.entries[index].before = (status.sentFrames, status.droppedFrames)
                state.entries[index].isKept = isWanted
                state.entries[index].connected = status.state == .connected ? [(start, nil)] : []
                let isFailing = status.state == .waiting || status.state == .refused
                state.entries[index].reasons = isFailing ? [status.text].compactMap(\.self) : []
            }
            return (state.entries.filter(\.isKept).map(\.status), state.listener)
        }
        listener?(true)
        return running
    }

    /// Tells the listener that all of a recording has been encoded.
    package func end() { state.withLock(\.listener)?(false) }

    /// What a recording keeps of its live outputs.
    ///
    /// - Parameters:
    ///   - start: T0.
    ///   - end: The end of the recording; while it runs, the present.
    /// - Returns: Those that were wanted since T0, with times from T0 to the end.
    package func recorded(from start: ClockTime, to end: ClockTime) -> [Manifest.Publication] {
        let length = (end - start).count
        return state.withLock(\.entries).filter(\.isKept).map { entry in
            let connected = entry.connected.compactMap { stretch -> Manifest.Publication.Connection? in
                let from = min(max((stretch.from - start).count, 0), length)
                let to = stretch.to.map { min(($0 - start).count, length) } ?? length
                return to > from ? Manifest.Publication.Connection(from_ns: from, to_ns: to) : nil
            }
            return Manifest.Publication(
                name: entry.status.name, kind: entry.status.kind.rawValue, connected: connected,
                sent_frames: entry.status.sentFrames - entry.before.sent,
                dropped_frames: entry.status.droppedFrames - entry.before.dropped, reasons: entry.reasons)
        }
    }
}

extension SessionEvent {
    /// Creates the event of a live output whose state or reason is another one.
    package init(_ status: PublicationStatus, at time: MediaTime) {
        var fields: [String: JSONValue] = [
            "name": .string(status.name), "kind": .string(status.kind.rawValue),
            "state": .string(status.state.rawValue), "sent_frames": .integer(status.sentFrames),
            "dropped_frames": .integer(status.droppedFrames),
        ]
        if let text = status.text { fields["text"] = .string(text) }
        self.init(.publication, at: time, fields)
    }
}
