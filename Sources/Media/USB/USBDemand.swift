/// The USB bandwidth that a camera's stream would reserve, and how that is known.
public struct USBDemand: Sendable, Equatable {
    /// How the demand is known.
    public enum Basis: Sendable, Equatable {
        /// The camera reserved it when it streamed in this format the last time.
        case learned
        /// It follows from the bytes a second of a raw format.
        case computed
        /// It is an estimate for a compressed format: the camera decides when it streams.
        case assumed
        /// The format needs so many bytes a microframe, which none of the camera's alternate settings carries.
        case tooLarge(Int)
    }

    /// The bandwidth that the stream would reserve.
    public let reservation: USBReservation
    /// How the reservation is known.
    public let basis: Basis
    /// The largest reservation of the camera: it may take as much, whatever it sends.
    public let most: USBReservation
}
