/// Positions of the segments of a JPEG up to its scan (ITU-T T.81, annex B), in bytes.
struct JPEGHeaders {
    /// Byte range of each segment with its marker, in order, without the start of the image and the scan's header.
    let segments: [Range<Int>]
    /// Offset of the header of the first scan.
    let scan: Int
    /// Offset after the end of the image; bytes that a camera leaves after it are no part of it.
    let end: Int
    let hasEnd: Bool
    let hasHuffmanTables: Bool

    private static let startOfScan: UInt8 = 0xDA
    private static let huffmanTables: UInt8 = 0xC4
    private static let applicationData: ClosedRange<UInt8> = 0xE0...0xE1

    /// Finds the segments; `nil` where the bytes do not lead from the start of an image to its scan.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return nil }
        var segments: [Range<Int>] = []
        var hasTables = false
        var position = 2
        while true {
            let start = position
            guard position + 4 <= bytes.count, bytes[position] == 0xFF else { return nil }
            // Any number of 0xFF may stand before a marker's code.
            while position + 3 < bytes.count, bytes[position + 1] == 0xFF { position += 1 }
            let code = bytes[position + 1]
            guard position + 4 <= bytes.count, code >= 0xC0, !(0xD0...0xD9).contains(code) else { return nil }
            if code == Self.startOfScan {
                scan = start
                break
            }
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            guard length >= 2, position + 2 + length <= bytes.count else { return nil }
            hasTables = hasTables || code == Self.huffmanTables
            position += 2 + length
            segments.append(start..<position)
        }
        self.segments = segments
        hasHuffmanTables = hasTables
        let end = Self.end(of: bytes, from: scan)
        hasEnd = end != nil
        self.end = end ?? bytes.count
    }

    /// Whether the Exif segment that is written replaces a segment: a JFIF header, or a camera's Exif.
    func isReplaced(_ segment: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Bool {
        guard let code = bytes[segment].first(where: { $0 != 0xFF }), Self.applicationData.contains(code)
        else {
            return false
        }
        let content = bytes[segment].drop { $0 == 0xFF }.dropFirst(3)
        return content.starts(with: "JFIF".utf8) || content.starts(with: "Exif".utf8)
    }

    /// Offset after the last end of image; `nil` where there is none. In a scan's data 0xFF is followed by 0 or a restart
    /// marker.
    private static func end(of bytes: UnsafeRawBufferPointer, from scan: Int) -> Int? {
        var position = bytes.count
        while position - 2 >= scan {
            if bytes[position - 2] == 0xFF, bytes[position - 1] == 0xD9 { return position }
            position -= 1
        }
        return nil
    }
}
