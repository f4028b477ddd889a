/// Checks by its first bytes, and for H.264 by its lengths, whether a packet belongs to a codec.
package enum PacketCheck {
    /// Checks a packet.
    ///
    /// - Parameters:
    ///   - bytes: All bytes of the packet.
    ///   - codec: Type of its sample entry.
    /// - Returns: `false` only where the packet certainly belongs to another codec or is damaged.
    package static func isPacket(_ bytes: [UInt8], of codec: String) -> Bool {
        switch codec {
        case "jpeg", "mjpg", "mp4v": bytes.starts(with: [0xFF, 0xD8, 0xFF])
        case "avc1", "avc3": isAccessUnit(bytes)
        case "tmcd": bytes.count == 4
        default: !bytes.isEmpty
        }
    }

    /// Whether the lengths of the units add up, and no unit has its forbidden bit set (ITU-T H.264, 7.3.1).
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
