internal import Glibc
package import MulticamMedia

/// Reads the free space of a file system, and the size of a recording on that file system.
package enum DiskSpaceReader {
    /// Returns the number of bytes that this user can still write on a file system.
    ///
    /// - Parameter folder: Any path on the file system.
    /// - Returns: The number of bytes; `nil` if the file system doesn't report its free space.
    package static func freeBytes(_ folder: String) -> Int64? {
        var system = statvfs()
        // Some network and kernel file systems report a size of 0. In that case, the free space is unknown,
        // but the file system isn't full.
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
                    .disk, "the free space of \(folder) is unknown"))
            return
        }
        state.disk = DiskSpace(freeBytes: free, recordedBytes: bytes(in: folder))
    }

    /// Returns the total size in bytes of all files below a folder. Files that are removed in the meantime
    /// are counted as 0 bytes.
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

/// Identity and type of a folder's file system.
package struct FileSystemInfo: Equatable {
    /// Identity of the file system, which is the same for all folders on it. If the file system has an ID
    /// (statvfs(3): `f_fsid`), the identity persists across restarts of the computer. If the file system
    /// doesn't have an ID, the device number is used.
    package let identity: String
    /// Whether the content of the file system is lost at the next restart because the file system is a tmpfs
    /// or ramfs.
    package let isInMemory: Bool

    /// Reads the identity and type of a file system. Returns `nil` and sets `errno` if the system doesn't
    /// provide these values.
    ///
    /// - Parameters:
    ///   - path: Any path on the file system.
    ///   - root: Prefix of `/proc`, which tests can replace.
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

    /// Maximum number of bytes to read from the mountinfo file. A line of that file is a few hundred bytes
    /// long, and computers with many containers have thousands of lines.
    private static let maxMountInfoBytes = 4_000_000

    /// Returns the type of the file system on a device, from the mountinfo file in proc(5), for example
    /// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`.
    private static func kind(of device: UInt64, root: String) -> String? {
        // The major and minor device numbers are computed as in glibc's gnu_dev_major and gnu_dev_minor.
        let major = (device >> 8) & 0xFFF | (device >> 32) & 0xFFFF_F000
        let minor = device & 0xFF | (device >> 12) & 0xFFFF_FF00
        let text: String
        do throws(HostFileError) {
            text = try HostFiles(root: root).text("/proc/self/mountinfo", limit: maxMountInfoBytes)
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

/// Measures the sustained write speed of a disk with the access pattern of a recording: sequential writes,
/// flushed to disk every few megabytes.
package struct WriteSpeedMeasurement {
    /// Number of bytes between two calls of `fdatasync`. One second of a recording of several
    /// cameras is about as large.
    private static let pieceBytes = 4_000_000
    /// Maximum number of bytes to write, which is much more than the size of a disk's cache.
    private static let maxBytes: Int64 = 256_000_000
    /// Maximum duration of the write test.
    private static let maxDuration = Nanoseconds.seconds(2)
    /// Minimum number of bytes that must be written for a meaningful result.
    private static let minBytes: Int64 = 16_000_000

    private let folder: String

    /// Creates a write speed measurement that hasn't been started.
    ///
    /// - Parameter folder: The recordings folder, which must exist.
    package init(folder: String) {
        self.folder = folder
    }

    /// Measures the write speed with an unlinked file, which the system removes even after a crash. On a slow
    /// disk, this method blocks for a few seconds.
    ///
    /// - Returns: The write speed in bytes per second, greater than 0.
    /// - Throws: `FileError` if the folder is in memory, there isn't enough free space, or writing fails.
    package func bytesPerSecond() throws(FileError) -> Double {
        guard let fileSystem = FileSystemInfo(folder) else { throw failure(errno) }
        guard !fileSystem.isInMemory else {
            throw refusal(
                "the folder is in memory (tmpfs), so there is no disk to measure, and recordings would be lost at a restart. "
                    + "Choose another folder\(onCommandLine(" with `--output`")).")
        }
        guard let most = Self.testSize(free: DiskSpaceReader.freeBytes(folder) ?? 0) else {
            throw refusal(
                "there is too little free space for a measurement. Free some space, or choose another disk\(onCommandLine(" with `--output`"))."
            )
        }
        let descriptor = try openUnlinkedFile()
        defer { close(descriptor) }
        return try write(upTo: most, into: descriptor)
    }

    /// Returns the number of bytes to write in the measurement. The number is limited to one eighth of the
    /// free space, because other programs may need space in the meantime.
    ///
    /// - Returns: The number of bytes; `nil` if the number is too small for a meaningful result.
    static func testSize(free: Int64) -> Int64? {
        let most = min(free / 8, maxBytes)
        return most >= minBytes ? most : nil
    }

    /// Opens a file and unlinks it immediately.
    private func openUnlinkedFile() throws(FileError) -> Int32 {
        let path = "\(folder)/.multicam-speed-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(errno) }
        guard unlink(path) == 0 else {
            let number = errno
            close(descriptor)
            throw failure(number)
        }
        return descriptor
    }

    private func write(upTo most: Int64, into descriptor: Int32) throws(FileError) -> Double {
        // The test data is random and therefore incompressible, like encoded frames. Some file systems
        // compress zeros.
        var generator = SystemRandomNumberGenerator()
        var words = (0..<Self.pieceBytes / 8).map { _ in generator.next() as UInt64 }
        let clock = MonotonicClock()
        let start = clock.now
        var written: Int64 = 0
        repeat {
            // A random number makes the content of each block unique.
            words[0] = generator.next()
            try writePiece(words, into: descriptor)
            guard fdatasync(descriptor) == 0 else { throw failure(errno) }
            written += Int64(Self.pieceBytes)
        } while written + Int64(Self.pieceBytes) <= most && clock.now - start < Self.maxDuration
        return Double(written) / max((clock.now - start).inSeconds, 1e-6)
    }

    private func writePiece(_ words: [UInt64], into descriptor: Int32) throws(FileError) {
        var done = 0
        while done < Self.pieceBytes {
            let count = words.withUnsafeBytes { bytes in
                Glibc.write(
                    descriptor, bytes.baseAddress.map { $0 + done }, Self.pieceBytes - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(errno) }
            done += count
        }
    }

    private func failure(_ number: Int32) -> FileError {
        FileError(path: folder, operation: "measuring the disk", errno: number)
    }

    private func refusal(_ sentence: String) -> FileError {
        FileError(path: folder, operation: "measuring the disk", detail: sentence)
    }
}
