/// Why a frame or audio is not as captured: the words of the loss ledger.
public enum LossCause: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// Lost between camera and computer: the device's sequence jumped.
    case bus
    /// The driver flagged the buffer or had none free.
    case driver
    /// Delivered damaged.
    case corrupt
    /// The camera lowered its own rate for a longer exposure.
    case exposure
    /// It arrived after its tick had been decided.
    case late
    /// The encoder had no room.
    case encoder
    case disk
    case governor
    /// A person has the camera switched off, or go on in another format.
    case change
    /// The device was unplugged or silent.
    case away

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
