import Media

/// Layout of a movie file that multicam recorded, found from the heads of its boxes alone, however large the media are.
struct MovieLayout {
    let kind: MovieKind
    /// Offset in bytes of the 16 bytes that are, or become, the head of the media data.
    let reservedOffset: Int64
    /// Boxes from `reservedOffset` on, as far as they are of the types that multicam writes.
    let boxes: [FileBox]
    /// End of the recording in bytes: the file's end, or where an earlier recovery found it before it wrote an index after it.
    let end: Int64

    /// Largest list of samples of a fragment in bytes; a larger one is damaged.
    private static let largestList: Int64 = 16 << 20
    /// Largest index of a recording in bytes; a larger one is damaged.
    static let largestIndex: Int64 = 1 << 30

    /// Reads the heads of the boxes; `nil` where the file does not begin as multicam's files do.
    ///
    /// - Throws: `FileError` "read".
    init?(of file: OutputFile) throws(FileError) {
        let (byteCount, isRegular) = try file.facts()
        guard isRegular else { return nil }
        let start = try file.read(512, at: 0)
        guard let kind = [MovieKind.mp4, .mov].first(where: { start.starts(with: $0.fileType) }) else {
            return nil
        }
        self.kind = kind
        reservedOffset = Int64(kind.fileType.count)
        guard let reserved = try FileBox.read(at: reservedOffset, in: file, end: byteCount) else {
            return nil
        }
        var end = byteCount
        if reserved.type == "free" {
            guard reserved.range.count == 16 else { return nil }
            end = try Self.journalledEnd(start, at: Int(reservedOffset) + 8, byteCount: byteCount)
        } else {
            guard reserved.type == "mdat", reserved.headSize == 16 else { return nil }
        }
        self.end = end
        var boxes = [reserved]
        while let last = boxes.last, last.isWhole,
            let next = try FileBox.read(at: last.range.upperBound, in: file, end: end),
            Self.isOurs(next)
        {
            boxes.append(next)
        }
        self.boxes = boxes
    }

    /// The end of the recording as an interrupted recovery noted it.
    private static func journalledEnd(_ start: [UInt8], at place: Int, byteCount: Int64) throws(FileError)
        -> Int64
    {
        guard place + 8 <= start.count else { return byteCount }
        var reader = BoxReader(Array(start[place..<place + 8]))
        guard let end = reader.read64().flatMap({ Int64(exactly: $0) }), end > Int64(place) + 8 else {
            return byteCount
        }
        return min(end, byteCount)
    }

    private static func isOurs(_ box: FileBox) -> Bool {
        switch box.type {
        case "moof": box.range.count <= largestList
        case "moov": box.range.count <= largestIndex
        case "mdat", "free": true
        default: false
        }
    }
}
