internal import Media

/// Which packets of one stream are left out while its file's queue has no room. A value.
///
/// A frame that nothing else needs is left out alone, and its predecessor stays for so much longer. Of frames that need
/// each other all are left out up to the next key frame that finds ample room, so that what is written decodes. Audio is
/// left out packet by packet, and only when its own room is full.
struct PacketShedding: Sendable {
    /// What was left out, in ticks since T0.
    struct Stretch: Sendable, Equatable {
        let from: Int64
        var to: Int64
        var count: Int
    }

    /// Whether its frames need each other, as those of H.264 do.
    let needsKeys: Bool
    /// In order; what follows each other without a packet between is one.
    private(set) var stretches: [Stretch] = []
    private(set) var isShedding = false

    init(needsKeys: Bool) { self.needsKeys = needsKeys }

    /// Packets left out.
    var count: Int { stretches.reduce(0) { $0 + $1.count } }

    /// Whether a packet is to be offered at all, and how much room it needs; `nil` where it is left out in any case.
    func claim(isKey: Bool) -> WriteLimits.Room? {
        guard isShedding, needsKeys else { return .little }
        return isKey ? .ample : nil
    }

    /// Takes note of what became of a packet.
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
