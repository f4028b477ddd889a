/// What a node answers to a command.
struct GroupAnswer: Codable, Sendable, Equatable {
    /// The command's id.
    var id: String
    /// Who answers.
    var node: String
    /// Whether it did, or will do, what was asked.
    var ok: Bool
    /// What it did, or why not, as a sentence for people.
    var text: String
    /// Of a refusal: the exit status that it calls for.
    var exit: Int32?
    /// Of `prepare`: the hardware cost of the plan.
    var cost: Double?
    /// Of `prepare`: seconds until the disk is full.
    var disk_seconds: Double?
    /// How far the clock is; `nil` while that is not known.
    var clock: ClockReading?
    /// Of `prepare`: nanoseconds from a frame to the next, of the slowest track.
    var frame_ns: Int64?
    /// Of `report`: the recording.
    var recording: NodeRecording?

    /// The exit status of a refusal; 1 where the node, which may be of any version, names none that can be.
    var status: Int32 { exit.flatMap { (1...255).contains($0) ? $0 : nil } ?? 1 }
}
