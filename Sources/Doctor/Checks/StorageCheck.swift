import Capture
import Media

/// Checks the disk that recordings go to.
enum StorageCheck {
    /// A problem below this many bytes: two 1080p cameras as mjpeg write about a gigabyte per minute.
    private static let little: Int64 = 1_000_000_000
    private static let ample: Int64 = 20_000_000_000

    static func findings(of machine: Machine) -> [Finding] {
        [space(machine), writing(machine), fileSystem(machine)].compactMap { $0 }
    }

    private static func finding(
        _ check: String, _ level: Finding.Level, _ machine: Machine, _ text: String, mend: String? = nil
    ) -> Finding {
        Finding("storage.\(check)", level, device: machine.output.path, text, mend: mend)
    }

    private static func space(_ machine: Machine) -> Finding {
        guard let free = machine.output.freeBytes else {
            return finding("space", .unknown, machine, "the file system does not say how much is free.")
        }
        let size = "\(free / 1_000_000_000).\(free % 1_000_000_000 / 100_000_000) GB are free"
        if free < little {
            return finding(
                "space", .problem, machine,
                "only \(size): enough for a minute or so. Free some, or name another disk with `--output`.",
                mend: "du -xh \(machine.output.existing.shellQuoted()) | sort -h | tail")
        }
        return free < ample
            ? finding("space", .warning, machine, "\(size): enough for some minutes of several cameras.")
            : finding("space", .ok, machine, "\(size).")
    }

    private static func writing(_ machine: Machine) -> Finding {
        let folder = machine.output.existing.shellQuoted()
        let mount = MountTable(machine.lines("/proc/self/mountinfo")).mount(of: machine.output.existing)
        if let mount, mount.isReadOnly {
            return finding(
                "writable", .problem, machine,
                "the file system at \(mount.folder) is read-only. Name another folder with `--output`.",
                mend: "\(machine.sudo)mount -o remount,rw \(mount.folder.shellQuoted())")
        }
        return machine.output.isWritable
            ? finding("writable", .ok, machine, "recordings can be made here.")
            : finding(
                "writable", .problem, machine,
                "you may not write here. Name a folder of your own with `--output`.",
                mend: "\(machine.sudo)chown \(machine.user.id) \(folder)")
    }

    private static func fileSystem(_ machine: Machine) -> Finding {
        guard let mount = MountTable(machine.lines("/proc/self/mountinfo")).mount(of: machine.output.existing)
        else {
            return finding(
                "kind", .unknown, machine, "/proc/self/mountinfo does not say what file system this is.")
        }
        switch mount.kind {
        case "tmpfs", "ramfs":
            return finding(
                "kind", .warning, machine,
                "this is memory (\(mount.kind)): what is recorded is lost when the computer is switched off.")
        case "vfat", "msdos":
            return finding(
                "kind", .problem, machine,
                "this is FAT (\(mount.kind)): no file can be over 4 GB, where a long recording ends. Use a disk with ext4 or exFAT."
            )
        case "nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "afs", "fuse.sshfs", "fuse.rclone", "fuse.davfs",
            "fuse.glusterfs":
            return finding(
                "kind", .warning, machine,
                "this is on the network (\(mount.kind)): a slow or lost connection holds up the recording. Record to a disk here."
            )
        default:
            let way =
                machine.output.takesDirectWrites
                ? "copied video is written past the page cache"
                : "it takes copied video through the page cache only, which costs the processor several times as much"
            return finding("kind", .ok, machine, "the file system is \(mount.kind); \(way).")
        }
    }
}
