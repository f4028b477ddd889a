import Media

/// A file that can be read at places of the caller's choosing.
protocol ReadableFile {
    /// Reads what there is of `count` bytes from `offset` on: fewer where the file ends.
    func read(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8]
}
