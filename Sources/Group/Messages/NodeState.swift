internal import MulticamSessionFolder

/// State of a node, which the node sends once per second.
struct NodeState: Codable, Sendable {
    /// The node's name.
    var node: String
    /// The group's time on the node, in nanoseconds since 1970.
    var at_utc_ns: Int64
    /// State of the node's recorder: `starting`, `standby`, `recording`, `finishing`, `paused`, or `away`.
    var state: String
    /// The recorder's profile; `nil` if no recorder is running.
    var profile: String?
    /// Name of the node's current group recording; `nil` if the node isn't taking part in a recording.
    var recording: String?
    /// Nanoseconds since the node's T0; `nil` while the node isn't recording.
    var time_ns: Int64?
    /// Number of frames lost so far.
    var lost_frames: Int64?
    /// Seconds until the node's disk is full; `nil` while this time is unknown.
    var disk_seconds: Double?
    /// Hardware cost of the plan that the node's recorder uses.
    var cost: Double?
    /// The node's level of system pressure.
    var pressure: String?
    /// Offset of the node's clock from the group's time; `nil` while the offset is unknown.
    var clock: GroupClockReading?
    /// Address of the node's control room, for links in other control rooms; `nil` if no address is
    /// configured.
    var page: String?
    /// Whether the node reports a recording that the group has ended, or that isn't the group's. `multicam
    /// group status` sets this field and ignores the received value.
    var overdue: Bool?
}

/// A node's part in a group recording. The node reports this information to the group and stores it in a file.
struct NodeRecording: Codable, Sendable, Equatable {
    /// The name of the group's recording.
    var recording: String
    /// The group's T0 in nanoseconds since 1970.
    var t0_utc_ns: Int64
    /// Recording duration; `nil` to record until a stop command.
    var duration_ns: Int64?
    /// Term number of the coordinator.
    var term: Int64
    /// Name of the session folder within the node's recordings folder; `nil` until the recording has started.
    var folder: String?
    /// Delay of the node's tracks relative to the group's T0, in nanoseconds; 0 if the node started on time, `nil`
    /// until the recording has started.
    var first_ns: Int64?
    /// The node's T0 on CLOCK_MONOTONIC; `nil` until the recording has started.
    var t0_monotonic_ns: Int64?
    /// Outcome from the manifest: `recording` while the recording is running, then `finished` or another outcome.
    var outcome: String?
    /// The verdict on the node's recording, as a sentence.
    var verdict: String?
    /// Exit status for the outcome: 0 for success, 6 for losses beyond the profile's limit, 7 for a storage
    /// failure, otherwise 1; `nil` while the recording is running, and for nodes that run older program
    /// versions.
    var exit: Int32?
    /// Reason why the recording hasn't started; `nil` if the recording has started.
    var failure: String?
    /// Measurements of the node's clock; `nil` if the clock isn't measured.
    var clock: GroupClockSummary?

    /// Whether the recording is running or about to start.
    var isRunning: Bool { outcome == "recording" }

    /// Whether the node's program died before the recording started. The node may still start the recording
    /// late. If the node refused the recording, the outcome is `failed` instead.
    var neverStarted: Bool { outcome == "unfinished" && folder == nil }

    /// Exit status for the recording. For nodes that run older program versions, the status is derived from
    /// the outcome. The status is 1 if the node sends an invalid value.
    var status: Int32 {
        let status = exit ?? (outcome == "finished" ? 0 : 1)
        return (0...255).contains(status) ? status : 1
    }
}
