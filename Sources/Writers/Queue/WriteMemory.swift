internal import Media

/// What waits in memory for the files of one folder: the sum that its files' queues share. Any thread.
final class WriteMemory: Sendable {
    let limits: WriteLimits
    private let frames = ConditionLock(0)

    init(_ limits: WriteLimits) { self.limits = limits }

    /// Frames that wait, in bytes.
    var byteCount: Int { frames.withLock { $0 } }

    /// Takes room for a frame if there is as much as `least`.
    func claim(_ bytes: Int, file: Int, least: WriteLimits.Room) -> Bool {
        frames.withLock { sum in
            switch (limits.room(for: bytes, file: file, folder: sum), least) {
            case (.none, _), (.little, .ample): return false
            case (.little, _), (.ample, _): break
            }
            sum += bytes
            return true
        }
    }

    func giveBack(_ bytes: Int) { frames.withLock { $0 -= bytes } }
}
