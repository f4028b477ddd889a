import CFiles
import Glibc
import Media
internal import System

/// Disk space that is reserved for finishing files when the disk is full.
///
/// The space is an unnamed file, so nothing remains even if the process crashes. If the file system can't reserve
/// space, none is held. Thread-safe.
public final class ReservedSpace: Sendable {
    private struct State {
        var wanted: Int64 = 0
        var held: Int64 = 0
        var isReleased = false
        /// Whether space was held at the time of the release.
        var hadRoom = false
        var wasNeeded = false
    }

    /// Flags that create an unnamed file (`O_TMPFILE`, open(2)). Swift doesn't import macros that are composed of other
    /// macros.
    private static let nameless = 0o20_000_000 | O_DIRECTORY

    private let state: ConditionLock<State>

    /// Starts a thread that reserves the space, because this may block on the disk.
    ///
    /// - Parameter folder: A folder on the disk.
    public init(in folder: String) {
        let state = ConditionLock(State())
        self.state = state
        MediaThread.eventually(name: "room") {
            Self.keep(in: folder, state)
            state.broadcast { $0.held = 0 }
        }
    }

    deinit {
        finish()
    }

    /// Requests that at least `bytes` be reserved, and returns immediately. The reserved space never shrinks.
    public func hold(_ bytes: Int64) {
        state.broadcast { $0.wanted = max($0.wanted, bytes) }
    }

    /// Currently reserved space in bytes.
    public var heldBytes: Int64 { state.withLock { $0.isReleased ? 0 : $0.held } }

    /// Whether a write failed because the disk was full and released the space.
    public var wasNeeded: Bool { state.withLock { $0.wasNeeded } }

    /// Releases all space because a write found the disk full, and waits until the release is complete.
    ///
    /// - Returns: Whether space may be available now.
    public func release() -> Bool {
        let had = state.broadcast { state in
            state.wasNeeded = true
            state.isReleased = true
            // For later callers, nothing is reserved anymore, but they can also use the freed space.
            state.hadRoom = state.hadRoom || state.held > 0
            return state.hadRoom
        }
        // The thread releases the space. Waiting for the thread ensures that the next write can use the released space.
        state.wait { $0.held == 0 ? () : nil }
        return had
    }

    /// Releases the space and ends the thread, without waiting for it.
    public func finish() {
        state.broadcast { $0.isReleased = true }
    }

    /// Reserves the requested space, and closes the file to release the space when required.
    private static func keep(in folder: String, _ state: ConditionLock<State>) {
        guard let file = makeFile(in: folder) else { return }
        while let wanted = nextWish(state) {
            // If the file system can't reserve space, posix_fallocate would write all bytes.
            let held = state.withLock { $0.held }
            let isHeld = files_hold(file.number, held, wanted - held) == 0
            state.broadcast { state in
                // On a disk that is nearly full, or can't reserve space, the currently reserved space must suffice.
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

    /// Creates an unnamed file that disappears when it is closed.
    ///
    /// - Throws: `FileError` with the operation "reserving space".
    static func makeNameless(in folder: String) throws(FileError) -> OwnedDescriptor {
        let (path, operation) = (folder + "/.room", "reserving space")
        do throws(FileError) {
            return try OwnedDescriptor(opening: folder, flags: nameless | O_RDWR, operation: operation)
        } catch {
            // Some file systems don't support unnamed files. Removing the file's name has the same effect.
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
