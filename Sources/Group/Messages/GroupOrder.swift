/// A command to one node, or to all.
struct GroupOrder: Codable, Sendable, Equatable {
    /// What is to be done.
    enum Action: String, Codable, Sendable {
        /// Have a recorder stand by with a profile, and tell plan, cost, disk and clock.
        case prepare
        /// Begin a recording at T0.
        case begin
        /// End the recording at an instant.
        case stop
        /// Do what the words of `multicam ctl` say.
        case ctl
        /// Tell where a recording is, and how it went.
        case report
    }

    /// What it is known by: the same again is answered as before, and not done twice.
    var id: String
    /// Who says it, for people.
    var conductor: String
    /// Number of the conductor: a node obeys none that is lower than one that it has obeyed in the same recording.
    var term: Int64
    var action: Action
    /// After this it is not done any more: the group's time in nanoseconds since 1970.
    var deadline_utc_ns: Int64
    /// The name of the group's recording; `nil` where the order is about none.
    var recording: String?
    /// Of `prepare`: the profile, of those on the node; `nil` for the node's own.
    var profile: String?
    /// Of `prepare` and `begin`: T0 in nanoseconds since 1970.
    var t0_utc_ns: Int64?
    /// Of `prepare` and `begin`: how long to record; `nil` until a stop.
    var duration_ns: Int64?
    /// Of `stop` and `ctl`: the instant that is meant, in nanoseconds since 1970.
    var at_utc_ns: Int64?
    /// Of `ctl`: the words.
    var words: [String]?
}
