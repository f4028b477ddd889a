internal import Media

/// The program's packets since its last key frame, with which a tap begins that comes in between. Bounded in bytes.
struct PacketHistory {
    private var packets: [PacketTap.Packet] = []
    private var byteCount = 0
    /// Whether the packets were encoded on standby.
    private(set) var isOfStandby = false

    /// Most bytes that are kept: some seconds of any program. Beyond, nothing is kept until the next key frame.
    private static let mostBytes = 16 << 20

    /// The packets since the last key frame, which comes first; empty when there was none.
    var sinceKey: [PacketTap.Packet] { packets }

    mutating func add(_ packet: PacketTap.Packet, isOfStandby: Bool) {
        self.isOfStandby = isOfStandby
        if packet.isVideo, packet.isKey {
            packets = []
            byteCount = 0
        } else if packets.isEmpty {
            return
        }
        packets.append(packet)
        byteCount += packet.bytes.count
        if byteCount > Self.mostBytes { clear() }
    }

    mutating func clear() {
        packets = []
        byteCount = 0
    }
}
