import Media

/// How a movie file of ours is laid out, found by its boxes' heads alone, however large the media are.
struct MovieLayout {
    let kind: MovieKind
    /// Where the 16 bytes are that are, or become, the head of the media data.
    let reservedOffset: Int64
    /// The boxes from there on, as far as they are of the kinds that we write.
    let boxes: [FileBox]
    /// Where the recording's bytes end: the file's end, or where an earlier recovery found it before it wrote an index behind it.
    let end: Int64

    /// More than any fragment's list of samples, or any recording's index: what says it is larger is damaged.
    private static let largestList: Int64 = 16 << 20
    static let largestIndex: Int64 = 1 << 30

    /// - Returns: `nil` where the file does not begin as ours do.
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

    /// Where a recovery that did not come to its end said that the recording ends.
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
