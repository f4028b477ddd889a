internal import FoundationEssentials
internal import MulticamMedia
internal import MulticamSessionFolder

/// A group's recording, as stored on the broker.
struct GroupRecording: Codable, Sendable, Equatable {
    /// Name of the recording.
    var name: String
    /// The group's name.
    var group: String
    /// Name of the recording's coordinator, for messages.
    var coordinator: String
    /// Term number of the coordinator. A coordinator that takes over a recording increments the term number.
    var term: Int64
    /// T0, in nanoseconds since 1970.
    var t0_utc_ns: Int64
    /// Recording duration; `nil` to record until a stop command.
    var duration_ns: Int64?
    /// Actual or scheduled end of the recording, in nanoseconds since 1970; `nil` if no end is set.
    var end_utc_ns: Int64?
    /// Names of the nodes that take part in the recording.
    var nodes: [String]

    /// Maximum lead time of T0, the time from the start command until T0. Coordinators choose two to three
    /// seconds, and clocks that have never been synchronized can differ by seconds.
    static let longestLead = Nanoseconds.seconds(20)
    /// Maximum delay of a node's start after T0, as in `GroupManifest.Node.isPlausible`.
    static let longestDelay = Nanoseconds.seconds(30 * 86_400)
    /// Highest accepted term number. Recordings in normal use never reach this number.
    static let highestTerm: Int64 = 1_000_000_000
    /// Maximum number of nodes in a group, given by the maximum number of connections to the broker.
    static let mostNodes = 256
    /// Time after the end of the recording during which nodes may still report that they are recording. The
    /// time is long enough to close the files of long recordings.
    static let closingTime = Nanoseconds.seconds(60)

    /// Returns the term number of the next coordinator.
    static func term(after term: Int64) -> Int64 { min(max(term, 0), highestTerm - 1) + 1 }

    /// Whether the recording is running or about to start.
    ///
    /// - Parameter now: The group's time in nanoseconds since 1970.
    /// - Returns: `false` if the recording has ended.
    func isRunning(at now: Int64) -> Bool {
        if let end_utc_ns, end_utc_ns <= now { return false }
        guard let duration_ns else { return true }
        return now < (Nanoseconds(t0_utc_ns) + Nanoseconds(duration_ns)).count
    }

    /// Past or future end of the recording, in nanoseconds since 1970; `nil` while the end is unknown.
    private var end: Int64? {
        let planned = duration_ns.map { (Nanoseconds(t0_utc_ns) + Nanoseconds($0)).count }
        return [end_utc_ns, planned].compactMap { $0 }.min()
    }

    /// Determines whether a node that reports this recording as running is overdue.
    ///
    /// - Parameters:
    ///   - latest: The group's latest recording; `nil` if the latest recording is unknown. A group makes only
    ///     one recording at a time.
    ///   - now: The group's time in nanoseconds since 1970.
    /// - Returns: Whether the node is overdue. An overdue node is faulty or sends false reports, so the group
    ///   doesn't wait for it.
    func isOverdue(after latest: GroupRecording? = nil, at now: Int64) -> Bool {
        if let latest, latest.name != name, latest.t0_utc_ns > t0_utc_ns { return true }
        return end.map { Nanoseconds(now) - Nanoseconds($0) > Self.closingTime } ?? false
    }

    /// Checks whether a T0 is plausible.
    ///
    /// - Parameters:
    ///   - start: T0 in nanoseconds since 1970.
    ///   - now: The group's time in nanoseconds since 1970.
    /// - Returns: The reason why T0 is implausible; `nil` if T0 is plausible.
    static func fault(ofStart start: Int64, at now: Int64) -> String? {
        guard start >= 0 else { return "T0 is before 1970" }
        let lead = Nanoseconds(start) - Nanoseconds(now)
        guard lead > longestLead else { return nil }
        return
            "T0 is \(Int64(rounding: lead.inSeconds)) s in the future (limit: \(Int64(rounding: longestLead.inSeconds)) s)"
    }

    /// Checks whether this is a plausible recording stored by a coordinator of the group.
    ///
    /// - Parameters:
    ///   - group: The group's name.
    ///   - now: The group's time in nanoseconds since 1970.
    /// - Returns: The reason why the recording is implausible; `nil` if the recording is plausible.
    func fault(in group: String, at now: Int64) -> String? {
        guard GroupName.isValidRecordingName(name) else { return "the recording name is invalid" }
        guard self.group == group else { return "the recording belongs to another group" }
        guard (1...Self.mostNodes).contains(nodes.count), Set(nodes).count == nodes.count,
            nodes.allSatisfy({ GroupName.isValid($0) })
        else { return "the list of nodes is invalid" }
        guard (0...Self.highestTerm).contains(term) else {
            return "invalid coordinator number \(term)"
        }
        if let duration_ns, duration_ns <= 0 { return "the duration must be greater than zero" }
        if let end_utc_ns, end_utc_ns < 0 { return "the end time is before 1970" }
        return Self.fault(ofStart: t0_utc_ns, at: now)
    }
}

/// The value under the key of the group's recording in the broker's store. Any member may have written the
/// value, so only a plausible recording is used. An implausible value is reported to the user, and the next
/// recording replaces it.
enum StoredRecording: Sendable, Equatable {
    /// The store doesn't contain a recording.
    case none
    /// The current recording, or the last recording if none is running.
    case recording(GroupRecording, revision: UInt64)
    /// An implausible value, with the reason why it is implausible. The reason is worded as the end of a
    /// sentence.
    case implausible(String, revision: UInt64)

    /// Maximum length of a decoded value in bytes. A recording with 256 nodes needs less than 10,000 bytes.
    private static let maxBytes = 64 << 10

    /// Decodes a value from the broker's store.
    ///
    /// - Parameters:
    ///   - value: The bytes and their revision; `nil` if the key isn't set.
    ///   - group: The group's name.
    ///   - now: The group's time in nanoseconds since 1970.
    init(_ value: (bytes: [UInt8], revision: UInt64)?, of group: String, at now: Int64) {
        guard let (bytes, revision) = value else {
            self = .none
            return
        }
        guard bytes.count <= Self.maxBytes else {
            self = .implausible("the size of \(bytes.count) bytes exceeds the limit", revision: revision)
            return
        }
        do {
            let recording = try JSONText.decoder().decode(GroupRecording.self, from: Data(bytes))
            let fault = recording.fault(in: group, at: now)
            self =
                fault.map { .implausible($0, revision: revision) }
                ?? .recording(recording, revision: revision)
        } catch {
            self = .implausible("the data cannot be decoded", revision: revision)
        }
    }

    /// The revision that a new value must replace; `nil` if the key isn't set.
    var revision: UInt64? {
        switch self {
        case .none: nil
        case .recording(_, let revision), .implausible(_, let revision): revision
        }
    }

    /// The stored recording; `nil` if there is none or it is implausible.
    var recording: GroupRecording? {
        guard case .recording(let recording, _) = self else { return nil }
        return recording
    }
}
