internal import FoundationEssentials
internal import Media
internal import SessionFolder

/// Sends the events of a node's recordings to the broker's stream: each once, in order. What the stream has last tells where to go on, so
/// that neither a cut nor a broker that has lost its disk leaves a hole. One thread uses it.
struct EventFeed {
    private let stream: JetStream
    private let journal: NodeJournal
    private let node: String
    private let output: String
    /// Place of the node's last event in the stream.
    private var last: UInt64?
    private var file: (recording: String, events: EventFile)?
    /// Lines that are read and not sent.
    private var waiting: [(number: Int64, line: String)] = []
    /// What the stream had when it was asked last.
    private var had: EventLine?

    /// Asks the stream what it has of the node.
    ///
    /// - Throws: `GroupError` when the broker does not answer.
    init(_ stream: JetStream, _ journal: NodeJournal, node: String, output: String) throws(GroupError) {
        (self.stream, self.journal, self.node, self.output) = (stream, journal, node, output)
        guard let message = try stream.lastEvent(of: node) else { return }
        last = message.sequence
        do {
            had = try JSONText.decoder().decode(EventLine.self, from: Data(message.bytes))
        } catch {
            // No event of ours: the node's are sent behind it.
        }
    }

    /// Sends what is new.
    ///
    /// - Returns: Whether there may be more at once.
    /// - Throws: `GroupError` when the broker does not keep it; a new feed then finds out where to go on.
    mutating func step() throws(GroupError) -> Bool {
        if waiting.isEmpty { waiting = read() }
        guard let (number, line) = waiting.first, let recording = file?.recording else { return false }
        let event = EventLine(node: node, recording: recording, number: number, event: line)
        let (outcome, place) = stream.send(
            JSONText.line(event), id: "\(node)-\(recording)-\(number)", of: node, after: last)
        switch outcome {
        case .kept:
            last = place
            waiting.removeFirst()
            return true
        case .otherLast:
            throw GroupError("events of \(node) were sent by another process, or the broker lost some.")
        case .failed(let reason): throw GroupError("the broker does not keep events: \(reason).")
        }
    }

    /// Lines that the stream has not, of the oldest recording that is not sent.
    private mutating func read() -> [(number: Int64, line: String)] {
        if let present = file {
            let lines = file?.events.next() ?? []
            let isOver = journal.entry(present.recording)?.outcome != "recording"
            if !lines.isEmpty || !isOver { return unsent(lines, of: present.recording) }
        }
        let entries = journal.all.filter { $0.folder != nil }
        let after = file?.recording ?? had?.recording
        let index = after.flatMap { after in entries.firstIndex { $0.recording == after } }
        // The one that the stream has last may not be whole there; of one that was read to its end nothing more comes.
        let next = index.map { file == nil ? $0 : $0 + 1 } ?? 0
        guard entries.indices.contains(next), let folder = entries[next].folder else { return [] }
        file = (entries[next].recording, EventFile("\(output)/\(folder)/events.ndjson"))
        return unsent(file?.events.next() ?? [], of: entries[next].recording)
    }

    private func unsent(
        _ lines: [(number: Int64, line: String)], of recording: String
    ) -> [(number: Int64, line: String)] {
        guard let had, had.recording == recording else { return lines }
        return lines.filter { $0.number > had.number }
    }
}
