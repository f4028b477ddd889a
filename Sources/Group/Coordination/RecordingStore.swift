internal import FoundationEssentials
internal import MulticamMedia
internal import MulticamSessionFolder

/// Access to the group's recording in the broker's store, which all members can read. Each update fails if
/// another client has changed the value in the meantime.
struct RecordingStore {
    let stream: JetStream
    let group: String
    /// The group's time, in nanoseconds since 1970.
    var now: @Sendable () -> Int64 = { ClockPair.now().utc }

    private var key: String { GroupSubjects(group: group).recordingKey }

    /// Reads the stored recording.
    ///
    /// - Throws: `GroupError` if the broker doesn't respond.
    func stored() throws(GroupError) -> StoredRecording {
        StoredRecording(try stream.value(of: key), of: group, at: now())
    }

    /// Returns the current recording, or the last recording if none is running. Returns `nil` if the store is
    /// empty or its value is implausible.
    ///
    /// - Throws: `GroupError` if the broker doesn't respond.
    func current() throws(GroupError) -> GroupRecording? { try stored().recording }

    /// Stores a recording, unless another client has changed the value since the given revision.
    ///
    /// - Parameters:
    ///   - recording: The recording to store.
    ///   - revision: The revision of the value that was read; `nil` if the store was empty.
    /// - Returns: Whether the recording has been stored.
    /// - Throws: `GroupError` if the broker doesn't respond.
    func replace(_ recording: GroupRecording, revision: UInt64?) throws(GroupError) -> Bool {
        try stream.replace(key, by: JSONText.line(recording), revision: revision)
    }

    /// Stores a recording under its name, so that `multicam collect` can find it later.
    ///
    /// - Throws: `GroupError` if the broker doesn't respond.
    func archive(_ recording: GroupRecording) throws(GroupError) {
        _ = try stream.replace(
            "\(group).kept.\(recording.name)", by: JSONText.line(recording), revision: nil)
    }

    /// Returns a recording that was stored under its name; `nil` if the broker doesn't have it.
    ///
    /// - Throws: `GroupError` if the broker doesn't respond.
    func recording(named name: String) throws(GroupError) -> GroupRecording? {
        if let present = try current(), present.name == name { return present }
        let kept = StoredRecording(try stream.value(of: "\(group).kept.\(name)"), of: group, at: now())
        return kept.recording.flatMap { $0.name == name ? $0 : nil }
    }

    /// Stores the end of a recording. Retries each time another client changes the value first.
    ///
    /// - Parameters:
    ///   - own: The recording as the coordinator knows it.
    ///   - end: End of the recording, in nanoseconds since 1970.
    /// - Throws: `GroupError` if the broker doesn't respond.
    func storeEnd(of own: GroupRecording, at end: Int64) throws(GroupError) {
        while true {
            let stored = try stored()
            guard let ended = StoreDecision.ending(own, at: end, stored: stored) else { return }
            if try replace(ended, revision: stored.revision) { return }
        }
    }
}

/// A coordinator's decision about the value in the broker's store. The store may be new, restored from an
/// older backup, or damaged, and other coordinators write to it. The decision logic doesn't access clocks or
/// connections.
enum StoreDecision: Equatable {
    /// Keep the stored value, which is correct or belongs to a newer recording.
    case unchanged
    /// Store the current recording again, because the store has lost it.
    case store(GroupRecording)
    /// Stop coordinating, because another coordinator has taken over this recording.
    case yield(to: String)

    /// Makes the decision for a coordinator while its recording is running.
    ///
    /// - Parameters:
    ///   - own: The recording as the coordinator knows it.
    ///   - stored: The value that is currently stored.
    init(coordinating own: GroupRecording, stored: StoredRecording) {
        guard let present = stored.recording else {
            self = .store(own)
            return
        }
        if present.name == own.name, present.term > own.term {
            self = .yield(to: present.coordinator)
        } else {
            self = Self.isOlder(present, than: own) ? .store(own) : .unchanged
        }
    }

    /// Whether the stored value is older than the value that the coordinator has written, because the store
    /// was restored from a backup.
    private static func isOlder(_ present: GroupRecording, than own: GroupRecording) -> Bool {
        present.name == own.name ? present.term < own.term : present.t0_utc_ns < own.t0_utc_ns
    }

    /// Returns the value that ends a recording.
    ///
    /// - Parameters:
    ///   - own: The recording as the coordinator knows it.
    ///   - end: End of the recording, in nanoseconds since 1970.
    ///   - stored: The value that is currently stored.
    /// - Returns: The value to store; `nil` if an end is already stored or the store contains a newer
    ///   recording.
    static func ending(_ own: GroupRecording, at end: Int64, stored: StoredRecording) -> GroupRecording? {
        var ended = own
        if let present = stored.recording {
            if present.name == own.name {
                guard present.end_utc_ns == nil else { return nil }
                ended = present
            } else if !isOlder(present, than: own) {
                return nil
            }
        }
        ended.end_utc_ns = end
        return ended
    }
}
