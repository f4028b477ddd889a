import Glibc
import MulticamCapture
import MulticamContainers
import MulticamMedia
import MulticamSystem

/// Checks the disk that stores the recordings.
enum StorageCheck {
    /// Free space in bytes below which a problem is reported. Recording two 1080p cameras as MJPEG takes
    /// about 1 GB per minute.
    private static let lowSpace: Int64 = 1_000_000_000
    private static let ampleSpace: Int64 = 20_000_000_000

    static func findings(of machine: Machine) -> [Finding] {
        [space(machine), writing(machine), fileSystem(machine)].compactMap { $0 }
    }

    private static func finding(
        _ check: String, _ level: Finding.Level, _ machine: Machine, _ text: String,
        repairCommand: String? = nil
    ) -> Finding {
        Finding("storage.\(check)", level, device: machine.output.path, text, repairCommand: repairCommand)
    }

    private static func space(_ machine: Machine) -> Finding {
        guard let free = machine.output.freeBytes else {
            return finding("space", .unknown, machine, "the file system doesn't report its free space.")
        }
        let size = "\(free / 1_000_000_000).\(free % 1_000_000_000 / 100_000_000) GB of disk space is free"
        if free < lowSpace {
            return finding(
                "space", .problem, machine,
                "only \(size), enough to record for about a minute. Free up disk space, or choose another disk with `--output`.",
                repairCommand: "du -xh \(machine.output.existing.shellQuoted()) | sort -h | tail")
        }
        return free < ampleSpace
            ? finding(
                "space", .warning, machine, "\(size), enough to record several cameras for a few minutes.")
            : finding("space", .ok, machine, "\(size).")
    }

    private static func writing(_ machine: Machine) -> Finding {
        let folder = machine.output.existing.shellQuoted()
        let mount = MountTable(machine.lines("/proc/self/mountinfo")).mount(of: machine.output.existing)
        if let mount, mount.isReadOnly {
            return finding(
                "writable", .problem, machine,
                "the file system at \(mount.folder) is read-only. Choose another folder with `--output`.",
                repairCommand: "\(machine.sudo)mount -o remount,rw \(mount.folder.shellQuoted())")
        }
        return machine.output.isWritable
            ? finding("writable", .ok, machine, "the folder is writable.")
            : finding(
                "writable", .problem, machine,
                "the folder is not writable for the current user. Choose another folder with `--output`.",
                repairCommand: "\(machine.sudo)chown \(machine.user.id) \(folder)")
    }

    private static func fileSystem(_ machine: Machine) -> Finding {
        guard let mount = MountTable(machine.lines("/proc/self/mountinfo")).mount(of: machine.output.existing)
        else {
            return finding(
                "kind", .unknown, machine, "/proc/self/mountinfo doesn't list this file system.")
        }
        switch mount.kind {
        case "tmpfs", "ramfs":
            return finding(
                "kind", .warning, machine,
                "the folder is in memory (\(mount.kind)), so recordings are lost when the computer is switched off. Choose another folder with `--output`."
            )
        case "vfat", "msdos":
            return finding(
                "kind", .problem, machine,
                "the file system is FAT (\(mount.kind)), which limits files to 4 GB, so long recordings end early. Use a disk with ext4 or exFAT."
            )
        case "nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "afs", "fuse.sshfs", "fuse.rclone", "fuse.davfs",
            "fuse.glusterfs":
            return finding(
                "kind", .warning, machine,
                "the folder is on a network file system (\(mount.kind)), so network problems can interrupt the recording. Record to a local disk."
            )
        default:
            let way =
                machine.output.supportsDirectWrites
                ? "copied video bypasses the page cache"
                : "copied video can't bypass the page cache, which requires several times as much processor time"
            return finding("kind", .ok, machine, "the file system is \(mount.kind); \(way).")
        }
    }
}

/// Checks the folders for profiles and state.
enum FolderCheck {
    static func findings(of machine: Machine) -> [Finding] {
        guard !machine.ownFolders.isEmpty else {
            return [
                Finding(
                    "storage.own", .warning,
                    "profiles and preferences can't be saved, because HOME is not set.")
            ]
        }
        return machine.ownFolders.map { folder in
            if folder.isWritable {
                return Finding(
                    "storage.own", .ok, device: folder.path,
                    "profiles and preferences can be saved in this folder.")
            }
            return Finding(
                "storage.own", .warning, device: folder.path,
                "profiles and preferences can't be saved in this folder, because \(folder.existing) is not writable for the current user.",
                repairCommand: "\(machine.sudo)chown \(machine.user.id) \(folder.existing.shellQuoted())")
        }
    }
}

/// A folder that stores files, and the file system that contains it. The folder may not exist yet.
struct FolderFacts: Sendable {
    let path: String
    /// The folder or its nearest existing parent, without symbolic links.
    let existing: String
    /// Whether this user can create files in the folder, or can create the folder.
    let isWritable: Bool
    /// Bytes available to this user; `nil` if the file system doesn't report them.
    let freeBytes: Int64?
    /// Whether the file system supports writes that bypass the page cache, and reports that it does.
    let supportsDirectWrites: Bool

    init(
        path: String, existing: String, isWritable: Bool, freeBytes: Int64?, takesDirectWrites: Bool = true
    ) {
        self.path = path
        self.existing = existing
        self.isWritable = isWritable
        self.freeBytes = freeBytes
        self.supportsDirectWrites = takesDirectWrites
    }

    /// Collects the properties of a folder.
    ///
    /// - Parameter path: An absolute path, or a path relative to the current folder.
    init(of path: String) {
        let here = Paths.resolved(".") ?? "/"
        self.path = path == "." ? here : path.hasPrefix("/") ? path : "\(here)/\(path)"
        var nearest = self.path
        while nearest != "/", !Paths.exists(nearest) { nearest = Paths.parent(nearest) }
        existing = Paths.resolved(nearest) ?? nearest
        isWritable = access(existing, W_OK | X_OK) == 0
        freeBytes = DiskSpaceReader.freeBytes(existing)
        supportsDirectWrites = isWritable && DirectFile.isSupported(in: existing)
    }
}

/// The folders that the program uses between recordings, according to the XDG Base Directory Specification.
enum OwnFolders {
    /// The folder for profiles and preferences, followed by the folder for stored device data; empty if the
    /// user doesn't have a home folder.
    static var all: [String] {
        [("XDG_CONFIG_HOME", ".config"), ("XDG_STATE_HOME", ".local/state")].compactMap { name, inHome in
            // The specification requires relative paths to be ignored.
            if let folder = variable(name), folder.hasPrefix("/") { return "\(folder)/multicam" }
            return variable("HOME").map { "\($0)/\(inHome)/multicam" }
        }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}

/// The mounted file systems, parsed from proc_pid_mountinfo(5).
struct MountTable {
    struct Mount: Equatable {
        let folder: String
        /// The file system type, such as `ext4`, `tmpfs`, or `nfs4`.
        let kind: String
        let isReadOnly: Bool
    }

    private(set) var mounts: [Mount] = []

    /// Parses the mounts.
    ///
    /// - Parameter lines: Lines such as `36 35 98:0 /root /folder rw,noatime shared:1 - ext3 /dev/sda rw`. Invalid
    ///   lines are skipped.
    init(_ lines: [Substring]) {
        for line in lines {
            let fields = line.split(separator: " ")
            guard let separator = fields.firstIndex(of: "-"), separator >= 6, separator + 1 < fields.count
            else {
                continue
            }
            // Either the mount or the whole file system can be read-only.
            let ownOptions = fields[5].split(separator: ",")
            let systemOptions =
                fields.count > separator + 3 ? fields[separator + 3].split(separator: ",") : []
            mounts.append(
                Mount(
                    folder: Self.unescaped(fields[4]), kind: String(fields[separator + 1]),
                    isReadOnly: ownOptions.contains("ro") || systemOptions.contains("ro")))
        }
    }

    /// Returns the mount that contains a folder: the deepest one, and the last one if several are at the same path. The
    /// folder's path must not contain symbolic links.
    func mount(of folder: String) -> Mount? {
        let above = mounts.filter {
            $0.folder == "/" || folder == $0.folder || folder.hasPrefix("\($0.folder)/")
        }
        guard let depth = above.map(\.folder.utf8.count).max() else { return nil }
        return above.last { $0.folder.utf8.count == depth }
    }

    /// Decodes octal escapes such as `\040`, which represent spaces, tabs, newlines, and backslashes.
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
