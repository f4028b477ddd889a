/// A packet of silence in AAC (low complexity, 1024 samples), which does not depend on the sample rate.
enum SilentPacket {
    /// The bytes of the packet; `nil` for more than two channels, which have no single arrangement.
    static func bytes(channels: Int) -> [UInt8]? {
        switch channels {
        // ISO/IEC 14496-3, 4.4.2.1, raw_data_block: an element (3 bits) with its instance (4), global gain (8), an ics_info
        // without any band in use, no further tools, and ID_END (7).
        case 1: [0x00, 0xC8, 0x00, 0x80, 0x23, 0x80]
        case 2: [0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00, 0x23, 0x80]
        default: nil
        }
    }
}
