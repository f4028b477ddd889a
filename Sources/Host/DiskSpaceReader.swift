internal import Foundation
import Glibc
import Media

/// What a file system has free for this user, and what a recording has written to it.
package enum DiskSpaceReader {
    /// - Parameter folder: Anything on the file system.
    /// - Returns: Bytes; `nil` where the file system does not say.
    package static func freeBytes(_ folder: String) -> Int64? {
        var system = statvfs()
        // A file system without a size, as some of the network and of the kernel have none, is unknown and not full.
        guard statvfs(folder, &system) == 0, system.f_blocks > 0 else { return nil }
        let (bytes, isBeyond) = UInt64(system.f_bavail).multipliedReportingOverflow(
            by: UInt64(system.f_frsize))
        return isBeyond ? .max : Int64(clamping: bytes)
    }

    static func read(_ folder: String, into state: inout HostState) {
        guard let free = freeBytes(folder) else {
            state.missing.append(
                MissingSource(
                    .disk, "\(folder) does not say how much is free"))
            return
        }
        state.disk = DiskSpace(freeBytes: free, recordedBytes: bytes(in: folder))
    }

    /// The sizes of all files below a folder; one that goes meanwhile counts nothing.
    private static func bytes(in folder: String) -> Int64 {
        guard let files = FileManager.default.enumerator(atPath: folder) else { return 0 }
        var sum: Int64 = 0
        while let file = files.nextObject() as? String {
            var status = stat()
            if stat(folder + "/" + file, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
                sum += Int64(status.st_size)
            }
        }
        return sum
    }
}
