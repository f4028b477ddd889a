/// One directory of a TIFF file (TIFF 6.0, section 2), big-endian: entries by tag, then the values that are longer than four
/// bytes.
struct TIFFDirectory {
    /// Tags that are written: TIFF 6.0, section 8, and Exif 2.32, tables 3 to 8.
    enum Tag: UInt16 {
        case imageDescription = 0x010E
        case make = 0x010F
        case model = 0x0110
        case orientation = 0x0112
        case xResolution = 0x011A
        case yResolution = 0x011B
        case resolutionUnit = 0x0128
        case software = 0x0131
        case dateTime = 0x0132
        case yCbCrPositioning = 0x0213
        case exifIFD = 0x8769
        case exposureTime = 0x829A
        case exifVersion = 0x9000
        case dateTimeOriginal = 0x9003
        case dateTimeDigitized = 0x9004
        case offsetTime = 0x9010
        case offsetTimeOriginal = 0x9011
        case offsetTimeDigitized = 0x9012
        case componentsConfiguration = 0x9101
        case subSecTime = 0x9290
        case subSecTimeOriginal = 0x9291
        case subSecTimeDigitized = 0x9292
        case flashpixVersion = 0xA000
        case colorSpace = 0xA001
        case pixelXDimension = 0xA002
        case pixelYDimension = 0xA003
        case exposureMode = 0xA402
        case whiteBalance = 0xA403
    }

    private struct Entry {
        /// Type number of TIFF: 2 ASCII, 3 SHORT, 4 LONG, 5 RATIONAL, 7 UNDEFINED.
        let type: UInt16
        let count: Int
        let value: [UInt8]
    }

    private var entries: [UInt16: Entry] = [:]

    /// Largest length of a text; longer ones are cut. An Exif segment has 64 KiB in all, and names of devices come from devices.
    private static let longestText = 255

    /// Puts a text as printable ASCII, as the standard requires; other characters become `?`. An empty text is left out.
    mutating func put(ascii text: String, as tag: Tag) {
        guard !text.isEmpty else { return }
        let letters = text.unicodeScalars.prefix(Self.longestText).map { scalar in
            (0x20..<0x7F).contains(scalar.value) ? UInt8(scalar.value) : UInt8(ascii: "?")
        }
        entries[tag.rawValue] = Entry(type: 2, count: letters.count + 1, value: letters + [0])
    }

    mutating func put(shorts values: [UInt16], as tag: Tag) {
        entries[tag.rawValue] = Entry(
            type: 3, count: values.count, value: values.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    }

    mutating func put(long value: UInt32, as tag: Tag) {
        entries[tag.rawValue] = Entry(type: 4, count: 1, value: Self.bytes(value))
    }

    mutating func put(rational value: (UInt32, UInt32), as tag: Tag) {
        entries[tag.rawValue] = Entry(type: 5, count: 1, value: Self.bytes(value.0) + Self.bytes(value.1))
    }

    mutating func put(undefined value: [UInt8], as tag: Tag) {
        entries[tag.rawValue] = Entry(type: 7, count: value.count, value: value)
    }

    /// Size of the directory and its values in bytes.
    var byteCount: Int {
        2 + entries.count * 12 + 4
            + entries.values.reduce(0) { $0 + ($1.value.count > 4 ? Self.even($1.value.count) : 0) }
    }

    /// The directory as it stands in a file.
    ///
    /// - Parameter start: Offset of the directory from the start of the TIFF data.
    /// - Returns: `byteCount` bytes.
    func bytes(at start: Int) -> [UInt8] {
        var directory: [UInt8] = [UInt8(entries.count >> 8), UInt8(entries.count & 0xFF)]
        var values: [UInt8] = []
        let valuesStart = start + 2 + entries.count * 12 + 4
        for (tag, entry) in entries.sorted(by: { $0.key < $1.key }) {
            directory += [
                UInt8(tag >> 8), UInt8(tag & 0xFF), UInt8(entry.type >> 8), UInt8(entry.type & 0xFF),
            ]
            directory += Self.bytes(UInt32(entry.count))
            if entry.value.count <= 4 {
                directory += entry.value + Array(repeating: 0, count: 4 - entry.value.count)
            } else {
                directory += Self.bytes(UInt32(valuesStart + values.count))
                // Values begin at even places.
                values +=
                    entry.value + Array(repeating: 0, count: Self.even(entry.value.count) - entry.value.count)
            }
        }
        // No directory follows.
        return directory + [0, 0, 0, 0] + values
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func even(_ count: Int) -> Int { (count + 1) / 2 * 2 }
}
