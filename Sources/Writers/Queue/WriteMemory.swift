internal import Media

/// What waits in memory for the files of one folder: the sum that its files' queues share. Any thread.
final class WriteMemory: Sendable {
    let limits: WriteLimits
    private let pictures = Monitor(0)

    init(_ limits: WriteLimits) { self.limits = limits }

    /// Pictures that wait, in bytes.
    var byteCount: Int { pictures.withLock { $0 } }

    /// Takes room for a picture if there is as much as `least`.
    func claim(_ bytes: Int, file: Int, least: WriteLimits.Room) -> Bool {
        pictures.withLock { sum in
            switch (limits.room(for: bytes, file: file, folder: sum), least) {
            case (.none, _), (.little, .ample): return false
            case (.little, _), (.ample, _): break
            }
            sum += bytes
            return true
        }
    }

    func giveBack(_ bytes: Int) { pictures.withLock { $0 -= bytes } }
}
