internal import Foundation
internal import Glibc
public import Media

/// How long a recording can go on before its disk is full, from what it has written so far.
public enum DiskHeadroom {
    /// - Parameters:
    ///   - folder: The session folder.
    ///   - recorded: How much time its files hold.
    /// - Returns: Whole minutes at the recording's own rate; `nil` before a second has been recorded or where the file
    ///   system does not say.
    public static func minutes(of folder: String, recorded: MediaTime) -> Int? {
        var system = statvfs()
        guard recorded.nanoseconds >= 1_000_000_000, statvfs(folder, &system) == 0 else { return nil }
        let written = bytes(in: folder)
        guard written > 0 else { return nil }
        let perSecond = Double(written) / (Double(recorded.nanoseconds) / 1e9)
        let free = Double(system.f_bavail) * Double(system.f_frsize)
        return Int(min(free / perSecond / 60, 1_000_000))
    }

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
