/// Method that a USB controller or its driver uses to add up the bandwidth allocated to periodic transfers.
package enum USBAccounting: String, Sendable, Hashable, Codable {
    /// The calculation defined by the USB standard, accurate to the nanosecond (`USBBusTime`). The standard's
    /// calculation is used for UHCI, OHCI, USB/IP, and synthetic buses.
    case standard
    /// The calculation in the kernel's drivers/usb/host/ehci-sched.c. Each endpoint's bus time is rounded up
    /// to whole microseconds (`HS_USECS_ISO`), and at most 100 µs of each microframe are allocated
    /// (`uframe_periodic_max`).
    ///
    /// With EHCI accounting, five streams of 800 bytes per microframe fit on a bus, at 17 µs each. With the
    /// calculation in the USB standard, six such streams fit, at 16.2 µs each.
    case ehci
    /// The calculation of the kernel's `xhci_check_bw_table` (drivers/usb/host/xhci.c, constants in xhci.h).
    ///
    /// The kernel uses this calculation only for controllers that can't check bandwidth in hardware (Intel's
    /// Panther Point). All other xHCI controllers allocate bandwidth in hardware, according to unpublished
    /// rules.
    case xhci

    /// Selects the accounting method for a controller's driver; `standard` if the driver is unknown.
    ///
    /// - Parameter driver: The kernel's name for the controller's driver: `ehci-pci`, `xhci_hcd`.
    package init(driver: String?) {
        let name = driver ?? ""
        self = name.contains("xhci") ? .xhci : name.contains("ehci") ? .ehci : .standard
    }

    /// Returns the bus time in each 125 µs microframe that may be allocated at a given speed.
    ///
    /// - High speed: 80 % (USB 2.0, 5.7.4), which equals EHCI's 100 µs. xHCI allows 1285 blocks:
    ///   `HS_BW_LIMIT` (1607) minus `HS_BW_RESERVED` (20 %), rounded up.
    /// - Full speed: 90 % of the frame.
    /// - SuperSpeed: 90 % according to the standard. xHCI allows 3515 blocks: 3906 minus 10 %.
    package func budget(at speed: USBSpeed) -> Nanoseconds {
        switch (self, speed) {
        case (.xhci, .high): Self.time(ofHighSpeedBlocks: 1285)
        case (_, .high): .microseconds(100)
        case (.xhci, .superSpeed...): Self.time(ofSuperSpeedBlocks: 3515, at: .superSpeed)
        default: Nanoseconds(112_500)
        }
    }

    /// Returns the bus time that a reservation takes per service interval.
    ///
    /// On a full-speed bus, the result is one eighth of the bus time, because the eight slots of the bus's
    /// schedule represent frames of 1 ms and the budget applies to an eighth of a frame. A full-speed device
    /// behind a high-speed hub uses split transactions on the faster bus in each microframe. Split
    /// transactions cost at most 188 bytes according to the standard (USB 2.0, 11.18.4), and the whole packet
    /// in EHCI accounting (`c_usecs` in `iso_stream_init`). In xHCI accounting, each high-speed hub with
    /// split transactions costs 125 blocks (`TT_HS_OVERHEAD`).
    ///
    /// - Parameters:
    ///   - reservation: The reserved bandwidth.
    ///   - speed: The speed of the reservation's device.
    ///   - bus: The speed of a bus on the device's route.
    /// - Returns: The bus time, a positive duration.
    package func time(of reservation: USBReservation, at speed: USBSpeed, on bus: USBSpeed) -> Nanoseconds {
        let bytes = reservation.bytes
        guard bus >= .high else {
            return Nanoseconds(USBBusTime.isochronous(bytes: bytes, at: .full).count / 8)
        }
        let isSplit = speed < .high
        switch self {
        case .standard:
            return USBBusTime.isochronous(
                bytes: isSplit ? min(bytes, 188) : bytes, at: isSplit ? .high : speed)
        case .ehci:
            let time = USBBusTime.isochronous(bytes: bytes, at: .high).count
            return .microseconds((time + 999) / 1000)
        case .xhci where isSplit: return Self.time(ofHighSpeedBlocks: 125)
        case .xhci where speed == .high:
            // The formula uses blocks of 4 bytes (`HS_BLOCK`) and an overhead of 26 blocks per packet
            // (`HS_OVERHEAD`).
            return Self.time(ofHighSpeedBlocks: Int64((bytes + 3) / 4 + 26 * reservation.packets))
        case .xhci:
            // The sum consists of `SS_OVERHEAD_BURST`, and for each packet, `SS_OVERHEAD` plus the packet's
            // 16-byte blocks (`SS_BLOCK`).
            let packet = (min(bytes, 1024) + 15) / 16
            return Self.time(ofSuperSpeedBlocks: Int64(32 + reservation.packets * (8 + packet)), at: speed)
        }
    }

    /// Returns the bus time of 4-byte blocks in xHCI accounting at high speed. At 480 Mbit/s, a microframe
    /// has 1607 blocks of 32 bits, including a factor of 7/6 for bit stuffing.
    private static func time(ofHighSpeedBlocks count: Int64) -> Nanoseconds { Nanoseconds(count * 700 / 9) }

    /// Returns the bus time of 16-byte blocks in xHCI accounting at SuperSpeed. At 5 Gbit/s, a microframe has
    /// 3906 blocks of 160 bits each.
    private static func time(ofSuperSpeedBlocks count: Int64, at speed: USBSpeed) -> Nanoseconds {
        Nanoseconds(count * 160_000 / Int64(speed.rawValue))
    }
}

/// Bus time of transfers as calculated by the USB standards. `USBAccounting` describes the calculations of
/// the controllers' drivers.
package enum USBBusTime {
    /// Returns the bus time of the transfers in one isochronous service interval, including worst-case bit
    /// stuffing.
    ///
    /// Up to high speed, the calculation is that of the kernel's `usb_calc_bus_time` (drivers/usb/core/hcd.c,
    /// after USB 2.0, 5.11.3). Above high speed, each byte takes 10 bits (8b/10b), and each packet of up to
    /// 1024 bytes has 32 bytes of overhead for header, CRC, and framing.
    ///
    /// - Parameters:
    ///   - bytes: Bytes per service interval, 0 or more.
    ///   - speed: The speed of the device.
    /// - Returns: The bus time.
    package static func isochronous(bytes: Int, at speed: USBSpeed) -> Nanoseconds {
        let bytes = Int64(max(bytes, 0))
        // The formula is `BitTime` from the kernel's include/linux/usb/hcd.h.
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

/// Speed of a USB connection. The raw value is in megabits per second, as in sysfs.
package enum USBSpeed: Int, Sendable, Hashable, Comparable, Codable, CaseIterable {
    /// Low speed, 1.5 Mbit/s; the raw value is rounded down.
    case low = 1
    case full = 12
    case high = 480
    case superSpeed = 5_000
    /// USB 3.1 Gen 2, 10 Gbit/s.
    case superPlus = 10_000
    /// USB 3.2 Gen 2×2, 20 Gbit/s.
    case superPlusByTwo = 20_000

    /// Parses a USB speed; returns `nil` for an unknown speed.
    ///
    /// - Parameter text: The content of the `speed` file in sysfs: `1.5`, `480`, `10000`.
    package init?(_ text: String) {
        guard let speed = Self.allCases.first(where: { text == ($0 == .low ? "1.5" : "\($0.rawValue)") })
        else { return nil }
        self = speed
    }

    /// Whether the left speed is lower than the right speed.
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The speed in readable form: `480 Mbit/s`.
    package var name: String { self == .low ? "1.5 Mbit/s" : "\(rawValue) Mbit/s" }
}
