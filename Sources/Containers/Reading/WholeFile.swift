public import Media

/// A small file that is read at once.
public enum WholeFile {
    /// Reads it. Waits for nobody but the disk: a pipe in its place is refused.
    ///
    /// - Parameters:
    ///   - path: The file's.
    ///   - limit: How many bytes it may have.
    /// - Returns: All of it.
    /// - Throws: "open", "read"; also for what is no ordinary file, and for what is larger.
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
