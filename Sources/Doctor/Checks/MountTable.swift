/// The mounted file systems, parsed from proc_pid_mountinfo(5).
struct MountTable {
    struct Mount: Equatable {
        let folder: String
        /// The type of the file system: `ext4`, `tmpfs`, `nfs4`.
        let kind: String
        let isReadOnly: Bool
    }

    private(set) var mounts: [Mount] = []

    /// Parses the mounts.
    ///
    /// - Parameter lines: Lines such as `36 35 98:0 /root /folder rw,noatime shared:1 - ext3 /dev/sda rw`; invalid ones are
    ///   skipped.
    init(_ lines: [Substring]) {
        for line in lines {
            let fields = line.split(separator: " ")
            guard let separator = fields.firstIndex(of: "-"), separator >= 6, separator + 1 < fields.count
            else {
                continue
            }
            // The mount may be read-only, and so may be the whole file system.
            let ownOptions = fields[5].split(separator: ",")
            let systemOptions =
                fields.count > separator + 3 ? fields[separator + 3].split(separator: ",") : []
            mounts.append(
                Mount(
                    folder: Self.unescaped(fields[4]), kind: String(fields[separator + 1]),
                    isReadOnly: ownOptions.contains("ro") || systemOptions.contains("ro")))
        }
    }

    /// The mount that contains a folder, whose path has no symbolic links: the deepest one, and of several there the last.
    func mount(of folder: String) -> Mount? {
        let above = mounts.filter {
            $0.folder == "/" || folder == $0.folder || folder.hasPrefix("\($0.folder)/")
        }
        guard let depth = above.map(\.folder.utf8.count).max() else { return nil }
        return above.last { $0.folder.utf8.count == depth }
    }

    /// Decodes octal escapes such as `\040`, which stand for spaces, tabs, newlines and backslashes.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            guard byte == UInt8(ascii: "\\"), digits.count == 3,
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(code)
            rest = rest.dropFirst(3)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
