package import FoundationEssentials
package import MulticamMedia

/// Writes the Exif segment of a JPEG: an APP1 marker that contains a small TIFF file.
///
/// The segment conforms to CIPA DC-008-2019 (Exif 2.32) and TIFF 6.0. The tags are from Exif 2.3, and the UTC
/// offset tags from Exif 2.31. The TIFF data is big-endian. IFD 0 comes first, followed by the Exif IFD that
/// it points to. Values that don't fit into the entries of an IFD follow that IFD.
struct ExifSegment {
    private let metadata: ExifMetadata

    init(_ facts: ExifMetadata) {
        self.metadata = facts
    }

    /// The complete APP1 segment including its marker, at most 65,537 bytes. Long texts are truncated.
    var bytes: [UInt8] {
        let tiff = self.tiff
        let count = tiff.count + Self.signature.count + 2
        return [0xFF, 0xE1, UInt8(count >> 8), UInt8(count & 0xFF)] + Self.signature + tiff
    }

    /// Signature of the Exif segment: "Exif" followed by two zero bytes (Exif 2.32, section 4.7.2).
    private static let signature: [UInt8] = Array("Exif".utf8) + [0, 0]

    private var tiff: [UInt8] {
        // The TIFF header consists of "MM", 42, and the offset of IFD 0.
        let header: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]
        var main = TIFFDirectory()
        main.put(ascii: metadata.imageDescription, as: .imageDescription)
        main.put(ascii: metadata.make, as: .make)
        main.put(ascii: metadata.model, as: .model)
        main.put(shorts: [orientation], as: .orientation)
        // A resolution of 72 dpi means that the resolution is unknown (Exif 2.32, section 4.6.4.A). Both tags
        // are mandatory.
        main.put(rational: (72, 1), as: .xResolution)
        main.put(rational: (72, 1), as: .yResolution)
        main.put(shorts: [2], as: .resolutionUnit)
        main.put(ascii: metadata.software, as: .software)
        main.put(ascii: dateTime, as: .dateTime)
        // The value 1 (centered) matches JFIF, in which chroma samples are centered between pixels.
        main.put(shorts: [1], as: .yCbCrPositioning)
        main.put(long: 0, as: .exifIFD)
        let exif = self.exif
        let exifStart = header.count + main.byteCount
        main.put(long: UInt32(exifStart), as: .exifIFD)
        return header + main.bytes(at: header.count) + exif.bytes(at: exifStart)
    }

    private var exif: TIFFDirectory {
        var exif = TIFFDirectory()
        if let time = metadata.exposureTime, time > .zero {
            exif.put(rational: Self.seconds(time), as: .exposureTime)
        }
        exif.put(undefined: Array("0232".utf8), as: .exifVersion)
        exif.put(ascii: dateTime, as: .dateTimeOriginal)
        exif.put(ascii: dateTime, as: .dateTimeDigitized)
        exif.put(ascii: offset, as: .offsetTime)
        exif.put(ascii: offset, as: .offsetTimeOriginal)
        exif.put(ascii: offset, as: .offsetTimeDigitized)
        // The color components are Y, Cb, and Cr (Exif 2.32, section 4.6.5.B).
        exif.put(undefined: [1, 2, 3, 0], as: .componentsConfiguration)
        exif.put(ascii: subSeconds, as: .subSecTime)
        exif.put(ascii: subSeconds, as: .subSecTimeOriginal)
        exif.put(ascii: subSeconds, as: .subSecTimeDigitized)
        exif.put(undefined: Array("0100".utf8), as: .flashpixVersion)
        // The value 1 stands for sRGB, the color space of webcam frames.
        exif.put(shorts: [1], as: .colorSpace)
        exif.put(long: UInt32(clamping: metadata.size.width), as: .pixelXDimension)
        exif.put(long: UInt32(clamping: metadata.size.height), as: .pixelYDimension)
        if let isAutomatic = metadata.isExposureAutomatic {
            exif.put(shorts: [isAutomatic ? 0 : 1], as: .exposureMode)
        }
        if let isAutomatic = metadata.isWhiteBalanceAutomatic {
            exif.put(shorts: [isAutomatic ? 0 : 1], as: .whiteBalance)
        }
        return exif
    }

    /// Value of the orientation tag, which states the sides of the scene that the first row and the first
    /// column of the stored frame show (Exif 2.32, section 4.6.4.A, figure 4).
    private var orientation: UInt16 {
        switch (metadata.rotation, metadata.isMirrored) {
        case (.none, false): 1
        case (.none, true): 2
        case (.half, false): 3
        case (.half, true): 4
        case (.quarter, true): 5
        case (.quarter, false): 6
        case (.threeQuarters, true): 7
        case (.threeQuarters, false): 8
        }
    }

    // MARK: Date and time

    private var localTime: LocalTime { LocalTime(metadata.date, secondsFromGMT: metadata.secondsFromGMT) }

    /// Local date and time, such as `2026:11:22 08:34:12`.
    private var dateTime: String {
        let local = localTime
        return
            "\(local.year.padded(4)):\(local.month.padded(2)):\(local.day.padded(2)) "
            + "\(local.hour.padded(2)):\(local.minute.padded(2)):\(local.second.padded(2))"
    }

    /// Offset of local time from UTC, such as `+01:00`.
    private var offset: String {
        let minutes = metadata.secondsFromGMT / 60
        let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
        return "\(minutes < 0 ? "-" : "+")\(hours.padded(2)):\(rest.padded(2))"
    }

    /// Milliseconds of the local time. `ClockOffset` is accurate only to a few microseconds, so smaller fractions
    /// are omitted.
    private var subSeconds: String {
        (Int(localTime.timeSinceMidnight.count / 1_000_000 % 1000)).padded(3)
    }

    /// Returns an exposure time in seconds as a numerator and a denominator, if possible as a common fraction
    /// such as 1/250 instead of 0.004.
    private static func seconds(_ time: Nanoseconds) -> (UInt32, UInt32) {
        let part = (1e9 / Double(time.count)).rounded()
        if part >= 2, abs(1e9 / part / Double(time.count) - 1) < 0.001 {
            return (1, UInt32(clamping: Int64(part)))
        }
        return (UInt32(clamping: time.count / 100_000), 10_000)
    }
}

/// Capture metadata of a still, for its Exif segment. Fields that are `nil` or empty are omitted.
package struct ExifMetadata: Sendable, Equatable {
    /// Start time of the exposure.
    package var date: Date
    /// Offset of the segment's local time from UTC, in seconds.
    package var secondsFromGMT: Int
    /// Size of the stored frame in pixels, before rotation.
    package var size: FrameSize
    /// Clockwise rotation that makes the stored frame upright.
    package var rotation: Rotation
    /// Whether the frame is mirrored left to right after rotation.
    package var isMirrored: Bool
    /// Manufacturer of the camera.
    package var make: String
    /// Model of the camera.
    package var model: String
    /// Program that wrote the still.
    package var software: String
    /// Short description of the content: the camera's role.
    package var imageDescription: String
    /// Exposure time; `nil` if unknown.
    package var exposureTime: Nanoseconds?
    /// Whether the camera used automatic exposure; `nil` if unknown.
    package var isExposureAutomatic: Bool?
    /// Whether the camera used automatic white balance; `nil` if unknown.
    package var isWhiteBalanceAutomatic: Bool?

    /// Creates the metadata. Omitted values count as unknown.
    package init(
        date: Date, secondsFromGMT: Int, size: FrameSize, rotation: Rotation = .none,
        isMirrored: Bool = false,
        make: String = "", model: String = "", software: String = "", imageDescription: String = "",
        exposureTime: Nanoseconds? = nil, isExposureAutomatic: Bool? = nil,
        isWhiteBalanceAutomatic: Bool? = nil
    ) {
        self.date = date
        self.secondsFromGMT = secondsFromGMT
        self.size = size
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.make = make
        self.model = model
        self.software = software
        self.imageDescription = imageDescription
        self.exposureTime = exposureTime
        self.isExposureAutomatic = isExposureAutomatic
        self.isWhiteBalanceAutomatic = isWhiteBalanceAutomatic
    }
}

/// One big-endian directory of a TIFF file (TIFF 6.0, section 2). The entries are sorted by tag and are
/// followed by all values that are longer than four bytes.
struct TIFFDirectory {
    /// TIFF and Exif tags that this program writes (TIFF 6.0, section 8, and Exif 2.32, tables 3 to 8).
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
        /// TIFF type number: 2 (ASCII), 3 (SHORT), 4 (LONG), 5 (RATIONAL), or 7 (UNDEFINED).
        let type: UInt16
        let count: Int
        let value: [UInt8]
    }

    private var entries: [UInt16: Entry] = [:]

    /// Maximum length of a text in bytes. Longer texts are truncated, because an Exif segment is limited to
    /// 64 KiB and devices can report names of any length.
    private static let longestText = 255

    /// Adds a text as printable ASCII, as the Exif standard requires. Other characters are replaced with `?`.
    /// An empty text isn't added.
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

    /// Size of the directory including all values, in bytes.
    var byteCount: Int {
        2 + entries.count * 12 + 4
            + entries.values.reduce(0) { $0 + ($1.value.count > 4 ? Self.even($1.value.count) : 0) }
    }

    /// Returns the bytes of the directory as stored in the file.
    ///
    /// - Parameter start: Offset of the directory from the start of the TIFF data.
    /// - Returns: The bytes of the directory and its values, `byteCount` in total.
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
                // Values must start at even offsets, so values of odd length are padded.
                values +=
                    entry.value + Array(repeating: 0, count: Self.even(entry.value.count) - entry.value.count)
            }
        }
        // The offset 0 marks the last directory.
        return directory + [0, 0, 0, 0] + values
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func even(_ count: Int) -> Int { (count + 1) / 2 * 2 }
}
