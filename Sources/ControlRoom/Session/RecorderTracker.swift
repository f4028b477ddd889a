internal import MulticamControl
internal import MulticamMedia
internal import MulticamProfiles
internal import MulticamSessionFolder

/// The recorder's state as sent to pages: its presence, its status, and the events of its recording. Used only on the
/// web loop's thread.
final class RecorderTracker {
    private(set) var status = StatusTracker()
    /// Whether a recorder is reachable.
    private(set) var isConnected = false
    /// The reason why no recorder is reachable; `nil` while the reason is unknown.
    private var absenceReason: String?
    /// Events of the current recording, oldest first; `nil` until the recorder has sent them.
    private var events: [[String: JSONValue]]?

    /// Maximum number of events sent to a page when it opens.
    private static let mostEvents = 500

    var isRecording: Bool { status.state == "recording" }

    // MARK: Events

    func recorderConnected() { (isConnected, absenceReason) = (true, nil) }

    func recorderDisconnected() {
        isConnected = false
        events = nil
        status.clear()
    }

    /// Records the supervisor's reason why no recorder is running; `nil` if a recorder is running.
    func setAbsenceReason(_ absence: String?) { self.absenceReason = absence }

    /// Applies a status.
    ///
    /// - Returns: The message for pages, and whether a recording started or ended; `nil` if there is nothing to send.
    func update(status text: String) -> (message: [String: JSONValue], isOtherPhase: Bool)? {
        let (isNew, state) = (status.fields.isEmpty, status.state)
        guard let changes = status.update(text) else { return nil }
        return (
            isNew
                ? ["type": "state", "status": .object(status.fields)]
                : ["type": "change", "status": .object(changes)],
            isNew || status.state != state
        )
    }

    /// Appends an event as it happens.
    ///
    /// - Returns: The message for pages; `nil` if the text isn't an event.
    func append(event text: String) -> [String: JSONValue]? {
        guard let event = WebJSON.object(text) else { return nil }
        // The list holds the events of one recording, so a new recording clears it.
        if event["event"] == "started" { events = [] }
        if let count = events?.count, count >= Self.mostEvents {
            events?.removeFirst(count - Self.mostEvents + 1)
        }
        events?.append(event)
        return ["type": "event", "event": .object(event)]
    }

    /// Applies the event history, which a recorder sends after the connection is established.
    ///
    /// - Returns: The message for pages.
    func replaceEvents(with texts: [String]) -> [String: JSONValue] {
        let all = texts.suffix(Self.mostEvents).compactMap { WebJSON.object($0) }
        events = all
        return Self.message(all)
    }

    // MARK: Messages to pages

    /// A message that reports whether a recorder is reachable.
    var presence: [String: JSONValue] {
        var message: [String: JSONValue] = ["type": "recorder", "there": .boolean(isConnected)]
        if let absenceReason { message["text"] = .string(absenceReason.printable(limit: 400)) }
        return message
    }

    /// Messages sent to a page when it opens.
    var initialMessages: [[String: JSONValue]] {
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

    /// Response to a request that needs a recorder while none is reachable.
    var notRunningResponse: WebResponse {
        WebResponse(
            503,
            message: absenceReason?.printable(limit: 400)
                ?? "The recorder is not running. It may still be starting, or it may have ended.")
    }
}

/// The recorder's latest status, and the changes since the last message to pages. A value type owned by the web loop.
struct StatusTracker {
    /// Fields of the status; empty while no recorder is reachable.
    private(set) var fields: [String: JSONValue] = [:]
    private var statusesSinceTimeUpdate = 0

    /// Maximum number of statuses between two time updates when nothing else changes. This results in one update per
    /// second.
    private static let timeInterval = 10

    /// Applies a status.
    ///
    /// - Parameter text: A JSON object.
    /// - Returns: The changed fields, with `null` for removed ones; `nil` if there is nothing to send.
    mutating func update(_ text: String) -> [String: JSONValue]? {
        guard let now = WebJSON.object(text) else { return nil }
        defer { fields = now }
        var changes: [String: JSONValue] = [:]
        for (name, value) in now where name != "time_ns" {
            if fields[name] != value { changes[name] = value }
        }
        for name in fields.keys where now[name] == nil { changes[name] = .null }
        statusesSinceTimeUpdate += 1
        guard !changes.isEmpty || statusesSinceTimeUpdate >= Self.timeInterval else { return nil }
        statusesSinceTimeUpdate = 0
        changes["time_ns"] = now["time_ns"]
        return changes
    }

    /// Clears the status after the recorder has ended.
    mutating func clear() { fields = [:] }

    /// The recorder's state, such as `recording` or `standby`; empty while no recorder is reachable.
    var state: String { fields["state"]?.string ?? "" }

    /// Name of the session folder of the current recording; `nil` if nothing is being recorded.
    var recording: String? {
        (fields["folder"]?.string).flatMap { $0.split(separator: "/").last.map(String.init) }
    }

    /// Roles of the cameras, in plan order.
    var cameras: [String] { roles("cameras") }

    /// Roles of the microphones, in plan order.
    var microphones: [String] { roles("microphones") }

    private struct Tally: Encodable {
        let state: String
        let cameras: [String: String]
    }

    private func roles(_ name: String) -> [String] {
        (fields[name]?.array ?? []).compactMap { $0["role"]?.string }
    }

    /// Whether the session has a program with audio.
    var hasMix: Bool { !(fields["program"]?["mix"]?.array ?? []).isEmpty }

    /// Whether the session has a program.
    var hasProgram: Bool { if case .object = fields["program"] { true } else { false } }

    /// The content and layout of the program; `nil` if the session doesn't have a program.
    var arrangement: ControlStatus.Arrangement? {
        guard let arrangement = fields["arrangement"] else { return nil }
        return WebJSON.value(of: arrangement)
    }

    /// T0 on CLOCK_MONOTONIC, in nanoseconds; `nil` if no recording is in progress or the recorder doesn't
    /// report it.
    var start: Int64? { fields["t0_monotonic_ns"]?.integer }

    /// The tally as shown on the page: each camera is on air in an inset, on air elsewhere in the frame (`main`), or
    /// off. If the recorder reports which cameras are composed, that report is used, because a change appears slightly
    /// later than it was requested.
    var tally: String { WebJSON.text(Tally(state: state, cameras: tallies)) }

    /// Tally of each camera by role: `main`, `inset` or `off`.
    private var tallies: [String: String] {
        let program = fields["program"]
        let shown = ((program?["on_air"] ?? program?["shown"])?.array ?? []).map(\.string)
        let layout = (program?["layout"]?.string).flatMap { ProgramLayout(rawValue: $0) }
        var tallies: [String: String] = [:]
        for role in cameras {
            let place = shown.firstIndex(of: role)
            tallies[role] = place.map { layout?.isInset($0) == true ? "inset" : "main" } ?? "off"
        }
        return tallies
    }

    /// Whether the governor has paused the program.
    var isProgramPaused: Bool {
        let program = ControlStatus.PausedPicture.program.rawValue
        return (fields["paused"]?.array ?? []).contains { $0.string == program }
    }

    /// Role and tally of each camera, by device name.
    var devices: [String: (role: String, tally: String)] {
        let tallies = tallies
        var devices: [String: (role: String, tally: String)] = [:]
        for camera in fields["cameras"]?.array ?? [] {
            guard let name = camera["name"]?.string, let role = camera["role"]?.string else { continue }
            devices[name] = (role, tallies[role] ?? "off")
        }
        return devices
    }
}
