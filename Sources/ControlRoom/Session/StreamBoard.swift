internal import Media

/// What is taken from the recorder now, once for all who watch it. Belongs to the thread of the web loop.
final class StreamBoard {
    private let recorder: RecorderLink
    private var sources: [StreamKey: StreamSource] = [:]
    private var setups: [StreamKey: StreamSetup] = [:]
    private var levels = LevelBoard()
    /// The program's packets since the last key frame: with them a page that opens shows the program at once.
    private(set) var group: [StreamPiece] = []

    private static let longestGroup = 600

    init(_ recorder: RecorderLink) { self.recorder = recorder }

    /// Opens what is watched, and closes what nobody watches any more.
    func arrange(_ wanted: Set<StreamKey>) {
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
    func tellLevels() -> [String: Any] {
        ["type": "levels", "at_ns": MonotonicClock().now.nanoseconds, "levels": levels.tell()]
    }

    private func remember(_ piece: StreamPiece) {
        if piece.isKey { group = [] }
        if group.count < Self.longestGroup { group.append(piece) }
    }
}
