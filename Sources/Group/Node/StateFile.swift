internal import FileSystem
internal import Glibc
internal import Media

/// The file with what is heard of a group's nodes. On the computer that serves a group and is a node of it, two processes hear the same:
/// the first one writes it, and the other one when that has ended, however it did. One thread uses it.
final class StateFile {
    private let path: String
    private let lock: OwnedDescriptor

    /// Opens the file's lock; nothing is written yet.
    ///
    /// - Parameter path: Path of the file. Its folder is there.
    init?(_ path: String) {
        let number = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard number >= 0 else { return nil }
        self.path = path
        lock = OwnedDescriptor(owning: number)
    }

    private var isOurs: Bool { flock(lock.number, LOCK_EX | LOCK_NB) == 0 }

    /// Replaces the file, readable by this user alone, unless another one writes it. Without room it stays as it was.
    func write(_ text: String) {
        guard isOurs else { return }
        do throws(FileError) {
            try FileReplacement.write(Array(text.utf8), to: path, permissions: 0o600)
        } catch {
            // What it has is then the older for everybody to see.
        }
    }

    /// Removes the file, unless another one writes it, to whom it is left from here on.
    func end() {
        guard isOurs else { return }
        unlink(path)
        flock(lock.number, LOCK_UN)
    }
}
