package import Media

/// How long transfers take on the bus, and how much of it may be promised.
package enum USBBusTime {
    /// What the controller may promise to periodic transfers in each microframe of 125 µs.
    ///
    /// USB 2.0, 5.7.4: 80 % at high speed, as the kernel's EHCI driver keeps it (`uframe_periodic_max`, 100 µs), and 90 % of
    /// the frame at full speed. The kernel's `xhci.h` leaves 10 % (`SS_BW_RESERVED`) of SuperSpeed to others.
    package static func budget(at speed: USBSpeed) -> Nanoseconds {
        switch speed {
        case .high: .microseconds(100)
        case .low, .full, .superSpeed, .superPlus, .superPlusByTwo: Nanoseconds(112_500)
        }
    }

    /// The time that one isochronous turn takes.
    ///
    /// Up to high speed this is the kernel's `usb_calc_bus_time` (drivers/usb/core/hcd.c, after USB 2.0, 5.11.3). A device of
    /// full speed behind a hub of high speed costs the faster bus what its split transactions take:
    /// `ofSplit(bytes:)`. Above, 10 bits a byte (8b/10b) and 32 bytes for the header, CRC and framing of each packet
    /// of up to 1024 bytes.
    ///
    /// - Parameters:
    ///   - bytes: Of one turn, 0 or more.
    ///   - speed: At which the device talks.
    /// - Returns: With the worst case of bit stuffing.
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

    /// What a device of full speed takes of the high-speed bus above its hub, in each microframe of its frame: at most 188
    /// bytes (USB 2.0, 11.18.4).
    package static func ofSplit(bytes: Int) -> Nanoseconds {
        ofIsochronous(bytes: min(bytes, 188), at: .high)
    }
}
