import Glibc
public import Media

/// Reads finished files again and compares them with what was written. Use it on a thread that may block on the disk.
public enum FileVerification {
    /// Computes the checksum of a whole file.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - start: Offset in bytes at which the checksum begins; see `FileChecksum`.
    ///   - progress: Called with the bytes that were read since the last call, on this thread.
    /// - Returns: The size of the file in bytes, and its checksum.
    /// - Throws: `FileError` "open" or "read".
    public static func checksum(
        of path: String, from start: Int64, progress: (Int64) -> Void = { _ in }
    ) throws(FileError) -> (byteCount: Int64, checksum: FileChecksum) {
        let file = try ReadFile(path)
        guard let running = RunningChecksum() else {
            throw FileError(path: path, operation: "read", errno: ENOMEM)
        }
        let turn = min(max(start, 0), file.byteCount)
        for part in [turn..<file.byteCount, 0..<turn] {
            var place = part.lowerBound
            while place < part.upperBound {
                let bytes = try file.read(Int(min(step, part.upperBound - place)), at: place)
                guard !bytes.isEmpty else {
                    throw FileError(
                        path: path, operation: "read", detail: "it became shorter while it was read.")
                }
                bytes.withUnsafeBytes { running.add($0) }
                place += Int64(bytes.count)
                progress(Int64(bytes.count))
            }
        }
        return (file.byteCount, FileChecksum(value: running.value, start: turn))
    }

    /// Checks a finished movie. The time it takes depends on the size of the index.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - summary: Expected content; `nil` to check only whether the file is consistent.
    /// - Returns: What is wrong with the file, as a sentence; `nil` when nothing is.
    public static func fault(ofMovie path: String, holding summary: MovieSummary? = nil) -> String? {
        do throws(FileError) {
            return try MovieCheck(try ReadFile(path)).fault(holding: summary)
        } catch {
            return error.description
        }
    }

    /// Checks a finished Broadcast Wave file: its header, its size and its end.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - byteCount: Expected size in bytes; `nil` where it is not known.
    ///   - mayHaveMore: Whether bytes may follow those that the header names, as after a recording that was cut.
    /// - Returns: What is wrong with the file, as a sentence; `nil` when nothing is.
    public static func fault(
        ofWave path: String, holding byteCount: Int64? = nil, mayHaveMore: Bool = false
    ) -> String? {
        do throws(FileError) {
            let file = try ReadFile(path)
            if let byteCount, byteCount != file.byteCount {
                return "it has \(file.byteCount) bytes in place of \(byteCount)."
            }
            guard let layout = WaveLayout(try file.read(WaveLayout.headerLimit, at: 0)) else {
                return "its header cannot be read."
            }
            let end = Int64(layout.samplesOffset) + layout.dataSize + layout.dataSize % 2
            guard layout.isPlain(in: file.byteCount), mayHaveMore || end == file.byteCount else {
                return "its header and its size do not agree."
            }
            let last = min(layout.dataSize, 4096)
            guard try file.read(Int(last), at: end - last).count == Int(last) else {
                return "its end cannot be read."
            }
            return nil
        } catch {
            return error.description
        }
    }

    private static let step: Int64 = 1 << 20
}
