package import MulticamMedia
package import MulticamSystem

/// A JPEG file that contains the camera's original image data and an Exif segment with the capture metadata.
///
/// The coded image data isn't changed. An Exif segment from the camera is replaced, and a JFIF header is
/// removed because the Exif segment must come first. Huffman tables and the end marker are added if they are
/// missing, because a JPEG file is invalid without them. Motion JPEG permits frames without Huffman tables.
package struct StillFile {
    /// Creates the byte sequences that form the JPEG file.
    ///
    /// - Parameters:
    ///   - jpeg: A complete JPEG.
    ///   - facts: Capture metadata for the Exif segment.
    /// - Returns: The byte sequences to write one after another; `nil` if `jpeg` isn't a JPEG with readable
    ///   headers.
    package static func pieces(of jpeg: SharedBytes, _ facts: ExifMetadata) -> [SharedBytes]? {
        guard let headers = JPEGHeaders(jpeg.bytes) else { return nil }
        var start: [UInt8] = [0xFF, 0xD8] + ExifSegment(facts).bytes
        for segment in headers.segments where !headers.isReplaced(segment, in: jpeg.bytes) {
            start += jpeg.bytes[segment]
        }
        if !headers.hasHuffmanTables { start += StandardHuffmanTables.segment }
        let coded = UnsafeRawBufferPointer(rebasing: jpeg.bytes[headers.scan..<headers.end])
        let end: [SharedBytes] = headers.hasEnd ? [] : [SharedBytes([0xFF, 0xD9])]
        return [SharedBytes(start), SharedBytes(copying: coded)] + end
    }

    /// Writes a still to a new file, and waits until the file is on the disk. If writing fails, the file is
    /// removed.
    ///
    /// - Throws: `FileError` with the operation "creating the file" (also if the file already exists),
    ///   "writing" (also if the bytes aren't a JPEG), "fdatasync", or "fsync".
    package static func write(_ jpeg: SharedBytes, _ facts: ExifMetadata, to path: String) throws(FileError) {
        try write(jpeg, facts, to: try ContainedFile(path: path, operation: "creating the file"))
    }

    /// Writes a still to a new file inside a folder; see `write(_:_:to:)`.
    package static func write(_ jpeg: SharedBytes, _ facts: ExifMetadata, to place: ContainedFile)
        throws(FileError)
    {
        guard let pieces = pieces(of: jpeg, facts) else {
            throw FileError(
                path: place.path, operation: "writing",
                detail: "the frame is not a readable JPEG. Try again.")
        }
        let file = try OutputFile(creating: place, disk: FileWriteHooks())
        do throws(FileError) {
            try file.write(pieces, at: 0)
            try file.makeDurable()
            try file.makeNameDurable()
        } catch {
            place.discard()
            throw error
        }
    }
}

/// Byte positions of the segments of a JPEG up to its scan (ITU-T T.81, annex B).
struct JPEGHeaders {
    /// Byte range of each segment including its marker, in file order. The start-of-image marker and the scan
    /// header aren't included.
    let segments: [Range<Int>]
    /// Offset of the first scan header.
    let scan: Int
    /// Offset of the first byte after the end-of-image marker. Bytes that the camera appends after this
    /// marker aren't part of the image.
    let end: Int
    let hasEnd: Bool
    let hasHuffmanTables: Bool

    private static let startOfScan: UInt8 = 0xDA
    private static let huffmanTables: UInt8 = 0xC4
    private static let applicationData: ClosedRange<UInt8> = 0xE0...0xE1

    /// Finds the segments of a JPEG. The result is `nil` if the bytes between the start-of-image marker and
    /// the scan aren't a valid sequence of segments.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return nil }
        var segments: [Range<Int>] = []
        var hasTables = false
        var position = 2
        while true {
            let start = position
            guard position + 4 <= bytes.count, bytes[position] == 0xFF else { return nil }
            // A marker code may be preceded by any number of 0xFF bytes.
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

    /// Whether the new Exif segment replaces this segment: a JFIF header or a camera's Exif segment.
    func isReplaced(_ segment: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Bool {
        guard let code = bytes[segment].first(where: { $0 != 0xFF }), Self.applicationData.contains(code)
        else {
            return false
        }
        let content = bytes[segment].drop { $0 == 0xFF }.dropFirst(3)
        return content.starts(with: "JFIF".utf8) || content.starts(with: "Exif".utf8)
    }

    /// Returns the offset of the first byte after the last end-of-image marker; `nil` if the marker is
    /// missing. In scan data, a 0xFF byte is always followed by 0 or by the code of a restart marker.
    private static func end(of bytes: UnsafeRawBufferPointer, from scan: Int) -> Int? {
        var position = bytes.count
        while position - 2 >= scan {
            if bytes[position - 2] == 0xFF, bytes[position - 1] == 0xD9 { return position }
            position -= 1
        }
        return nil
    }
}

/// The standard Huffman tables that Motion JPEG frames may omit (ITU-T T.81, tables K.3 to K.6).
enum StandardHuffmanTables {
    /// DHT segment including its marker, with the DC and AC tables for luma followed by those for chroma.
    /// Each table consists of its class and number, the number of codes of each length from 1 to 16 bits, and
    /// the values of the codes.
    static let segment: [UInt8] = [
        0xFF, 0xC4, 0x01, 0xA2, 0x00, 0x00, 0x01, 0x05, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A,
        0x0B, 0x10, 0x00, 0x02, 0x01, 0x03, 0x03, 0x02, 0x04, 0x03, 0x05, 0x05, 0x04, 0x04, 0x00, 0x00,
        0x01, 0x7D, 0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51,
        0x61, 0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52,
        0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72, 0x82, 0x09, 0x0A, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x25, 0x26,
        0x27, 0x28, 0x29, 0x2A, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47,
        0x48, 0x49, 0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0x63, 0x64, 0x65, 0x66, 0x67,
        0x68, 0x69, 0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x83, 0x84, 0x85, 0x86, 0x87,
        0x88, 0x89, 0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2, 0xA3, 0xA4, 0xA5,
        0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC2, 0xC3,
        0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA,
        0xE1, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6,
        0xF7, 0xF8, 0xF9, 0xFA, 0x01, 0x00, 0x03, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A,
        0x0B, 0x11, 0x00, 0x02, 0x01, 0x02, 0x04, 0x04, 0x03, 0x04, 0x07, 0x05, 0x04, 0x04, 0x00, 0x01,
        0x02, 0x77, 0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07,
        0x61, 0x71, 0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33,
        0x52, 0xF0, 0x15, 0x62, 0x72, 0xD1, 0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1, 0x17, 0x18, 0x19,
        0x1A, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46,
        0x47, 0x48, 0x49, 0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0x63, 0x64, 0x65, 0x66,
        0x67, 0x68, 0x69, 0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x82, 0x83, 0x84, 0x85,
        0x86, 0x87, 0x88, 0x89, 0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2, 0xA3,
        0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA,
        0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8,
        0xD9, 0xDA, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6,
        0xF7, 0xF8, 0xF9, 0xFA,
    ]
}
