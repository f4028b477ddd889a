/// The bandwidth that is reserved for one isochronous endpoint, whether it sends or not. `USBDomain` tells how long it
/// takes on a bus.
public struct USBReservation: Sendable, Hashable, Codable {
    /// Bytes of one turn at most.
    public let bytes: Int
    /// The distance of two turns in microframes of 125 µs: 1 or a higher power of two; at full speed 8 or a multiple.
    public let microframes: Int
    /// Number of packets that carry the bytes of one turn, at least 1: up to three at high speed, up to 48 at SuperSpeed.
    public let packets: Int

    /// Makes a reservation. Without `packets` as many are counted as the bytes need at 1024 bytes each.
    public init(bytes: Int, microframes: Int = 1, packets: Int? = nil) {
        self.bytes = bytes
        self.microframes = microframes
        // The largest packet of high speed and of SuperSpeed has 1024 bytes.
        self.packets = packets ?? max(1, (bytes + 1023) / 1024)
    }
}
