internal import Media
internal import SessionFolder

/// What is taken from the recorder now, once for all who watch it. Belongs to the thread of the web loop.
final class StreamBoard {
    private let recorder: RecorderLink
    private var sources: [StreamKey: StreamSource] = [:]
    private var setups: [StreamKey: StreamSetup] = [:]
    private var levels = LevelBoard()
    /// The program's packets since the last key frame: with them a page that opens shows the program at once.
    private(set) var group: [StreamPiece] = []

    private static let longestGroup = 600
    /// Most streams that are taken at once. The recorder has 32 places for those who look at it; others look, too.
    private static let most = 20

    init(_ recorder: RecorderLink) { self.recorder = recorder }

    /// Opens what is watched, and closes what nobody watches any more.
    ///
    /// - Parameter groups: What is watched; where that is too much, those of an earlier group come first, and of a group those that are open.
    /// - Returns: What is watched and not taken.
    func arrange(_ groups: [Set<StreamKey>]) -> Set<StreamKey> {
        var wanted: Set<StreamKey> = []
        for group in groups {
            let open = group.filter { sources[$0] != nil }
            for key in Array(open) + Array(group.subtracting(open)) where wanted.count < Self.most {
                wanted.insert(key)
            }
        }
        take(wanted)
        return groups.reduce(into: Set()) { $0.formUnion($1) }.subtracting(wanted)
    }

    /// Why a stream is not taken.
    static let refusal =
        "Too many streams are watched, \(most) at most: those of one camera in one size and rate count once. Close a page, or choose a size that is shown already."

    private func take(_ wanted: Set<StreamKey>) {
        for key in sources.keys where !wanted.contains(key) {
            recorder.close(key)
            sources[key] = nil
            setups[key] = nil
            if key == .packets { group = [] }
            if case .audio(let role) = key { levels.forget(role) }
        }
        for key in wanted where sources[key] == nil { sources[key] = recorder.open(key) }
    }

    /// Takes what has come of a stream, the oldest piece first.
    func take(_ key: StreamKey) -> [StreamPiece] {
        let pieces = sources[key]?.take() ?? []
        for piece in pieces {
            if let setup = piece.setup, setup != setups[key] { setups[key] = setup }
            if key == .packets { remember(piece) }
            if case .audio(let role) = key {
                levels.take(piece, of: role, channels: max(setups[key]?.channels ?? 1, 1))
            }
        }
        return pieces
    }

    /// The setup that a stream told last.
    func setup(of key: StreamKey) -> StreamSetup? { setups[key] }

    /// Another recording begins, or none runs any more: its packets have nothing to do with those before.
    func forgetGroup() { group = [] }

    /// The recorder is gone.
    func forgetAll() { (group, setups) = ([], [:]) }

    /// The levels now, as a message; peaks begin anew.
    func tellLevels() -> [String: JSONValue] {
        [
            "type": "levels", "at_ns": .integer(MonotonicClock().now.nanoseconds),
            "levels": .object(levels.tell()),
        ]
    }

    private func remember(_ piece: StreamPiece) {
        if piece.isKey { group = [] }
        if group.count < Self.longestGroup { group.append(piece) }
    }
}
