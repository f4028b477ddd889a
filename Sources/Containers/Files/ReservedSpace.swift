import CFiles
internal import FileSystem
import Glibc
import Media

/// Room on a disk that is kept free to finish files when the disk is full.
///
/// It is a file without a name, so that nothing of it remains whatever happens to the process. Where the file system cannot
/// reserve room, none is held. Any thread may use it.
public final class ReservedSpace: Sendable {
    private struct State {
        var wanted: Int64 = 0
        var held: Int64 = 0
        var isReleased = false
        /// Whether room was held when it was released.
        var hadRoom = false
        var wasNeeded = false
    }

    /// Flags that create a file without a name (`O_TMPFILE`, open(2); Swift imports no macro that is made of others).
    private static let nameless = 0o20_000_000 | O_DIRECTORY

    private let state: ConditionLock<State>

    /// Starts a thread that reserves the room, which may block on the disk.
    ///
    /// - Parameter folder: A folder on the disk.
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

    /// Requests that at least `bytes` are held, and returns at once; it never reduces what is held.
    public func hold(_ bytes: Int64) {
        state.broadcast { $0.wanted = max($0.wanted, bytes) }
    }

    /// Room that is held now, in bytes.
    public var heldBytes: Int64 { state.withLock { $0.isReleased ? 0 : $0.held } }

    /// Whether a write found the disk full and released the room.
    public var wasNeeded: Bool { state.withLock { $0.wasNeeded } }

    /// Releases all room because a write found the disk full, and waits until that is done.
    ///
    /// - Returns: Whether there may be room now.
    public func release() -> Bool {
        let had = state.broadcast { state in
            state.wasNeeded = true
            state.isReleased = true
            // Later callers find nothing held any more, but there is room for them too.
            state.hadRoom = state.hadRoom || state.held > 0
            return state.hadRoom
        }
        // The thread releases the room; waiting for it makes sure that the next write finds that room.
        state.wait { $0.held == 0 ? () : nil }
        return had
    }

    /// Releases the room and ends the thread, without waiting for it.
    public func finish() {
        state.broadcast { $0.isReleased = true }
    }

    /// Reserves what is requested until the room is to be released; closing the file does that.
    private static func keep(in folder: String, _ state: ConditionLock<State>) {
        guard let file = makeFile(in: folder) else { return }
        while let wanted = nextWish(state) {
            // posix_fallocate would write all bytes where the file system cannot reserve room.
            let held = state.withLock { $0.held }
            let isHeld = files_hold(file.number, held, wanted - held) == 0
            state.broadcast { state in
                // On a disk that is nearly full, or cannot reserve room, the room held so far has to do.
                if isHeld { state.held = wanted } else { state.wanted = min(state.wanted, state.held) }
            }
        }
    }

    private static func makeFile(in folder: String) -> OwnedDescriptor? {
        do throws(FileError) {
            return try makeNameless(in: folder)
        } catch {
            return nil
        }
    }

    /// Creates a file of which nothing remains once it is closed.
    ///
    /// - Throws: `FileError` "hold room".
    static func makeNameless(in folder: String) throws(FileError) -> OwnedDescriptor {
        let (path, operation) = (folder + "/.room", "hold room")
        do throws(FileError) {
            return try OwnedDescriptor(opening: folder, flags: nameless | O_RDWR, operation: operation)
        } catch {
            // Not every file system has files without a name: a file whose name is removed does the same.
        }
        let file = try OwnedDescriptor(opening: path, flags: O_CREAT | O_EXCL | O_RDWR, operation: operation)
        unlink(path)
        return file
    }

    private static func nextWish(_ state: ConditionLock<State>) -> Int64? {
        state.wait { state -> Int64?? in
            if state.isReleased { return .some(nil) }
            return state.wanted > state.held ? .some(state.wanted) : nil
        }
    }
}
