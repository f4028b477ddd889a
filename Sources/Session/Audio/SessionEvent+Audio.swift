internal import Media
internal import Monitoring
internal import SessionFolder

extension SessionEvent {
    /// The event of an audio alarm that begins or ends.
    ///
    /// - Parameters:
    ///   - alarm: The alarm.
    ///   - role: The microphone's role.
    ///   - start: T0. An alarm found before it is told at T0.
    init(_ alarm: AudioAlarm, of role: String, since start: ClockTime) {
        var fields: [String: JSONValue] = [
            "track": .string(role), "alarm": .string(alarm.kind.rawValue),
            "state": .string(alarm.isEnd ? "ends" : "begins"),
            "level_dbfs": AudioLevel.decibels(alarm.peak).map {
                .number(Manifest.Clock.rounded($0, 10))
            } ?? .null,
            "text": .string(alarm.sentence(role: role)),
        ]
        if alarm.kind != .clipping { fields["seconds"] = .number(alarm.duration.inSeconds) }
        self.init(
            alarm.kind == .clipping ? .clipping : .silence, at: max(MediaTime(alarm.at, since: start), .zero),
            fields)
    }
}
