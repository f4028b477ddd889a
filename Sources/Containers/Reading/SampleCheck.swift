import MulticamMedia

/// Checks whether a sample in a movie file is complete. After a crash, the file system may have lost pages of
/// the sample.
///
/// After a power loss, data that didn't reach the disk may be replaced by zeros or by the previous content of
/// the disk blocks. A valid packet never contains an entire page of zeros, and its start and end are
/// determined by the codec.
struct SampleCheck {
    let codec: StreamParameters.Codec?

    /// Size in bytes of the units in which a file system can lose data.
    private static let page = 4096

    /// Checks whether a sample is complete.
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

    /// Whether a JPEG is complete from the start-of-image marker to the end-of-image marker. Cameras may
    /// append zeros after the end.
    private static func isFrame(_ bytes: [UInt8], at offset: Int64) -> Bool {
        // The start-of-image marker is always followed by another marker.
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return false }
        guard let last = bytes.lastIndex(where: { $0 != 0 }), bytes[last] == 0xD9, bytes[last - 1] == 0xFF
        else {
            // Some cameras omit the end-of-image marker. A frame without this marker counts as complete if it
            // doesn't contain a page of zeros.
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

    /// Whether the lengths of the NAL units add up to the packet size and no unit contains three consecutive
    /// zero bytes (ITU-T H.264, 7.4.1).
    private static func isAccessUnit(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            guard let units = NALUnits.lengthPrefixed(bytes, lengthSize: 4), !units.isEmpty else {
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

/// Checks whether a packet belongs to a codec, based on the first bytes and, for H.264, the lengths of the
/// NAL units.
package enum PacketCheck {
    /// Checks whether a packet can belong to a codec.
    ///
    /// - Parameters:
    ///   - bytes: All bytes of the packet.
    ///   - codec: Type of the sample entry in the sample description, such as `avc1`.
    /// - Returns: `false` only if the packet certainly belongs to another codec or is damaged.
    package static func isPacket(_ bytes: [UInt8], of codec: String) -> Bool {
        switch codec {
        case "jpeg", "mjpg", "mp4v": bytes.starts(with: [0xFF, 0xD8, 0xFF])
        case "avc1", "avc3": isAccessUnit(bytes)
        case "tmcd": bytes.count == 4
        default: !bytes.isEmpty
        }
    }

    /// Whether the lengths of the NAL units add up to the packet size and `forbidden_zero_bit` is 0 in each
    /// unit (ITU-T H.264, 7.3.1).
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
