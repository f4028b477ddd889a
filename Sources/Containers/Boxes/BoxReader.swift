import MulticamMedia

/// Reads big-endian numbers and nested boxes (ISO/IEC 14496-12, 4.2) from untrusted bytes.
///
/// The reader never reads outside its byte range. If too few bytes are left, reading a number returns `nil`.
struct BoxReader {
    /// A box: its type and a reader for its content.
    struct Box {
        let type: String
        let content: BoxReader
    }

    private let bytes: [UInt8]
    private(set) var position: Int
    private let end: Int

    init(_ bytes: [UInt8]) {
        self.init(bytes, 0..<bytes.count)
    }

    private init(_ bytes: [UInt8], _ part: Range<Int>) {
        self.bytes = bytes
        position = part.lowerBound
        end = part.upperBound
    }

    var remainingCount: Int { end - position }
    var remainingBytes: [UInt8] { Array(bytes[position..<end]) }

    mutating func skip(_ count: Int) -> Void? {
        guard count >= 0, count <= remainingCount else { return nil }
        position += count
        return ()
    }

    mutating func read(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= remainingCount else { return nil }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    mutating func read8() -> UInt8? { number(1).map { UInt8($0) } }
    mutating func read16() -> UInt16? { number(2).map { UInt16($0) } }
    mutating func read32() -> UInt32? { number(4).map { UInt32($0) } }
    mutating func read64() -> UInt64? { number(8) }

    /// Reads a signed number, with 64 bits in a version 1 box and otherwise with 32 bits; `nil` if too few
    /// bytes are left.
    mutating func readSigned(version: UInt8) -> Int64? {
        version == 1 ? read64().map { Int64(bitPattern: $0) } : read32().map { Int64(Int32(bitPattern: $0)) }
    }

    /// Reads an unsigned number, with 64 bits in a version 1 box and otherwise with 32 bits. The result is
    /// `nil` if too few bytes are left, or if the number exceeds the maximum size of a file.
    mutating func readUnsigned(version: UInt8) -> Int64? {
        guard version == 1 else { return read32().map { Int64($0) } }
        return read64().flatMap { Int64(exactly: $0) }
    }

    mutating func readCode() -> String? {
        // Box types are decoded as Latin-1, because the character `©` of QuickTime types is a single byte.
        read(4).map { String(String.UnicodeScalarView($0.map { Unicode.Scalar($0) })) }
    }

    mutating func readVersion() -> (version: UInt8, flags: UInt32)? {
        read32().map { (UInt8($0 >> 24), $0 & 0xFF_FFFF) }
    }

    /// Reads the next box; `nil` at the end of the data, or if the size of the box is invalid.
    mutating func readBox() -> Box? {
        let start = position
        guard let size = read32(), let type = readCode(), size >= 8, Int(size) <= end - start else {
            position = start
            return nil
        }
        let content = BoxReader(bytes, position..<start + Int(size))
        position = start + Int(size)
        return Box(type: type, content: content)
    }

    /// Returns the boxes from the current position to the end, or to the first damaged box.
    func boxes() -> [Box] {
        var reader = self
        var boxes: [Box] = []
        while let box = reader.readBox() { boxes.append(box) }
        return boxes
    }

    /// Returns the content of the first nested box whose enclosing boxes and itself have the types in `path`;
    /// `nil` if no such box exists.
    func content(_ path: String...) -> BoxReader? {
        var reader = self
        for type in path {
            guard let box = reader.boxes().first(where: { $0.type == type }) else { return nil }
            reader = box.content
        }
        return reader
    }

    private mutating func number(_ count: Int) -> UInt64? {
        guard count <= remainingCount else { return nil }
        defer { position += count }
        return bytes[position..<position + count].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Position of a box (ISO/IEC 14496-12, 4.2) in a file. Only the header of the box is read, because the
/// content may be larger than memory.
struct FileBox: Equatable {
    let type: String
    let range: Range<Int64>
    let headerSize: Int64
    /// Whether the file contains the entire box.
    let isWhole: Bool

    var content: Range<Int64> { range.lowerBound + headerSize..<range.upperBound }

    /// Reads the header of a box.
    ///
    /// - Parameters:
    ///   - place: Offset of the header in bytes.
    ///   - file: The file, which isn't trusted.
    ///   - end: Size of the file in bytes.
    /// - Returns: The box; `nil` at the end of the file, or if the bytes at this offset aren't a valid box
    ///   header.
    /// - Throws: `FileError` with the operation "reading".
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
        return FileBox(type: type, range: range, headerSize: headSize, isWhole: range.upperBound <= end)
    }
}
