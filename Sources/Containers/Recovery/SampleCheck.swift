import Media

/// Checks whether all bytes of a sample are there, since the file system may have lost pages of it.
///
/// After a power cut, what did not reach the disk may be zeros, or the old content of its blocks. An encoder's packet never has
/// a page of zeros, and begins and ends as its format requires.
struct SampleCheck {
    let codec: StreamParameters.Codec?

    /// Unit in bytes in which a file system loses data.
    private static let page = 4096

    /// Checks a sample.
    ///
    /// - Parameters:
    ///   - bytes: All bytes of the sample.
    ///   - offset: Offset of the sample in the file, in bytes.
    /// - Returns: Whether nothing is missing, as far as that can be told.
    func isWhole(_ bytes: [UInt8], at offset: Int64) -> Bool {
        switch codec {
        case .mjpeg: Self.isFrame(bytes, at: offset)
        case .h264: Self.isAccessUnit(bytes)
        case .aac: bytes.contains { $0 != 0 }
        case nil: true
        }
    }

    /// Whether a JPEG is whole from its first marker to its last. Cameras may add zeros after the end.
    private static func isFrame(_ bytes: [UInt8], at offset: Int64) -> Bool {
        // Another marker follows the first.
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return false }
        guard let last = bytes.lastIndex(where: { $0 != 0 }), bytes[last] == 0xD9, bytes[last - 1] == 0xFF
        else {
            // Some cameras leave the end marker out: such a frame is whole if no page of it is missing.
            return !hasEmptyPage(bytes[...], at: offset)
        }
        return !hasEmptyPage(bytes[..<last], at: offset)
    }

    private static func hasEmptyPage(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
        var place = (page - Int(offset % Int64(page))) % page
        while place + page <= bytes.count {
            if bytes[bytes.startIndex + place..<bytes.startIndex + place + page].allSatisfy({ $0 == 0 }) {
                return true
            }
            place += page
        }
        return false
    }

    /// Whether the lengths of the units add up and no unit has three zeros in a row (ITU-T H.264, 7.4.1).
    private static func isAccessUnit(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            guard let units = NetworkUnits.lengthPrefixed(bytes, lengthSize: 4), !units.isEmpty else {
                return false
            }
            return units.allSatisfy { unit in
                guard bytes[unit.lowerBound] & 0x80 == 0 else { return false }
                var zeros = 0
                for byte in bytes[unit] {
                    zeros = byte == 0 ? zeros + 1 : 0
                    if zeros == 3 { return false }
                }
                return true
            }
        }
    }
}
