internal import Glibc
package import Media

/// Measures how fast a disk takes data for good, by writing as recordings do: sequentially, flushed to the disk every
/// few megabytes.
package struct WriteSpeedMeasurement {
    /// Bytes between two calls of `fdatasync`: a fragment of a second of several cameras, as in the recorder.
    private static let pieceBytes = 4_000_000
    /// Most bytes that are written: much more than a disk's own cache.
    private static let mostBytes: Int64 = 256_000_000
    /// Longest time that is spent on writing.
    private static let longest = Nanoseconds.seconds(2)
    /// Least bytes that give a meaningful result.
    private static let leastBytes: Int64 = 16_000_000

    private let folder: String

    /// Prepares the measurement.
    ///
    /// - Parameter folder: The folder where recordings go; it must exist.
    package init(folder: String) {
        self.folder = folder
    }

    /// Measures by writing to a file without a name, which vanishes whatever happens. Blocks for some seconds on a slow
    /// disk.
    ///
    /// - Returns: Bytes per second, above 0.
    /// - Throws: `FileError` when the folder is kept in memory, there is too little room, or the disk refuses.
    package func bytesPerSecond() throws(FileError) -> Double {
        guard let fileSystem = FileSystemFacts(folder) else { throw failure(errno) }
        guard !fileSystem.isInMemory else {
            throw refusal(
                "it is kept in memory (tmpfs), where there is no disk to measure and recordings do not outlast a restart. "
                    + "Choose another folder with `--output`.")
        }
        guard let most = Self.room(free: DiskSpaceReader.freeBytes(folder) ?? 0) else {
            throw refusal(
                "there is too little room to measure in. Free some space, or choose another disk with `--output`."
            )
        }
        let descriptor = try openNameless()
        defer { close(descriptor) }
        return try write(upTo: most, into: descriptor)
    }

    /// The number of bytes to write where `free` bytes are free: an eighth of them, since other programs may want to
    /// write meanwhile.
    ///
    /// - Returns: Bytes; `nil` where they would give no meaningful result.
    static func room(free: Int64) -> Int64? {
        let most = min(free / 8, mostBytes)
        return most >= leastBytes ? most : nil
    }

    /// Opens a file and removes its name at once.
    private func openNameless() throws(FileError) -> Int32 {
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
        // Random data, incompressible as encoded frames are: some file systems compress zeros.
        var generator = SystemRandomNumberGenerator()
        var words = (0..<Self.pieceBytes / 8).map { _ in generator.next() as UInt64 }
        let clock = MonotonicClock()
        let start = clock.now
        var written: Int64 = 0
        repeat {
            // No two pieces are equal either.
            words[0] = generator.next()
            try writePiece(words, into: descriptor)
            guard fdatasync(descriptor) == 0 else { throw failure(errno) }
            written += Int64(Self.pieceBytes)
        } while written + Int64(Self.pieceBytes) <= most && clock.now - start < Self.longest
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
