/// What a camera's stream would keep of its USB, and how that is known.
public struct USBDemand: Sendable, Equatable {
    public enum Basis: Sendable, Equatable {
        /// It kept that when it streamed in this format the last time.
        case learned
        /// Of a raw format, from its bytes a second.
        case computed
        /// Of a compressed format: the camera decides when it streams.
        case assumed
        /// It needs so many bytes a microframe, which none of its alternate settings carries.
        case tooLarge(Int)
    }

    public let reservation: USBReservation
    public let basis: Basis
    /// The largest that the camera has: it may keep as much, whatever it sends.
    public let most: USBReservation
}
