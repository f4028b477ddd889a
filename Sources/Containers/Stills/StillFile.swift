import Glibc
public import Media

/// A JPEG as a file of its own: the camera's own bytes with the circumstances in an Exif segment before them.
///
/// Coded data stay as they are. A camera's own Exif segment is replaced, and a JFIF header is left out, since Exif must come
/// first. Huffman tables that a camera leaves out, as Motion JPEG allows, and an end marker that it does not send are added,
/// since the file would not be valid without them.
public struct StillFile {
    /// Makes the pieces of the file.
    ///
    /// - Parameters:
    ///   - jpeg: A whole JPEG.
    ///   - facts: Circumstances for its Exif segment.
    /// - Returns: The pieces to be written one after the other; `nil` where the bytes are no JPEG whose headers can be read.
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

    /// Writes a still to a new file, and waits until it is durable; after a failure no file is left.
    ///
    /// - Throws: `FileError` "create", also where the file exists; "write", also for bytes that are no JPEG; "fdatasync" or
    ///   "fsync".
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
