internal import Media

/// An access unit of a copied stream, or the part of it that has come.
struct PendingUnit {
    /// What has come, in Annex B.
    let bytes: SharedBytes
    /// Its time stamp.
    let stamp: Nanoseconds
    /// When it was captured, by what its stamp meant when it came.
    let date: PacketDate
    /// Whether it can be decoded alone.
    let isKey: Bool
    /// Whether something of it is known to be lost.
    let isDamaged: Bool

    /// The unit with another part behind it.
    func joined(by other: PendingUnit) -> PendingUnit {
        let joined = SharedBytes(count: bytes.count + other.bytes.count)
        joined.start.copyMemory(from: bytes.start, byteCount: bytes.count)
        (joined.start + bytes.count).copyMemory(from: other.bytes.start, byteCount: other.bytes.count)
        return PendingUnit(
            bytes: joined, stamp: stamp, date: date, isKey: isKey || other.isKey,
            isDamaged: isDamaged || other.isDamaged)
    }
}
