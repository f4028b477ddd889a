internal import Glibc
package import MulticamMedia
internal import MulticamSystem

/// Marks an ended recording as used until this object is destroyed, so that other processes can't delete it. Several
/// programs can use a recording at the same time.
package final class RecordingUse: Sendable {
    /// The event file with a shared lock. A recorder, a recovery, and a deletion require an exclusive lock.
    private let events: OwnedDescriptor

    private init(_ events: consuming OwnedDescriptor) { self.events = events }

    /// Reason why a recording that is used by another program can't be deleted or recovered.
    package static let remedy =
        "another program, such as `multicam render`, is using the recording. Wait until it has finished, or cancel it."

    /// Marks a recording as used.
    ///
    /// - Parameter path: Path of the session folder.
    /// - Returns: The mark; `nil` if the folder has no event file, such as the folder of a group. A missing event file can't be
    ///   locked, so the recording isn't protected.
    /// - Throws: `FileError` with the operation "opening" if the recording is running, being recovered, or being deleted.
    package static func begin(_ path: String) throws(FileError) -> RecordingUse? {
        guard let events = try eventFile(of: path) else { return nil }
        if flock(events.number, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw FileError(
                path: path, operation: "opening", detail: "the recording is running or being deleted.")
        }
        return RecordingUse(events)
    }

    private static func eventFile(of path: String) throws(FileError) -> OwnedDescriptor? {
        do throws(FileError) {
            return try ContainedFolder(opening: path).file(SessionFolder.eventFileName).openForReading()
        } catch {
            if error.errno == ENOENT { return nil }
            throw error
        }
    }
}
