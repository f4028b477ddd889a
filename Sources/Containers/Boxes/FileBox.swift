import Media

/// Position of a box (ISO/IEC 14496-12, 4.2) in a file, from its head alone: its content may be larger than memory.
struct FileBox: Equatable {
    let type: String
    let range: Range<Int64>
    let headSize: Int64
    /// Whether the whole box lies in the file.
    let isWhole: Bool

    var content: Range<Int64> { range.lowerBound + headSize..<range.upperBound }

    /// Reads the head of a box.
    ///
    /// - Parameters:
    ///   - place: Offset of the head in bytes.
    ///   - file: The file, which is not trusted.
    ///   - end: Size of the file in bytes.
    /// - Returns: The box; `nil` at the end of the file, and where no box can be.
    /// - Throws: `FileError` "read".
    static func read(at place: Int64, in file: some ReadableFile, end: Int64) throws(FileError) -> FileBox? {
        guard place + 8 <= end else { return nil }
        var reader = BoxReader(try file.read(Int(min(16, end - place)), at: place))
        guard let size = reader.read32(), let type = reader.readCode() else { return nil }
        var (count, headSize) = (Int64(size), Int64(8))
        if size == 1 {
            guard let large = reader.read64().flatMap({ Int64(exactly: $0) }) else { return nil }
            (count, headSize) = (large, 16)
        }
        guard count >= headSize, count < .max / 2 else { return nil }
        let range = place..<place + count
        return FileBox(type: type, range: range, headSize: headSize, isWhole: range.upperBound <= end)
    }
}
