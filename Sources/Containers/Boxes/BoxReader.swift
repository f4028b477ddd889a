/// Reads big-endian numbers and nested boxes (ISO/IEC 14496-12, 4.2) from untrusted bytes.
///
/// It never reads outside its own part of the bytes: where that ends, a number is `nil`.
struct BoxReader {
    /// A box: its type, and a reader of its content.
    struct Box {
        let type: String
        let content: BoxReader
    }

    private let bytes: [UInt8]
    private(set) var place: Int
    private let end: Int

    init(_ bytes: [UInt8]) {
        self.init(bytes, 0..<bytes.count)
    }

    private init(_ bytes: [UInt8], _ part: Range<Int>) {
        self.bytes = bytes
        place = part.lowerBound
        end = part.upperBound
    }

    var rest: Int { end - place }
    var restBytes: [UInt8] { Array(bytes[place..<end]) }

    mutating func skip(_ count: Int) -> Void? {
        guard count >= 0, count <= rest else { return nil }
        place += count
        return ()
    }

    mutating func read(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= rest else { return nil }
        defer { place += count }
        return Array(bytes[place..<place + count])
    }

    mutating func read8() -> UInt8? { number(1).map { UInt8($0) } }
    mutating func read16() -> UInt16? { number(2).map { UInt16($0) } }
    mutating func read32() -> UInt32? { number(4).map { UInt32($0) } }
    mutating func read64() -> UInt64? { number(8) }

    /// Reads a signed number of 64 bits in a box of version 1, of 32 bits otherwise; `nil` at the end.
    mutating func readSigned(version: UInt8) -> Int64? {
        version == 1 ? read64().map { Int64(bitPattern: $0) } : read32().map { Int64(Int32(bitPattern: $0)) }
    }

    /// Reads a number that is never negative, of 64 bits in a box of version 1 and of 32 bits otherwise; `nil` at the end, and
    /// where it is too large for any file.
    mutating func readUnsigned(version: UInt8) -> Int64? {
        guard version == 1 else { return read32().map { Int64($0) } }
        return read64().flatMap { Int64(exactly: $0) }
    }

    mutating func readCode() -> String? {
        // Latin 1: QuickTime's `©` types are single bytes.
        read(4).map { String(String.UnicodeScalarView($0.map { Unicode.Scalar($0) })) }
    }

    mutating func readVersion() -> (version: UInt8, flags: UInt32)? {
        read32().map { (UInt8($0 >> 24), $0 & 0xFF_FFFF) }
    }

    /// Reads the next box; `nil` at the end, and where its size is impossible.
    mutating func readBox() -> Box? {
        let start = place
        guard let size = read32(), let type = readCode(), size >= 8, Int(size) <= end - start else {
            place = start
            return nil
        }
        let content = BoxReader(bytes, place..<start + Int(size))
        place = start + Int(size)
        return Box(type: type, content: content)
    }

    /// The boxes from here to the end, or to the first that is damaged.
    func boxes() -> [Box] {
        var reader = self
        var boxes: [Box] = []
        while let box = reader.readBox() { boxes.append(box) }
        return boxes
    }

    /// The content of the first box at a path of types, each inside the one before; `nil` where there is none.
    func content(_ path: String...) -> BoxReader? {
        var reader = self
        for type in path {
            guard let box = reader.boxes().first(where: { $0.type == type }) else { return nil }
            reader = box.content
        }
        return reader
    }

    private mutating func number(_ count: Int) -> UInt64? {
        guard count <= rest else { return nil }
        defer { place += count }
        return bytes[place..<place + count].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
