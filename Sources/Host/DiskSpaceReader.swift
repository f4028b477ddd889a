internal import FileSystem
import Glibc
import Media

/// Reads the free space of a file system, and the size of a recording on it.
package enum DiskSpaceReader {
    /// Reads the space that this user can still write to a file system.
    ///
    /// - Parameter folder: Any path on the file system.
    /// - Returns: Bytes; `nil` where the file system does not say.
    package static func freeBytes(_ folder: String) -> Int64? {
        var system = statvfs()
        // A file system without a size, such as some network and kernel file systems, is unknown and not full.
        guard statvfs(folder, &system) == 0, system.f_blocks > 0 else { return nil }
        let (bytes, isBeyond) = UInt64(system.f_bavail).multipliedReportingOverflow(
            by: UInt64(system.f_frsize))
        return isBeyond ? .max : Int64(clamping: bytes)
    }

    /// Reads the free space of a folder's file system and the size of the folder's files into `state`.
    static func read(_ folder: String, into state: inout HostState) {
        guard let free = freeBytes(folder) else {
            state.missing.append(
                MissingSource(
                    .disk, "\(folder) does not say how much is free"))
            return
        }
        state.disk = DiskSpace(freeBytes: free, recordedBytes: bytes(in: folder))
    }

    /// The total size in bytes of all files below a folder; files that vanish meanwhile count as 0.
    private static func bytes(in folder: String) -> Int64 {
        var sum: Int64 = 0
        for name in FolderListing.names(in: folder) {
            let path = folder + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFREG: sum += Int64(status.st_size)
            case S_IFDIR: sum += bytes(in: path)
            default: continue
            }
        }
        return sum
    }
}
