internal import Media
internal import SessionFolder

/// The recorder as pages are told of it: whether it is there, its status, the events of its recording. Belongs to the thread of the web
/// loop.
final class RecorderBoard {
    private(set) var status = StatusBoard()
    /// Whether a recorder can be asked.
    private(set) var isThere = false
    /// Why none can; `nil` while that is not known.
    private var absence: String?
    /// The events of the recording that runs, the oldest first; `nil` before the recorder has told them.
    private var events: [[String: JSONValue]]?

    /// Most events that a page is told when it opens.
    private static let mostEvents = 500

    var isRecording: Bool { status.state == "recording" }

    // MARK: What happens

    func come() { (isThere, absence) = (true, nil) }

    func leave() {
        isThere = false
        events = nil
        status.clear()
    }

    /// The supervisor says why no recorder runs, or that one does.
    func explain(_ absence: String?) { self.absence = absence }

    /// Takes a status.
    ///
    /// - Returns: What pages are told of it, and whether the recording has begun or ended; `nil` where there is nothing to tell.
    func take(status text: String) -> (message: [String: JSONValue], isOtherPhase: Bool)? {
        let (isNew, state) = (status.fields.isEmpty, status.state)
        guard let changes = status.take(text) else { return nil }
        return (
            isNew
                ? ["type": "state", "status": .object(status.fields)]
                : ["type": "change", "status": .object(changes)],
            isNew || status.state != state
        )
    }

    /// Takes an event as it happens.
    ///
    /// - Returns: What pages are told of it; `nil` for no event.
    func take(event text: String) -> [String: JSONValue]? {
        guard let event = WebJSON.object(text) else { return nil }
        // Its own events are those of a recording: another one begins anew.
        if event["event"] == "started" { events = [] }
        if let count = events?.count, count >= Self.mostEvents {
            events?.removeFirst(count - Self.mostEvents + 1)
        }
        events?.append(event)
        return ["type": "event", "event": .object(event)]
    }

    /// Takes the events so far, which a recorder tells when it is met.
    ///
    /// - Returns: What pages are told of them.
    func take(events texts: [String]) -> [String: JSONValue] {
        let all = texts.suffix(Self.mostEvents).compactMap { WebJSON.object($0) }
        events = all
        return Self.message(all)
    }

    // MARK: What is told

    /// Whether a recorder can be asked, as a message.
    var presence: [String: JSONValue] {
        var message: [String: JSONValue] = ["type": "recorder", "there": .boolean(isThere)]
        if let absence { message["text"] = .string(absence.printable(limit: 400)) }
        return message
    }

    /// What a page is told when it opens.
    var greeting: [[String: JSONValue]] {
        var messages: [[String: JSONValue]] = [
            [
                "type": "hello", "version": .string(MulticamVersion.current),
                "now_ns": .integer(MonotonicClock().now.nanoseconds),
            ],
            presence,
        ]
        if !status.fields.isEmpty { messages.append(["type": "state", "status": .object(status.fields)]) }
        if let events { messages.append(Self.message(events)) }
        return messages
    }

    private static func message(_ events: [[String: JSONValue]]) -> [String: JSONValue] {
        ["type": "events", "events": .array(events.map { .object($0) })]
    }

    /// The answer to a request that needs a recorder while there is none.
    var nobody: WebAnswer {
        WebAnswer(
            503, saying: absence?.printable(limit: 400) ?? "No recorder runs: it is starting, or has ended.")
    }
}
