import Media

/// A file that can be read at offsets of the caller's choosing.
protocol ReadableFile {
    /// Reads up to `count` bytes from `offset` on; fewer where the file ends.
    ///
    /// - Throws: `FileError` "read".
    func read(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8]
}
