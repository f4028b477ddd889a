internal import FileSystem
internal import FoundationEssentials
internal import Glibc
internal import Media

/// What a node keeps of the recordings of its group, a file each in `recordings`: it knows them again after any end. Safe to use from any
/// thread.
final class NodeJournal: Sendable {
    private let folder: GroupFolder
    private let entries: ConditionLock<[NodeRecording]>

    private static let name = "recordings"
    /// So many are kept; older files are removed.
    private static let most = 50

    /// Reads what is there.
    ///
    /// - Throws: `GroupError` when its folder cannot be made.
    init(in folder: GroupFolder) throws(GroupError) {
        self.folder = folder
        try folder.make(Self.name)
        var found: [NodeRecording] = []
        for name in FolderListing.names(in: folder.file(Self.name)) where name.hasSuffix(".json") {
            do throws(GroupError) {
                found.append(try folder.decode(NodeRecording.self, from: "\(Self.name)/\(name)"))
            } catch {
                Talk.say("\(error)")
            }
        }
        found.sort { ($0.t0_utc_ns, $0.recording) < ($1.t0_utc_ns, $1.recording) }
        for old in found.dropLast(Self.most) { unlink(folder.file("\(Self.name)/\(old.recording).json")) }
        entries = ConditionLock(found.suffix(Self.most))
    }

    /// All recordings, the oldest first.
    var all: [NodeRecording] { entries.withLock { $0 } }

    /// A recording; `nil` when it is not known.
    func entry(_ recording: String) -> NodeRecording? {
        entries.withLock { $0.first { $0.recording == recording } }
    }

    /// The recording that has been begun and is not over; `nil` when there is none.
    var running: NodeRecording? { entries.withLock { $0.last { $0.outcome == "recording" } } }

    /// Adds a recording, and waits until the disk has it.
    ///
    /// - Returns: `false` when it is known already.
    /// - Throws: `GroupError` when it cannot be written.
    func add(_ entry: NodeRecording) throws(GroupError) -> Bool {
        let isNew = entries.withLock { entries in
            guard !entries.contains(where: { $0.recording == entry.recording }) else { return false }
            entries.append(entry)
            return true
        }
        if isNew { try write(entry) }
        return isNew
    }

    /// Changes a recording that is known.
    func update(_ recording: String, _ body: (inout NodeRecording) -> Void) {
        let changed = entries.withLock { entries -> NodeRecording? in
            guard let index = entries.firstIndex(where: { $0.recording == recording }) else { return nil }
            let before = entries[index]
            body(&entries[index])
            return entries[index] == before ? nil : entries[index]
        }
        guard let changed else { return }
        do throws(GroupError) {
            try write(changed)
        } catch {
            Talk.say("\(error)")
        }
    }

    private func write(_ entry: NodeRecording) throws(GroupError) {
        try folder.encode(entry, to: "\(Self.name)/\(entry.recording).json")
    }

    /// Whether a text may be the name of a recording: it becomes the name of files.
    static func isName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count) && text.isPlain && text == text.lowercased()
    }
}
