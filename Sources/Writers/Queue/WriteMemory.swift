internal import Media

/// Counts the bytes of frames that wait in memory for the files of one folder; the queues of its files share it. Any
/// thread.
final class WriteMemory: Sendable {
    let limits: WriteLimits
    private let frames = ConditionLock(0)

    init(_ limits: WriteLimits) { self.limits = limits }

    /// Bytes of the frames that wait.
    var byteCount: Int { frames.withLock { $0 } }

    /// Takes room for a frame, if there is as much as `least`.
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

    /// Gives back the room of a frame.
    func giveBack(_ bytes: Int) { frames.withLock { $0 -= bytes } }
}
