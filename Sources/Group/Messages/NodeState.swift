/// How a node is, once a second.
struct NodeState: Codable, Sendable {
    /// The node's name.
    var node: String
    /// The group's time on it, in nanoseconds since 1970.
    var at_utc_ns: Int64
    /// What its recorder does: `starting`, `standby`, `recording`, `finishing`, `paused`, or `away`.
    var state: String
    /// The recorder's profile; `nil` when it is away.
    var profile: String?
    /// The group's recording that it makes; `nil` while it makes none.
    var recording: String?
    /// Nanoseconds since its T0; `nil` while it records nothing.
    var time_ns: Int64?
    /// Frames lost so far.
    var lost_frames: Int64?
    /// Seconds until its disk is full; `nil` while that is not known.
    var disk_seconds: Double?
    /// Its hardware cost.
    var cost: Double?
    /// The level of system pressure.
    var pressure: String?
    /// How far its clock is; `nil` while that is not known.
    var clock: ClockReading?
    /// The address of its own control room, to which others' link; `nil` where none was named.
    var page: String?
}
