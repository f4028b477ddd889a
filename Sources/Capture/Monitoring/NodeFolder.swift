internal import FileSystem
import Glibc

/// Watches the video nodes in `/dev`: made, removed, or given other permissions. Owns an inotify watch.
///
/// It sees what no uevent tells: that a program other than udevd, or an administrator by hand, made a node accessible;
/// and it works in containers that no uevent reaches. Used by one thread at a time.
final class NodeFolder {
    private let watch: OwnedDescriptor
    private let prefix: [UInt8]

    /// Starts listening; `nil` where the folder cannot be watched.
    ///
    /// - Parameters:
    ///   - path: Path of the folder.
    ///   - prefix: Beginning of the names of the nodes.
    init?(_ path: String, prefix: String) {
        let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard number >= 0 else { return nil }
        watch = OwnedDescriptor(owning: number)
        self.prefix = Array(prefix.utf8)
        let wanted = UInt32(IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_TO | IN_MOVED_FROM)
        guard inotify_add_watch(number, path, wanted) >= 0 else { return nil }
    }

    /// File descriptor to poll for reading.
    var descriptor: Int32 { watch.number }

    /// Takes all news that has come. Does not wait.
    ///
    /// - Returns: Whether any of it concerned the nodes; also true when so much came that some was lost.
    func takeNews() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { memory in
            var hasNews = false
            while true {
                let count = read(watch.number, memory.baseAddress, memory.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return hasNews }
                if concernsNodes(UnsafeRawBufferPointer(rebasing: memory.prefix(count))) { hasNews = true }
            }
        }
    }

    /// Whether a block of events, as inotify(7) lays them out, names one of the watched nodes.
    private func concernsNodes(_ block: UnsafeRawBufferPointer) -> Bool {
        let header = 16  // wd, mask, cookie and len, then len bytes of name
        var offset = 0
        while offset + header <= block.count {
            let mask = block.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            let length = Int(block.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
            if mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
            let name = block[(offset + header)..<min(offset + header + length, block.count)]
            if name.starts(with: prefix) { return true }
            offset += header + length
        }
        return false
    }
}
