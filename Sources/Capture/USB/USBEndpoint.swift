package import Media

/// One endpoint of one alternate setting: how much it may carry, and how often.
package struct USBEndpoint: Sendable, Hashable {
    /// In the order of bmAttributes' lowest two bits (USB 2.0, table 9-13).
    package enum Transfer: UInt8, Sendable { case control, isochronous, bulk, interrupt }

    /// The number, with 0x80 for those that send to the computer.
    package let address: UInt8
    package let transfer: Transfer
    /// Bytes of one packet, 0…2047.
    package let packetSize: Int
    /// Packets a microframe at high speed, 1…3.
    package let packets: Int
    /// `bInterval` as the device says it.
    package let interval: UInt8
    /// Bytes a service interval at SuperSpeed, from the endpoint's companion; `nil` where it has none.
    package let superSpeedBytes: Int?

    package var isInput: Bool { address & 0x80 != 0 }

    /// The most bytes that the bus keeps for it in each of its intervals. For periodic endpoints.
    package func bytes(at speed: USBSpeed) -> Int {
        switch speed {
        case .low, .full: packetSize
        case .high: packetSize * packets
        case .superSpeed, .superPlus, .superPlusByTwo: superSpeedBytes ?? packetSize
        }
    }

    /// How many microframes of 125 µs pass from one turn to the next; at full speed eight each frame. 1…32 768×8.
    package func microframes(at speed: USBSpeed) -> Int {
        // 1…16 is what the standard allows; what exceeds it is taken as the kernel does.
        let power = 1 << (Int(min(max(interval, 1), 16)) - 1)
        switch speed {
        case .low, .full: return 8 * (transfer == .isochronous ? power : Int(max(interval, 1)))
        case .high, .superSpeed, .superPlus, .superPlusByTwo: return power
        }
    }

    /// What it keeps of the bus.
    package func reservation(at speed: USBSpeed) -> USBReservation {
        let bytes = bytes(at: speed)
        return USBReservation(
            bytes: bytes, microframes: microframes(at: speed), packets: speed == .high ? packets : nil)
    }
}
