public import Media

/// Reads a small file as a whole.
public enum WholeFile {
    /// Reads all bytes of a file. It blocks only on the disk: a pipe in the file's place is refused.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - limit: Largest size in bytes that is read.
    /// - Returns: All bytes of the file.
    /// - Throws: `FileError` "open" or "read", also for what is no regular file and for a larger file.
    public static func bytes(of path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
        let file = try ReadFile(path)
        guard file.byteCount <= Int64(limit) else {
            throw FileError(
                path: path, operation: "read",
                detail: "it has \(file.byteCount) bytes, and may have \(limit).")
        }
        return try file.read(Int(file.byteCount), at: 0)
    }
}
