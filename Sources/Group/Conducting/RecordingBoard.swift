internal import FoundationEssentials
internal import Media
internal import SessionFolder

/// The recording that the group makes, as all see it at the broker: who changes it finds out whether another was first.
struct RecordingBoard {
    let stream: JetStream
    let group: String

    private var key: String { GroupSubjects(group: group).recordingKey }

    /// The recording that runs, or that ran last; `nil` when there was none.
    ///
    /// - Throws: `GroupError` when the broker does not answer.
    func present() throws(GroupError) -> (recording: GroupRecording, revision: UInt64)? {
        guard let value = try stream.value(of: key), let recording = Self.recording(value.bytes) else {
            return nil
        }
        return (recording, value.revision)
    }

    /// Reads a recording; `nil` for anything else.
    static func recording(_ bytes: [UInt8]) -> GroupRecording? {
        do {
            let recording = try JSONText.decoder().decode(GroupRecording.self, from: Data(bytes))
            return NodeJournal.isName(recording.name) && recording.nodes.allSatisfy { GroupName.isValid($0) }
                ? recording : nil
        } catch {
            return nil
        }
    }

    /// Notes a recording, provided that nobody changed it since a revision.
    ///
    /// - Parameters:
    ///   - recording: The recording.
    ///   - revision: The revision that was read; `nil` when there was none.
    /// - Returns: Whether it was noted.
    /// - Throws: `GroupError` when the broker does not answer.
    func note(_ recording: GroupRecording, revision: UInt64?) throws(GroupError) -> Bool {
        try stream.replace(key, by: JSONText.line(recording), revision: revision)
    }

    /// Keeps a recording under its own name, for who collects it later.
    ///
    /// - Throws: `GroupError` when the broker does not answer.
    func keep(_ recording: GroupRecording) throws(GroupError) {
        _ = try stream.replace(
            "\(group).kept.\(recording.name)", by: JSONText.line(recording), revision: nil)
    }

    /// A recording that was kept under its name; `nil` when the broker has none.
    ///
    /// - Throws: `GroupError` when the broker does not answer.
    func kept(_ name: String) throws(GroupError) -> GroupRecording? {
        if let present = try present()?.recording, present.name == name { return present }
        return try stream.value(of: "\(group).kept.\(name)").flatMap { Self.recording($0.bytes) }
    }

    /// Changes the recording that runs, as often as another is faster.
    ///
    /// - Parameters:
    ///   - name: Its name: of another one nothing is changed.
    ///   - change: The change.
    /// - Returns: The recording as it is now; `nil` when another one is there.
    /// - Throws: `GroupError` when the broker does not answer.
    func update(_ name: String, _ change: (inout GroupRecording) -> Void) throws(GroupError)
        -> GroupRecording?
    {
        while let (before, revision) = try present(), before.name == name {
            var recording = before
            change(&recording)
            if recording == before { return before }
            if try note(recording, revision: revision) { return recording }
        }
        return nil
    }
}
