internal import Media

/// `multicam ctl --group`: says words to the nodes of the recording that runs.
struct GroupWords {
    let folder: GroupFolder
    /// The nodes that are meant; empty for all.
    let nodes: [String]
    let words: [String]

    /// Says them, and prints what each node answers.
    ///
    /// - Returns: The worst exit status of all.
    /// - Throws: `GroupError` when nothing is recorded.
    func run() throws(GroupError) -> Int32 {
        let identity = try folder.identity()
        let connection = try BrokerConnection(folder, as: identity)
        let board = RecordingBoard(
            stream: try JetStream(of: connection, group: folder.group), group: folder.group)
        let clock = GroupClock(folder.has("clock/clock.sock") ? GroupTime.socket(in: folder) : nil)
        let instant = clock.now
        let caller = GroupCaller(connection, group: folder.group, conductor: identity.name) { clock.now }
        guard let recording = try board.present()?.recording, recording.isRunning(at: instant) else {
            throw GroupError("the group \(folder.group) records nothing at the moment.")
        }
        if let other = nodes.first(where: { !recording.nodes.contains($0) }) {
            throw GroupError(
                "\(other.printable(limit: 60)) takes no part in the recording: \(recording.nodes.joined(separator: ", ")) do.",
                status: 2)
        }
        let (sentences, status) = Conducting.say(
            words, at: instant, to: nodes.isEmpty ? recording.nodes : nodes, of: recording, caller)
        for sentence in sentences { Talk.say(sentence) }
        return status
    }
}
