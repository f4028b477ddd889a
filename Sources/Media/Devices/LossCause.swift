/// Why a frame or audio is not as captured: the words of the loss ledger.
public enum LossCause: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// The frame or audio was lost between device and computer: the device's count jumped.
    case bus
    /// The driver flagged the buffer as bad, or had none free.
    case driver
    /// The frame or audio was delivered damaged.
    case corrupt
    /// The camera lowered its own rate for a longer exposure.
    case exposure
    /// The frame arrived after its tick had been decided.
    case late
    /// The encoder's queue was full, or the encoder failed with the frame inside.
    case encoder
    /// The frame or audio did not get into its file: the disk was too slow, or writing failed.
    case disk
    /// The governor left the frame out while the machine was too slow.
    case governor
    /// A person switched the camera off, or to another format.
    case change
    /// The network between a camera and this computer lost it, or was away.
    case network
    /// The device was unplugged or silent.
    case away

    /// Whether the left word comes first in the alphabet, so that ledgers list causes in one order.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
