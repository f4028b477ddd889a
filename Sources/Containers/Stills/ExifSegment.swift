internal import Media

/// Writes the Exif segment of a JPEG: an APP1 marker with a small TIFF file in it.
///
/// It follows CIPA DC-008-2019 (Exif 2.32, whose tags are those of 2.3 and the offsets from universal time of 2.31) and TIFF
/// 6.0. The TIFF is big-endian; IFD 0 comes first, then the Exif IFD to which it points, each followed by the values that do not
/// fit into its entries.
struct ExifSegment {
    private let facts: ExifFacts

    init(_ facts: ExifFacts) {
        self.facts = facts
    }

    /// The segment with its marker, at most 65,537 bytes: long texts are cut.
    var bytes: [UInt8] {
        let tiff = self.tiff
        let count = tiff.count + Self.signature.count + 2
        return [0xFF, 0xE1, UInt8(count >> 8), UInt8(count & 0xFF)] + Self.signature + tiff
    }

    /// Signature of the segment: "Exif" and two zeros (4.7.2).
    private static let signature: [UInt8] = Array("Exif".utf8) + [0, 0]

    private var tiff: [UInt8] {
        // "MM", 42, and where IFD 0 is.
        let header: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]
        var main = TIFFDirectory()
        main.put(ascii: facts.imageDescription, as: .imageDescription)
        main.put(ascii: facts.make, as: .make)
        main.put(ascii: facts.model, as: .model)
        main.put(shorts: [orientation], as: .orientation)
        // 72 dots per inch mean that the resolution is not known (4.6.4.A); both tags are mandatory.
        main.put(rational: (72, 1), as: .xResolution)
        main.put(rational: (72, 1), as: .yResolution)
        main.put(shorts: [2], as: .resolutionUnit)
        main.put(ascii: facts.software, as: .software)
        main.put(ascii: dateTime, as: .dateTime)
        // Colour samples of JFIF lie between the pixels.
        main.put(shorts: [1], as: .yCbCrPositioning)
        main.put(long: 0, as: .exifIFD)
        let exif = self.exif
        let exifStart = header.count + main.byteCount
        main.put(long: UInt32(exifStart), as: .exifIFD)
        return header + main.bytes(at: header.count) + exif.bytes(at: exifStart)
    }

    private var exif: TIFFDirectory {
        var exif = TIFFDirectory()
        if let time = facts.exposureTime, time > .zero {
            exif.put(rational: Self.seconds(time), as: .exposureTime)
        }
        exif.put(undefined: Array("0232".utf8), as: .exifVersion)
        exif.put(ascii: dateTime, as: .dateTimeOriginal)
        exif.put(ascii: dateTime, as: .dateTimeDigitized)
        exif.put(ascii: offset, as: .offsetTime)
        exif.put(ascii: offset, as: .offsetTimeOriginal)
        exif.put(ascii: offset, as: .offsetTimeDigitized)
        // Y, Cb, Cr (4.6.5.B).
        exif.put(undefined: [1, 2, 3, 0], as: .componentsConfiguration)
        exif.put(ascii: subSeconds, as: .subSecTime)
        exif.put(ascii: subSeconds, as: .subSecTimeOriginal)
        exif.put(ascii: subSeconds, as: .subSecTimeDigitized)
        exif.put(undefined: Array("0100".utf8), as: .flashpixVersion)
        // sRGB, which webcams' frames are.
        exif.put(shorts: [1], as: .colorSpace)
        exif.put(long: UInt32(clamping: facts.size.width), as: .pixelXDimension)
        exif.put(long: UInt32(clamping: facts.size.height), as: .pixelYDimension)
        if let isAutomatic = facts.isExposureAutomatic {
            exif.put(shorts: [isAutomatic ? 0 : 1], as: .exposureMode)
        }
        if let isAutomatic = facts.isWhiteBalanceAutomatic {
            exif.put(shorts: [isAutomatic ? 0 : 1], as: .whiteBalance)
        }
        return exif
    }

    /// Orientation tag: to which side of the scene the first row and the first column of the stored frame belong (4.6.4.A,
    /// figure 4).
    private var orientation: UInt16 {
        switch (facts.rotation, facts.isMirrored) {
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

    // MARK: Time

    private var local: LocalTime { LocalTime(facts.date, secondsFromGMT: facts.secondsFromGMT) }

    /// Local date and time, `2026:11:22 08:34:12`.
    private var dateTime: String {
        let local = local
        return
            "\(local.year.padded(4)):\(local.month.padded(2)):\(local.day.padded(2)) "
            + "\(local.hour.padded(2)):\(local.minute.padded(2)):\(local.second.padded(2))"
    }

    /// Offset of local time from universal time, `+01:00`.
    private var offset: String {
        let minutes = facts.secondsFromGMT / 60
        let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
        return "\(minutes < 0 ? "-" : "+")\(hours.padded(2)):\(rest.padded(2))"
    }

    /// Thousandths of a second of the local time: a date is no finer than some microseconds.
    private var subSeconds: String {
        (Int(local.sinceMidnight.count / 1_000_000 % 1000)).padded(3)
    }

    /// Seconds as a fraction that people know: 1/250 rather than 0.004, where it is one.
    private static func seconds(_ time: Nanoseconds) -> (UInt32, UInt32) {
        let part = (1e9 / Double(time.count)).rounded()
        if part >= 2, abs(1e9 / part / Double(time.count) - 1) < 0.001 {
            return (1, UInt32(clamping: Int64(part)))
        }
        return (UInt32(clamping: time.count / 100_000), 10_000)
    }
}
