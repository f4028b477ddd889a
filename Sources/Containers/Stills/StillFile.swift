import Glibc
public import Media

/// A JPEG as a file of its own: the camera's very bytes, with what was known of the moment in an Exif segment in front of them.
///
/// Nothing that is coded is touched. A segment of Exif that a camera wrote itself is replaced; a JFIF header is left out, since
/// Exif wants to be first; Huffman tables that a camera leaves out, as Motion JPEG allows, and an end that it does not send, are
/// put in: as a file it would be none without them.
public struct StillFile {
    /// - Parameters:
    ///   - jpeg: A whole JPEG.
    ///   - facts: For its Exif segment.
    /// - Returns: The pieces of the file, to be written one after the other; `nil` where the bytes are no JPEG whose headers can
    ///   be read.
    public static func pieces(of jpeg: SharedBytes, _ facts: ExifFacts) -> [SharedBytes]? {
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

    /// Writes a still under a name that no file has.
    ///
    /// - Throws: "create" or "write"; also for bytes that are no JPEG.
    public static func write(_ jpeg: SharedBytes, _ facts: ExifFacts, to path: String) throws(FileError) {
        guard let pieces = pieces(of: jpeg, facts) else {
            throw FileError(
                path: path, operation: "write", detail: "the frame is no JPEG that can be read. Try again.")
        }
        let file = try OutputFile(creating: path, disk: DiskConduct())
        do throws(FileError) {
            try file.write(pieces, at: 0)
            try file.makeDurable()
            try file.makeNameDurable()
        } catch {
            unlink(path)
            throw error
        }
    }
}
