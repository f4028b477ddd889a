package import Media

/// One endpoint of one alternate setting: how much it may carry, and how often.
package struct USBEndpoint: Sendable, Hashable {
    /// Transfer type, in the order of bmAttributes' lowest two bits (USB 2.0, table 9-13).
    package enum Transfer: UInt8, Sendable { case control, isochronous, bulk, interrupt }

    /// The endpoint's number, with bit 0x80 set when it sends to the computer.
    package let address: UInt8
    /// Transfer type of the endpoint.
    package let transfer: Transfer
    /// Bytes of one packet, 0…2047.
    package let packetSize: Int
    /// Packets per microframe at high speed, 1…3.
    package let packets: Int
    /// The descriptor's `bInterval`, unchecked.
    package let interval: UInt8
    /// Bytes per service interval at SuperSpeed, from the endpoint's companion; `nil` where it has none.
    package let superSpeedBytes: Int?

    /// Whether the endpoint sends to the computer.
    package var isInput: Bool { address & 0x80 != 0 }

    /// The most bytes that the bus reserves in each of the endpoint's intervals. For periodic endpoints only.
    package func bytes(at speed: USBSpeed) -> Int {
        switch speed {
        case .low, .full: packetSize
        case .high: packetSize * packets
        case .superSpeed, .superPlus, .superPlusByTwo: superSpeedBytes ?? packetSize
        }
    }

    /// Microframes of 125 µs from one turn to the next; 1…32 768 at high speed and above, and 8…262 144 below, where a
    /// frame has eight.
    package func microframes(at speed: USBSpeed) -> Int {
        // 1…16 is what the standard allows; what exceeds it is taken as the kernel does.
        let power = 1 << (Int(min(max(interval, 1), 16)) - 1)
        switch speed {
        case .low, .full: return 8 * (transfer == .isochronous ? power : Int(max(interval, 1)))
        case .high, .superSpeed, .superPlus, .superPlusByTwo: return power
        }
    }

    /// Bandwidth that the endpoint reserves at a speed.
    package func reservation(at speed: USBSpeed) -> USBReservation {
        let bytes = bytes(at: speed)
        return USBReservation(
            bytes: bytes, microframes: microframes(at: speed), packets: speed == .high ? packets : nil)
    }
}
