internal import Media
internal import Monitoring
internal import SessionFolder

extension SessionEvent {
    /// A microphone is silent or too loud, or is so no longer.
    ///
    /// - Parameters:
    ///   - alarm: What was found.
    ///   - role: The microphone's.
    ///   - start: T0. What was found before it stands there.
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
