package import Media

/// One message of the media socket: a header of JSON, and bytes.
package struct MediaMessage: Sendable {
    /// The header, a JSON object.
    package let header: SharedBytes
    /// The bytes after the header; empty for messages without.
    package let bytes: SharedBytes

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - header: A JSON object in UTF-8.
    ///   - bytes: What follows it.
    package init(header: SharedBytes, bytes: SharedBytes = SharedBytes(count: 0)) {
        self.header = header
        self.bytes = bytes
    }

    /// The first bytes of each message; the last one is the protocol's version.
    static let magic: [UInt8] = Array("mcm1".utf8)
    /// Bytes before the header: the magic, and two numbers of 32 bits, little endian: of the header and of the bytes.
    static let prefixLength = 12
    /// Most bytes of a header.
    static let longestHeader = 1 << 16
    /// Most bytes after a header: a raw frame of 4096 × 4096 at 4 bytes a pixel.
    static let longestBytes = 1 << 26

    static func prefix(header: Int, bytes: Int) -> [UInt8] {
        magic + little(header) + little(bytes)
    }

    private static func little(_ number: Int) -> [UInt8] {
        let value = UInt32(truncatingIfNeeded: number)
        return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// The lengths that a prefix tells; `nil` when it is none, or they are beyond the limits.
    static func lengths(in prefix: UnsafeRawBufferPointer) -> (header: Int, bytes: Int)? {
        guard prefix.count == prefixLength, prefix.prefix(magic.count).elementsEqual(magic) else {
            return nil
        }
        func number(_ offset: Int) -> Int {
            (0..<4).reduce(0) { $0 | Int(prefix[offset + $1]) << (8 * $1) }
        }
        let (header, bytes) = (number(4), number(8))
        guard (1...longestHeader).contains(header), bytes <= longestBytes else { return nil }
        return (header, bytes)
    }
}
