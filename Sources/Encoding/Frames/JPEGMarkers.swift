internal import CMedia
package import Media

/// Facts from the markers of a JPEG (ITU-T T.81, annex B), found without decoding.
package struct JPEGMarkers {
    /// Width × height in pixels, from the frame header.
    package let size: FrameSize
    /// Whether an end of image follows the scan. Bytes after it, as webcams leave them, do no harm.
    package let hasEnd: Bool

    /// Reads the markers; `nil` when the bytes do not lead from the start of an image to its scan.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == Self.startOfImage else { return nil }
        var position = 2
        var size: FrameSize?
        while true {
            guard let marker = Self.marker(in: bytes, at: &position), position + 2 <= bytes.count else {
                return nil
            }
            let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
            guard length >= 2, position + length <= bytes.count else { return nil }
            if Self.framesWeDecode.contains(marker) {
                guard length >= 8, size == nil else { return nil }
                let height = Int(bytes[position + 3]) << 8 | Int(bytes[position + 4])
                let width = Int(bytes[position + 5]) << 8 | Int(bytes[position + 6])
                size = FrameSize(width: width, height: height)
            }
            position += length
            if marker == Self.startOfScan { break }
        }
        guard let size else { return nil }
        self.size = size
        hasEnd = Self.findsEnd(in: bytes, from: position)
    }

    private static let startOfImage: UInt8 = 0xD8
    private static let endOfImage: UInt8 = 0xD9
    private static let startOfScan: UInt8 = 0xDA
    /// Start-of-frame codes that can be decoded: baseline, extended sequential and progressive.
    private static let framesWeDecode: ClosedRange<UInt8> = 0xC0...0xC2

    /// Code of the next marker that has a segment; any number of 0xFF may precede its code.
    private static func marker(in bytes: UnsafeRawBufferPointer, at position: inout Int) -> UInt8? {
        guard position < bytes.count, bytes[position] == 0xFF else { return nil }
        while position < bytes.count, bytes[position] == 0xFF { position += 1 }
        guard position < bytes.count else { return nil }
        let code = bytes[position]
        position += 1
        // Start, end, restart and TEM markers have no segment and must not precede the scan.
        return code == 0x00 || code == 0x01 || (0xD0...0xD9).contains(code) ? nil : code
    }

    /// Whether an end of image follows the scan. In a scan's data 0xFF is followed by 0 or a restart marker, so any
    /// 0xFFD9 is the end. It is nearly always at the very end of the bytes, so the search begins there.
    private static func findsEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        return media_has_pair(base + start, bytes.count - start, 0xFF, endOfImage) != 0
    }
}
