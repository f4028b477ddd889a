internal import SessionFolder

/// A node's part of a group's recording: what it tells of it, and what it keeps of it in a file.
struct NodeRecording: Codable, Sendable, Equatable {
    /// The name of the group's recording.
    var recording: String
    /// T0 of the group, in nanoseconds since 1970.
    var t0_utc_ns: Int64
    /// How long it is to record; `nil` until a stop.
    var duration_ns: Int64?
    /// The conductor's number.
    var term: Int64
    /// The name of the session folder, in the folder where the node records; `nil` until it has begun.
    var folder: String?
    /// How much later than the group's T0 its tracks begin, in nanoseconds; 0 where it was in time. `nil` until it has begun.
    var first_ns: Int64?
    /// The node's own T0 on its CLOCK_MONOTONIC; `nil` until it has begun.
    var t0_monotonic_ns: Int64?
    /// What the manifest says: `recording` while it runs, then `finished` or another outcome.
    var outcome: String?
    /// The verdict, as a sentence.
    var verdict: String?
    /// The exit status that the outcome calls for: 0 as asked, 6 with losses beyond the profile's limit, 7 where storage failed, else 1; `nil`
    /// while it runs, and of older nodes.
    var exit: Int32?
    /// Why it has not begun; `nil` when it has.
    var failure: String?
    /// What was measured of its clock; `nil` where nothing was.
    var clock: GroupClockSummary?

    /// The exit status that it calls for, by the outcome of older nodes; 1 where it names none that can be.
    var status: Int32 {
        let status = exit ?? (outcome == "finished" ? 0 : 1)
        return (0...255).contains(status) ? status : 1
    }
}
