import Media

/// Tells whether a sample's bytes are all there, where the file system may have lost pages of them.
///
/// After a power cut, what was not brought to the disk may be zeros, or the old content of its blocks. A coder's packet never
/// has a page of zeros, and begins and ends as its format says.
struct SampleCheck {
    let codec: StreamParameters.Codec?

    /// What a file system loses at once.
    private static let page = 4096

    /// - Parameters:
    ///   - bytes: The sample's, as many as it should have.
    ///   - offset: Its place in the file.
    /// - Returns: Whether nothing is missing, as far as that can be told.
    func isWhole(_ bytes: [UInt8], at offset: Int64) -> Bool {
        switch codec {
        case .mjpeg: Self.isFrame(bytes, at: offset)
        case .h264: Self.isAccessUnit(bytes)
        case .aac: bytes.contains { $0 != 0 }
        case nil: true
        }
    }

    /// From the first marker to the last. Behind the end cameras may fill up with zeros.
    private static func isFrame(_ bytes: [UInt8], at offset: Int64) -> Bool {
        // Behind the first marker comes another.
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

    /// Lengths that add up; and three zeros never stand within a unit (ITU-T H.264, 7.4.1).
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
