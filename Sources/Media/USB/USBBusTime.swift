/// The time that transfers take on the bus by the standards' own sums. `USBAccounting` tells what controllers make of them.
package enum USBBusTime {
    /// The time that one isochronous turn takes, with the worst case of bit stuffing.
    ///
    /// Up to high speed this is the kernel's `usb_calc_bus_time` (drivers/usb/core/hcd.c, after USB 2.0, 5.11.3). Above,
    /// 10 bits a byte (8b/10b) and 32 bytes for the header, CRC and framing of each packet of up to 1024 bytes.
    ///
    /// - Parameters:
    ///   - bytes: Bytes of one turn, 0 or more.
    ///   - speed: The speed of the device.
    /// - Returns: Nanoseconds on the bus.
    package static func ofIsochronous(bytes: Int, at speed: USBSpeed) -> Nanoseconds {
        let bytes = Int64(max(bytes, 0))
        // `BitTime` of the kernel's include/linux/usb/hcd.h.
        let bits = 7 * 8 * bytes / 6
        switch speed {
        case .low, .full: return Nanoseconds(7_268 + 1_000 + 8_354 * (31 + 10 * bits) / 1_000)
        case .high: return Nanoseconds((38 * 8 * 2_083 + 2_083 * (3 + bits)) / 1_000 + 5)
        case .superSpeed, .superPlus, .superPlusByTwo:
            let packets = (bytes + 1023) / 1024
            return Nanoseconds((bytes + 32 * packets) * 10_000 / Int64(speed.rawValue))
        }
    }
}
