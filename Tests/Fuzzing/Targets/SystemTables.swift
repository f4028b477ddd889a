@testable import MulticamDoctor

/// Tests system tables and messages that `doctor` reads: mounts, and the kernel log, which contains device
/// names.
final class SystemTables: FuzzTarget {
    static let name = "tables"
    static let limit = 4096

    init(folder: String) {}

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let table = MountTable(lines)
        try require(table.mounts.count <= lines.count, "more mounts than lines")
        for mount in table.mounts.prefix(8) {
            // If there are several mounts at the same folder, the last one is visible.
            try require(
                !mount.folder.hasPrefix("/") || table.mount(of: mount.folder) != nil,
                "nothing is mounted at \(mount.folder)")
        }
        if let message = KernelLog.message(of: bytes) { try requireDisplayable(message, limit: 400 * 32 + 3) }
    }
}
