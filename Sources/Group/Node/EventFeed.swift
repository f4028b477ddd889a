internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// Sends the events of a node's recordings to the broker's stream, each exactly once and in order. Sending
/// continues after the last event in the stream, so a lost connection or data loss on the broker doesn't
/// leave a gap. Use it from a single thread.
struct EventFeed {
    private let stream: JetStream
    private let journal: NodeJournal
    private let node: String
    private let output: String
    /// Sequence number of the node's last event in the stream.
    private var last: UInt64?
    private var file: (recording: String, events: EventFile)?
    /// Event lines that have been read but not sent.
    private var waiting: [(number: Int64, line: String)] = []
    /// The node's last event in the stream, as of the last query.
    private var lastSent: EventLine?

    /// Queries the stream for the node's last event.
    ///
    /// - Throws: `GroupError` if the broker doesn't respond.
    init(_ stream: JetStream, _ journal: NodeJournal, node: String, output: String) throws(GroupError) {
        (self.stream, self.journal, self.node, self.output) = (stream, journal, node, output)
        guard let message = try stream.lastEvent(of: node) else { return }
        last = message.sequence
        do {
            lastSent = try JSONText.decoder().decode(EventLine.self, from: Data(message.bytes))
        } catch {
            // The node's last message in the stream isn't a valid event. New events are appended after that
            // message.
        }
    }

    /// Sends new events.
    ///
    /// - Returns: Whether more events may be available immediately.
    /// - Throws: `GroupError` if the broker can't store an event. After an error, create a new feed, which
    ///   determines where to continue.
    mutating func sendNext() throws(GroupError) -> Bool {
        if waiting.isEmpty { waiting = read() }
        guard let (number, line) = waiting.first, let recording = file?.recording else { return false }
        let event = EventLine(node: node, recording: recording, number: number, event: line)
        let (outcome, place) = stream.publish(
            JSONText.line(event), of: node, after: last)
        switch outcome {
        case .stored:
            last = place
            waiting.removeFirst()
            return true
        case .sequenceMismatch:
            throw GroupError(
                "some events of the node \(node) were lost by the broker or sent by another process.")
        case .failed(let reason): throw GroupError("the broker did not store an event: \(reason).")
        }
    }

    /// Reads unsent event lines of the oldest recording whose events haven't all been sent.
    private mutating func read() -> [(number: Int64, line: String)] {
        if let present = file {
            let lines = file?.events.readNext() ?? []
            let isOver = journal.entry(present.recording)?.outcome != "recording"
            if !lines.isEmpty || !isOver { return unsent(lines, of: present.recording) }
        }
        guard
            let next = Self.next(in: journal.all, read: file?.recording, lastSent: lastSent?.recording),
            let folder = next.folder
        else { return [] }
        file = (next.recording, EventFile("\(folder)/events.ndjson", in: output))
        return unsent(file?.events.readNext() ?? [], of: next.recording)
    }

    /// Returns the next recording for sending events.
    ///
    /// - Parameters:
    ///   - journal: The node's recordings, oldest first.
    ///   - read: Name of the last recording that was completely read; `nil` if there isn't one.
    ///   - lastSent: Name of the recording that contains the stream's last event; `nil` if the stream is empty.
    /// - Returns: The next recording that has started, or the oldest one if the journal no longer contains
    ///   the stream's last recording; `nil` if all events were sent.
    static func next(in journal: [NodeRecording], read: String?, lastSent: String?) -> NodeRecording? {
        let entries = journal.filter { $0.folder != nil }
        let index = (read ?? lastSent).flatMap { last in entries.firstIndex { $0.recording == last } }
        // The stream may not contain all events of its last recording. If the recording's file was read to
        // the end, all its events have been read.
        let next = index.map { read == nil ? $0 : $0 + 1 } ?? 0
        return entries.indices.contains(next) ? entries[next] : nil
    }

    private func unsent(
        _ lines: [(number: Int64, line: String)], of recording: String
    ) -> [(number: Int64, line: String)] {
        guard let lastSent, lastSent.recording == recording else { return lines }
        return lines.filter { $0.number > lastSent.number }
    }
}

/// Reads the lines of a growing `events.ndjson`, each exactly once. Use it from a single thread.
struct EventFile {
    /// Number of the last line that was read.
    private(set) var number: Int64 = 0
    private let name: String
    private let folder: String
    private var offset: Int64 = 0
    private var pending: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// Maximum length of a line in bytes. Longer lines are counted but not sent, because a message that
    /// quotes such a line as a JSON string could exceed the broker's size limit.
    private static let longestLine = 48 << 10

    /// Creates a reader for a file in a folder. The file need not exist yet.
    init(_ name: String, in folder: String) { (self.name, self.folder) = (name, folder) }

    /// Reads the next complete lines, at most about a hundred at a time.
    mutating func readNext() -> [(number: Int64, line: String)] {
        do throws(FileError) {
            return read(try ContainedFile(name, in: folder).openForReading())
        } catch {
            // The file doesn't exist yet, or it isn't a file written by a recorder.
            return []
        }
    }

    private mutating func read(_ file: borrowing OwnedDescriptor) -> [(number: Int64, line: String)] {
        let descriptor = file.number
        var lines: [(Int64, String)] = []
        while lines.count < 100 {
            let count = buffer.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
            guard count > 0 else { break }
            offset += Int64(count)
            pending += buffer[..<count]
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                if end <= Self.longestLine {
                    lines.append((number, String(decoding: pending[..<end], as: UTF8.self)))
                } else {
                    lines.append((number, "{}"))
                }
                pending.removeFirst(end + 1)
            }
        }
        return lines
    }
}

/// A node's event as sent to the broker: a line of its `events.ndjson` with the line number.
struct EventLine: Codable, Sendable {
    /// The node's name.
    var node: String
    /// Name of the group recording that contains the event.
    var recording: String
    /// Number of the line in `events.ndjson`, starting at 1.
    var number: Int64
    /// Text of the event line.
    var event: String
}
