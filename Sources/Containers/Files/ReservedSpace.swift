import CFiles
internal import Descriptors
import Glibc
import Media

/// Room on a disk that is kept free for the moment in which there is no other.
///
/// It is a file without a name, so that nothing is left of it whatever happens to the process. Where the file system cannot
/// hold room, none is held. Any thread.
public final class ReservedSpace: Sendable {
    private struct State {
        var wanted: Int64 = 0
        var held: Int64 = 0
        var isReleased = false
        /// Whether something was held when it was given back.
        var hadRoom = false
        var wasNeeded = false
    }

    /// Where a file without a name can be made (`O_TMPFILE`, open(2); Swift imports no macro that is made of others).
    private static let nameless = 0o20_000_000 | O_DIRECTORY

    private let state: ConditionLock<State>

    /// Starts the thread that takes the room, which may wait for the disk.
    ///
    /// - Parameter folder: On the disk.
    public init(in folder: String) {
        let state = ConditionLock(State())
        self.state = state
        _ = MediaThread(name: "room") {
            Self.keep(in: folder, state)
            state.broadcast { $0.held = 0 }
        }
    }

    deinit {
        finish()
    }

    /// Wants so many bytes to be held; never fewer than before. Returns at once.
    public func hold(_ bytes: Int64) {
        state.broadcast { $0.wanted = max($0.wanted, bytes) }
    }

    /// What is held now, in bytes.
    public var heldBytes: Int64 { state.withLock { $0.isReleased ? 0 : $0.held } }

    /// Whether a write found the disk full.
    public var wasNeeded: Bool { state.withLock { $0.wasNeeded } }

    /// Gives all of it back because a write found the disk full.
    ///
    /// - Returns: Whether there may be room now.
    public func release() -> Bool {
        let had = state.broadcast { state in
            state.wasNeeded = true
            state.isReleased = true
            // Whoever comes after the first finds nothing held any more, and room all the same.
            state.hadRoom = state.hadRoom || state.held > 0
            return state.hadRoom
        }
        // The thread gives it back: it is waited for, so that the next write finds what was held.
        state.wait { $0.held == 0 ? () : nil }
        return had
    }

    /// Gives it back, and ends the thread.
    public func finish() {
        state.broadcast { $0.isReleased = true }
    }

    /// Holds what is wanted until it is to be given back; closing the file does that.
    private static func keep(in folder: String, _ state: ConditionLock<State>) {
        guard let file = makeFile(in: folder) else { return }
        while let wanted = nextWish(state) {
            // Not posix_fallocate, which writes all of it where the file system cannot hold room.
            let held = state.withLock { $0.held }
            let isHeld = files_hold(file.number, held, wanted - held) == 0
            state.broadcast { state in
                // On a disk that is nearly full, or cannot do this, what is held so far has to do.
                if isHeld { state.held = wanted } else { state.wanted = min(state.wanted, state.held) }
            }
        }
    }

    private static func makeFile(in folder: String) -> OwnedDescriptor? {
        let path = folder + "/.room"
        do throws(FileError) {
            return try OwnedDescriptor(opening: folder, flags: nameless | O_RDWR, operation: "hold room")
        } catch {
            // Not every file system has files without a name: one that loses its name is the same.
        }
        do throws(FileError) {
            let file = try OwnedDescriptor(
                opening: path, flags: O_CREAT | O_EXCL | O_RDWR, operation: "hold room")
            unlink(path)
            return file
        } catch {
            return nil
        }
    }

    private static func nextWish(_ state: ConditionLock<State>) -> Int64? {
        state.wait { state -> Int64?? in
            if state.isReleased { return .some(nil) }
            return state.wanted > state.held ? .some(state.wanted) : nil
        }
    }
}
