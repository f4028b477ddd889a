/// How a controller, or its driver, adds up what it has promised to periodic transfers.
public enum USBAccounting: String, Sendable, Hashable, Codable {
    /// By the standard's own sums, to the nanosecond (`USBBusTime`): UHCI, OHCI, USB/IP, synthetic buses.
    case standard
    /// The kernel's drivers/usb/host/ehci-sched.c: each endpoint's time rounded up to whole microseconds (`HS_USECS_ISO`), and
    /// at most 100 µs of each microframe (`uframe_periodic_max`). By that a bus takes five streams of 800 bytes a microframe,
    /// at 17 µs, where the standard's sums have room for six of 16.2 µs.
    case ehci
    /// The kernel's `xhci_check_bw_table` (drivers/usb/host/xhci.c, constants in xhci.h), which it asks for the one controller
    /// that cannot reckon itself (Intel's Panther Point); the others decide in hardware, by sums that nobody has published.
    case xhci

    /// - Parameter driver: The kernel's name of the controller's driver: `ehci-pci`, `xhci_hcd`.
    public init(driver: String?) {
        let name = driver ?? ""
        self = name.contains("xhci") ? .xhci : name.contains("ehci") ? .ehci : .standard
    }

    /// What may be promised in each microframe of 125 µs.
    ///
    /// 80 % at high speed (USB 2.0, 5.7.4), as EHCI's 100 µs; xHCI's `HS_BW_LIMIT` of 1607 blocks less `HS_BW_RESERVED`, 20 %
    /// rounded up: 1285. 90 % of the frame at full speed. At SuperSpeed 3906 blocks less 10 %: 3515; by the standard 90 %.
    package func budget(at speed: USBSpeed) -> Nanoseconds {
        switch (self, speed) {
        case (.xhci, .high): Self.time(ofHighSpeedBlocks: 1285)
        case (_, .high): .microseconds(100)
        case (.xhci, .superSpeed...): Self.time(ofSuperSpeedBlocks: 3515, at: .superSpeed)
        default: Nanoseconds(112_500)
        }
    }

    /// What one turn takes of a bus.
    ///
    /// On a bus of full speed it is an eighth of the time, as the eight slots of its schedule stand for frames of 1 ms there,
    /// and the budget for an eighth of one. A device of full speed behind a hub of high speed costs the faster bus its split
    /// transactions in each microframe: at most 188 bytes by the standard (USB 2.0, 11.18.4), the whole packet as EHCI counts
    /// (`c_usecs` in `iso_stream_init`), and 125 blocks for each such hub with xHCI (`TT_HS_OVERHEAD`).
    ///
    /// - Parameters:
    ///   - reservation: That is kept.
    ///   - speed: At which its device talks.
    ///   - bus: The speed of the bus that is asked about, a part of the device's way.
    /// - Returns: Above zero.
    package func time(of reservation: USBReservation, at speed: USBSpeed, on bus: USBSpeed) -> Nanoseconds {
        let bytes = reservation.bytes
        guard bus >= .high else {
            return Nanoseconds(USBBusTime.ofIsochronous(bytes: bytes, at: .full).count / 8)
        }
        let isSplit = speed < .high
        switch self {
        case .standard:
            return USBBusTime.ofIsochronous(
                bytes: isSplit ? min(bytes, 188) : bytes, at: isSplit ? .high : speed)
        case .ehci:
            let time = USBBusTime.ofIsochronous(bytes: bytes, at: .high).count
            return .microseconds((time + 999) / 1000)
        case .xhci where isSplit: return Self.time(ofHighSpeedBlocks: 125)
        case .xhci where speed == .high:
            // `HS_BLOCK` of 4 bytes, and `HS_OVERHEAD` of 26 blocks for each packet.
            return Self.time(ofHighSpeedBlocks: Int64((bytes + 3) / 4 + 26 * reservation.packets))
        case .xhci:
            // `SS_OVERHEAD_BURST`, and for each packet `SS_OVERHEAD` with its blocks of 16 bytes (`SS_BLOCK`).
            let packet = (min(bytes, 1024) + 15) / 16
            return Self.time(ofSuperSpeedBlocks: Int64(32 + reservation.packets * (8 + packet)), at: speed)
        }
    }

    /// 1607 blocks of 4 bytes are a microframe: 32 bits with 7/6 for bit stuffing, at 480 Mbit/s.
    private static func time(ofHighSpeedBlocks count: Int64) -> Nanoseconds { Nanoseconds(count * 700 / 9) }

    /// 3906 blocks of 16 bytes are a microframe: 160 bits at 5 Gbit/s.
    private static func time(ofSuperSpeedBlocks count: Int64, at speed: USBSpeed) -> Nanoseconds {
        Nanoseconds(count * 160_000 / Int64(speed.rawValue))
    }
}
