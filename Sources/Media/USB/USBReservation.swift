/// What is kept for one isochronous endpoint, whether it sends or not. How long that takes, its bus tells (`USBDomain`).
public struct USBReservation: Sendable, Hashable, Codable {
    /// The most in one turn.
    public let bytes: Int
    /// From one turn to the next, in microframes of 125 µs: 1 or a higher power of two; at full speed 8 or a multiple.
    public let microframes: Int
    /// In which the bytes of one turn go, at least 1: up to three at high speed, up to 48 at SuperSpeed.
    public let packets: Int

    public init(bytes: Int, microframes: Int = 1, packets: Int? = nil) {
        self.bytes = bytes
        self.microframes = microframes
        // The largest packet of high speed and of SuperSpeed has 1024 bytes.
        self.packets = packets ?? max(1, (bytes + 1023) / 1024)
    }
}
