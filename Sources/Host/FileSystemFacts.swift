internal import Glibc

/// Identity and kind of the file system that a folder is on.
package struct FileSystemFacts: Equatable {
    /// Identity of the file system, equal for all folders on it, and lasting across restarts of the computer where the
    /// file system has an identity of its own (statvfs(3): `f_fsid`); else the device's number.
    package let identity: String
    /// Whether the file system is lost at the next restart: tmpfs or ramfs.
    package let isInMemory: Bool

    /// Reads the facts; `nil` where the system does not say, and `errno` tells why.
    ///
    /// - Parameters:
    ///   - path: Any path on the file system.
    ///   - root: Prefix of `/proc`, for tests.
    package init?(_ path: String, root: String = "") {
        var system = statvfs()
        var file = stat()
        guard statvfs(path, &system) == 0, stat(path, &file) == 0 else { return nil }
        let device = UInt64(file.st_dev)
        identity =
            system.f_fsid == 0
            ? "dev:" + String(device, radix: 16) : "fsid:" + String(UInt64(system.f_fsid), radix: 16)
        isInMemory = ["tmpfs", "ramfs"].contains(Self.kind(of: device, root: root))
    }

    /// Most bytes of mountinfo that are read: a line has some hundred bytes, and machines with many containers have
    /// thousands of lines.
    private static let mostMountBytes = 4_000_000

    /// The kind of the file system on a device, from proc(5)'s mountinfo: `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 -
    /// ext3 /dev/root rw`.
    private static func kind(of device: UInt64, root: String) -> String? {
        // Major and minor number as in glibc's gnu_dev_major and gnu_dev_minor.
        let major = (device >> 8) & 0xFFF | (device >> 32) & 0xFFFF_F000
        let minor = device & 0xFF | (device >> 12) & 0xFFFF_FF00
        let text: String
        do throws(HostFileError) {
            text = try HostFiles(root: root).text("/proc/self/mountinfo", limit: mostMountBytes)
        } catch {
            return nil
        }
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 3, fields[2] == "\(major):\(minor)",
                let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count
            else { continue }
            return String(fields[dash + 1])
        }
        return nil
    }
}
