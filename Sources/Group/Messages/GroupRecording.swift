internal import Media

/// A recording of a group, as the broker's store has it.
struct GroupRecording: Codable, Sendable, Equatable {
    /// Its name.
    var name: String
    /// The group's name.
    var group: String
    /// Who conducts it, for people.
    var conductor: String
    /// The conductor's number; one that takes over counts on.
    var term: Int64
    /// T0, in nanoseconds since 1970.
    var t0_utc_ns: Int64
    /// How long it is to be; `nil` until a stop.
    var duration_ns: Int64?
    /// When it has ended or is to end, in nanoseconds since 1970; `nil` until somebody has said so.
    var end_utc_ns: Int64?
    /// The nodes that record.
    var nodes: [String]

    /// Whether it runs or is about to.
    ///
    /// - Parameter now: The group's time in nanoseconds since 1970.
    /// - Returns: `false` when it has ended.
    func isRunning(at now: Int64) -> Bool {
        if let end_utc_ns, end_utc_ns <= now { return false }
        guard let duration_ns else { return true }
        return now < (Nanoseconds(t0_utc_ns) + Nanoseconds(duration_ns)).count
    }
}
