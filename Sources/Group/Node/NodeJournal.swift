internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSystem

/// Persistent journal of a node's group recordings. Each recording has one file in the folder `recordings`.
/// The journal survives restarts and crashes. Safe to use from any thread.
final class NodeJournal: Sendable {
    private let folder: GroupFolder
    private let entries: ConditionLock<[NodeRecording]>
    /// Allows only one thread to write at a time, so that an older state never overwrites a newer one.
    private let isWriting = ConditionLock(false)

    private static let name = "recordings"
    /// Maximum number of recordings in the journal. Older files are removed.
    private static let maxEntries = 50

    /// Opens the journal and reads its existing entries.
    ///
    /// - Throws: `GroupError` if the journal's folder can't be created.
    init(in folder: GroupFolder) throws(GroupError) {
        self.folder = folder
        try folder.make(Self.name)
        var found: [NodeRecording] = []
        for name in FolderListing.names(in: folder.file(Self.name)) where name.hasSuffix(".json") {
            do throws(GroupError) {
                let entry = try folder.decode(NodeRecording.self, from: "\(Self.name)/\(name)")
                // The name must be valid because it is later used as a path.
                guard GroupName.isValidRecordingName(entry.recording), name == entry.recording + ".json"
                else {
                    ConsoleOutput.writeMessage(
                        "\(folder.file("\(Self.name)/\(name)").printable()) is ignored, because it is not a valid multicam file."
                    )
                    continue
                }
                found.append(entry)
            } catch {
                ConsoleOutput.writeMessage("\(error)")
            }
        }
        found.sort { ($0.t0_utc_ns, $0.recording) < ($1.t0_utc_ns, $1.recording) }
        for old in found.dropLast(Self.maxEntries) {
            unlink(folder.file("\(Self.name)/\(old.recording).json"))
        }
        entries = ConditionLock(found.suffix(Self.maxEntries))
    }

    /// All recordings in the journal, oldest first.
    var all: [NodeRecording] { entries.withLock { $0 } }

    /// Returns a recording; `nil` if the journal doesn't contain it.
    func entry(_ recording: String) -> NodeRecording? {
        entries.withLock { $0.first { $0.recording == recording } }
    }

    /// The running recording; `nil` if all recordings have ended.
    var running: NodeRecording? { entries.withLock { $0.last(where: \.isRunning) } }

    /// Adds a recording that is about to start, and waits until it is stored on disk. Only one recording can run at a
    /// time.
    ///
    /// - Returns: The decision whether to start the recording. If the decision is `begin`, the recording was
    ///   added to the journal.
    /// - Throws: `GroupError` if the entry can't be written. If writing fails, the recording isn't added to
    ///   the journal.
    func admit(_ entry: NodeRecording) throws(GroupError) -> Admission {
        let (admission, before) = entries.withLock { entries -> (Admission, NodeRecording?) in
            let admission = Admission(of: entry.recording, in: entries)
            guard admission == .begin else { return (admission, nil) }
            let before = entries.first { $0.recording == entry.recording }
            entries.removeAll { $0.recording == entry.recording }
            entries.append(entry)
            return (.begin, before)
        }
        guard admission == .begin else { return admission }
        do throws(GroupError) {
            try write(entry.recording)
        } catch {
            entries.withLock { entries in
                entries.removeAll { $0.recording == entry.recording }
                if let before { entries.append(before) }
            }
            throw error
        }
        return .begin
    }

    /// Changes a recording in the journal.
    ///
    /// - Parameters:
    ///   - recording: Name of the recording.
    ///   - expected: The change is applied only if the entry still equals this value; `nil` applies the
    ///     change unconditionally.
    ///   - body: A closure that changes the entry.
    /// - Returns: Whether the entry was changed.
    @discardableResult
    func update(
        _ recording: String, if expected: NodeRecording? = nil, _ body: (inout NodeRecording) -> Void
    ) -> Bool {
        let isChanged = entries.withLock { entries -> Bool in
            guard let index = entries.firstIndex(where: { $0.recording == recording }) else { return false }
            let before = entries[index]
            if let expected, before != expected { return false }
            body(&entries[index])
            return entries[index] != before
        }
        guard isChanged else { return false }
        do throws(GroupError) {
            try write(recording)
        } catch {
            ConsoleOutput.writeMessage("\(error)")
        }
        return true
    }

    /// Writes the current state of a recording to the recording's file.
    private func write(_ recording: String) throws(GroupError) {
        isWriting.wait { isTaken -> Void? in
            guard !isTaken else { return nil }
            isTaken = true
            return ()
        }
        defer { isWriting.broadcast { $0 = false } }
        guard let entry = entry(recording) else { return }
        try folder.encode(entry, to: "\(Self.name)/\(recording).json")
    }
}
