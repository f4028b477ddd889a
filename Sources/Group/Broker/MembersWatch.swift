internal import Glibc
internal import Media

/// Notices within half a second that members have come or gone, whichever process has written it.
final class MembersWatch: Sendable {
    private let ending = Cancellation()

    init(_ folder: GroupFolder, changed: @escaping @Sendable () -> Void) {
        let path = folder.file(GroupFolder.membersName)
        let first = Self.stamp(path)
        _ = MediaThread(name: "members") { [ending] in
            let clock = MonotonicClock()
            var last = first
            while clock.sleep(until: clock.now + .milliseconds(500), unless: ending) {
                let now = Self.stamp(path)
                if now != last { changed() }
                last = now
            }
        }
    }

    func end() { ending.cancel() }

    /// What changes when the file is replaced.
    private static func stamp(_ path: String) -> [Int] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        return [Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, Int(status.st_size)]
    }
}
