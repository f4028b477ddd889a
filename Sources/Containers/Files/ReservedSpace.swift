import CMulticamFiles
import Glibc
import MulticamMedia
internal import MulticamSystem

/// Disk space that is reserved so that files can be finished when the disk is full.
///
/// The space is reserved by an unnamed file, which disappears even if the process crashes. If the file system
/// doesn't support reserving space, no space is reserved. Thread-safe.
package final class ReservedSpace: Sendable {
    private struct State {
        var requested: Int64 = 0
        var reserved: Int64 = 0
        var isReleased = false
        /// Whether any space was reserved at the time of the release.
        var hadRoom = false
        var wasNeeded = false
    }

    /// Flags that create an unnamed file (`O_TMPFILE`, open(2)). The value is written as a number because
    /// Swift doesn't import macros that are composed of other macros.
    private static let unnamedFileFlags = 0o20_000_000 | O_DIRECTORY

    private let state: ConditionLock<State>

    /// Starts a thread that reserves the space. Reserving space may block on the disk.
    ///
    /// - Parameter folder: Any folder on the disk where the space is reserved.
    package init(in folder: String) {
        let state = ConditionLock(State())
        self.state = state
        MediaThread.startWhenPossible(name: "room") {
            Self.processRequests(in: folder, state)
            state.broadcast { $0.reserved = 0 }
        }
    }

    deinit {
        finish()
    }

    /// Requests a reservation of at least `bytes`, and returns immediately. The reserved space never shrinks.
    package func reserve(_ bytes: Int64) {
        state.broadcast { $0.requested = max($0.requested, bytes) }
    }

    /// Currently reserved space in bytes.
    package var reservedBytes: Int64 { state.withLock { $0.isReleased ? 0 : $0.reserved } }

    /// Whether the space was released because a write failed on a full disk.
    package var wasNeeded: Bool { state.withLock { $0.wasNeeded } }

    /// Releases all reserved space after a write failed on a full disk, and waits until the release is
    /// complete.
    ///
    /// - Returns: Whether space may be available now.
    package func release() -> Bool {
        let had = state.broadcast { state in
            state.wasNeeded = true
            state.isReleased = true
            // Later callers don't release any space, but they can also use the space that was freed.
            state.hadRoom = state.hadRoom || state.reserved > 0
            return state.hadRoom
        }
        // The reserving thread releases the space. Waiting for this thread ensures that the next write can
        // use the space.
        state.wait { $0.reserved == 0 ? () : nil }
        return had
    }

    /// Releases the space and ends the reserving thread, without waiting for it.
    package func finish() {
        state.broadcast { $0.isReleased = true }
    }

    /// Reserves the requested space. Closing the file releases the space.
    private static func processRequests(in folder: String, _ state: ConditionLock<State>) {
        guard let file = makeFile(in: folder) else { return }
        while let wanted = nextRequest(state) {
            // posix_fallocate isn't used, because it would write all bytes if the file system can't reserve
            // space.
            let held = state.withLock { $0.reserved }
            let isHeld = files_hold(file.number, held, wanted - held) == 0
            state.broadcast { state in
                // If the disk is nearly full or can't reserve space, the request is reduced to the space that
                // is already reserved.
                if isHeld {
                    state.reserved = wanted
                } else {
                    state.requested = min(state.requested, state.reserved)
                }
            }
        }
    }

    private static func makeFile(in folder: String) -> OwnedDescriptor? {
        do throws(FileError) {
            return try makeUnnamedFile(in: folder)
        } catch {
            return nil
        }
    }

    /// Creates an unnamed file, which disappears when it is closed.
    ///
    /// - Throws: `FileError` with the operation "reserving space".
    static func makeUnnamedFile(in folder: String) throws(FileError) -> OwnedDescriptor {
        let (path, operation) = (folder + "/.room", "reserving space")
        do throws(FileError) {
            return try OwnedDescriptor(
                opening: folder, flags: unnamedFileFlags | O_RDWR, operation: operation)
        } catch {
            // Some file systems don't support unnamed files. On these, a named file is created and its name
            // is removed.
        }
        let file = try OwnedDescriptor(opening: path, flags: O_CREAT | O_EXCL | O_RDWR, operation: operation)
        unlink(path)
        return file
    }

    private static func nextRequest(_ state: ConditionLock<State>) -> Int64? {
        state.wait { state -> Int64?? in
            if state.isReleased { return .some(nil) }
            return state.requested > state.reserved ? .some(state.requested) : nil
        }
    }
}
