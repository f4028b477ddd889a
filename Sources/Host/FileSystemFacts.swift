internal import Glibc

/// Which file system a folder is on.
package struct FileSystemFacts: Equatable {
    /// The same for all folders of a file system, and from one start of the computer to the next where the file system has an
    /// identity of its own (statvfs(3): `f_fsid`); else the device's number.
    package let identity: String
    /// Whether it is gone with the next start: tmpfs or ramfs.
    package let isInMemory: Bool

    /// `nil` where the system does not say; `errno` tells why.
    ///
    /// - Parameters:
    ///   - path: Anything on it.
    ///   - root: In front of `/proc`; synthetic in tests.
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

    /// A line is some hundred bytes; machines with many containers have thousands.
    private static let mostMountBytes = 4_000_000

    /// The file system's kind, of proc(5)'s mountinfo: `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`.
    private static func kind(of device: UInt64, root: String) -> String? {
        // As gnu_dev_major and gnu_dev_minor take them apart.
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
