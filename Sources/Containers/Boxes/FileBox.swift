import Media

/// Where a box (ISO/IEC 14496-12, 4.2) lies in a file, by its head alone: its content may be larger than any memory.
struct FileBox: Equatable {
    let type: String
    let range: Range<Int64>
    let headSize: Int64
    /// Whether all of it is in the file.
    let isWhole: Bool

    var content: Range<Int64> { range.lowerBound + headSize..<range.upperBound }

    /// - Parameters:
    ///   - place: Where its head is.
    ///   - file: Of which nothing is believed.
    ///   - end: Where the file ends.
    /// - Returns: `nil` at the end, and where no box can be.
    /// - Throws: "read".
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
