internal import Media

/// Decides which packets of one stream are dropped while its file's queue has no room. A value.
///
/// A frame that no other frame needs is dropped alone, and its predecessor is shown for longer. Of frames that need
/// each other all are dropped up to the next key frame that finds ample room, so that what is written decodes. Audio
/// is dropped packet by packet, and only when its own room is full.
struct PacketShedding: Sendable {
    /// A stretch of dropped packets, in ticks of the stream's time scale since T0.
    struct Stretch: Sendable, Equatable {
        let from: Int64
        var to: Int64
        var count: Int
    }

    /// Whether the stream's frames need each other, as those of H.264 do.
    let needsKeys: Bool
    /// The stretches of dropped packets, in order; neighbours without a packet between them are one.
    private(set) var stretches: [Stretch] = []
    private(set) var isShedding = false

    init(needsKeys: Bool) { self.needsKeys = needsKeys }

    /// Number of dropped packets.
    var count: Int { stretches.reduce(0) { $0 + $1.count } }

    /// How much room a packet needs, or `nil` when it is dropped in any case.
    func claim(isKey: Bool) -> WriteLimits.Room? {
        guard isShedding, needsKeys else { return .little }
        return isKey ? .ample : nil
    }

    /// Notes whether a packet was taken or dropped.
    mutating func note(_ packet: EncodedPacket, isTaken: Bool) {
        defer { isShedding = !isTaken }
        guard !isTaken else { return }
        let end = packet.presentation + packet.duration
        guard isShedding, let last = stretches.indices.last else {
            stretches.append(Stretch(from: packet.presentation, to: end, count: 1))
            return
        }
        stretches[last].to = max(stretches[last].to, end)
        stretches[last].count += 1
    }
}
