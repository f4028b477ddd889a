import Media

/// Checks whether all bytes of a sample are present, because the file system may have lost pages of it.
///
/// After a power loss, data that didn't reach the disk may consist of zeros or of the previous content of its blocks.
/// An encoder's packet never contains an entire page of zeros, and it starts and ends as its format requires.
struct SampleCheck {
    let codec: StreamParameters.Codec?

    /// Granularity of data loss in a file system, in bytes.
    private static let page = 4096

    /// Checks a sample.
    ///
    /// - Parameters:
    ///   - bytes: All bytes of the sample.
    ///   - offset: Offset of the sample in the file, in bytes.
    /// - Returns: Whether the sample appears complete.
    func isWhole(_ bytes: [UInt8], at offset: Int64) -> Bool {
        switch codec {
        case .mjpeg: Self.isFrame(bytes, at: offset)
        case .h264: Self.isAccessUnit(bytes)
        case .aac: bytes.contains { $0 != 0 }
        case nil: true
        }
    }

    /// Whether a JPEG is complete from its first marker to its last. Cameras may add zeros after the end.
    private static func isFrame(_ bytes: [UInt8], at offset: Int64) -> Bool {
        // The start-of-image marker is always followed by another marker.
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return false }
        guard let last = bytes.lastIndex(where: { $0 != 0 }), bytes[last] == 0xD9, bytes[last - 1] == 0xFF
        else {
            // Some cameras omit the end marker. Such a frame is complete if none of its pages is missing.
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

    /// Whether the unit lengths add up and no unit contains three consecutive zero bytes (ITU-T H.264, 7.4.1).
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

/// Checks whether a packet belongs to a codec, using its first bytes and, for H.264, its unit lengths.
package enum PacketCheck {
    /// Checks a packet.
    ///
    /// - Parameters:
    ///   - bytes: All bytes of the packet.
    ///   - codec: Type of its sample entry.
    /// - Returns: `false` only if the packet certainly belongs to another codec or is damaged.
    package static func isPacket(_ bytes: [UInt8], of codec: String) -> Bool {
        switch codec {
        case "jpeg", "mjpg", "mp4v": bytes.starts(with: [0xFF, 0xD8, 0xFF])
        case "avc1", "avc3": isAccessUnit(bytes)
        case "tmcd": bytes.count == 4
        default: !bytes.isEmpty
        }
    }

    /// Whether the unit lengths add up and no unit has its forbidden bit set (ITU-T H.264, 7.3.1).
    private static func isAccessUnit(_ bytes: [UInt8]) -> Bool {
        var place = 0
        while place + 5 <= bytes.count {
            let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length > 0, length <= bytes.count - place - 4, bytes[place + 4] & 0x80 == 0 else {
                return false
            }
            place += 4 + length
        }
        return place == bytes.count && place > 0
    }
}
