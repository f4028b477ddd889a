/// How a USB controller, or its driver, adds up the bandwidth it has promised to periodic transfers.
public enum USBAccounting: String, Sendable, Hashable, Codable {
    /// The standard's own sums, to the nanosecond (`USBBusTime`): UHCI, OHCI, USB/IP, synthetic buses.
    case standard
    /// The sums of the kernel's drivers/usb/host/ehci-sched.c: each endpoint's time rounded up to whole microseconds
    /// (`HS_USECS_ISO`), and at most 100 µs of each microframe (`uframe_periodic_max`).
    ///
    /// By that a bus takes five streams of 800 bytes a microframe, at 17 µs, where the standard's sums have room for six of
    /// 16.2 µs.
    case ehci
    /// The sums of the kernel's `xhci_check_bw_table` (drivers/usb/host/xhci.c, constants in xhci.h).
    ///
    /// The kernel uses them for the one controller that cannot reckon itself (Intel's Panther Point); the others decide in
    /// hardware, by sums that nobody has published.
    case xhci

    /// Chooses the accounting by the controller's driver; `standard` where no driver is known.
    ///
    /// - Parameter driver: The kernel's name of the controller's driver: `ehci-pci`, `xhci_hcd`.
    public init(driver: String?) {
        let name = driver ?? ""
        self = name.contains("xhci") ? .xhci : name.contains("ehci") ? .ehci : .standard
    }

    /// The time of each microframe of 125 µs that may be promised at a speed.
    ///
    /// 80 % at high speed (USB 2.0, 5.7.4), as EHCI's 100 µs; xHCI's `HS_BW_LIMIT` of 1607 blocks less `HS_BW_RESERVED`,
    /// 20 % rounded up: 1285. 90 % of the frame at full speed. At SuperSpeed 3906 blocks less 10 %: 3515; by the standard
    /// 90 %.
    package func budget(at speed: USBSpeed) -> Nanoseconds {
        switch (self, speed) {
        case (.xhci, .high): Self.time(ofHighSpeedBlocks: 1285)
        case (_, .high): .microseconds(100)
        case (.xhci, .superSpeed...): Self.time(ofSuperSpeedBlocks: 3515, at: .superSpeed)
        default: Nanoseconds(112_500)
        }
    }

    /// The time of a bus that one turn of a reservation takes.
    ///
    /// On a bus of full speed it is an eighth of the time, as the eight slots of its schedule stand for frames of 1 ms
    /// there, and the budget for an eighth of one. A device of full speed behind a hub of high speed costs the faster bus
    /// its split transactions in each microframe: at most 188 bytes by the standard (USB 2.0, 11.18.4), the whole packet as
    /// EHCI counts (`c_usecs` in `iso_stream_init`), and 125 blocks for each such hub with xHCI (`TT_HS_OVERHEAD`).
    ///
    /// - Parameters:
    ///   - reservation: The reserved bandwidth.
    ///   - speed: The speed of its device.
    ///   - bus: The speed of the bus in question, a part of the device's route.
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

    /// The time of xHCI's blocks of 4 bytes at high speed: 1607 are a microframe, at 32 bits with 7/6 for bit stuffing and
    /// 480 Mbit/s.
    private static func time(ofHighSpeedBlocks count: Int64) -> Nanoseconds { Nanoseconds(count * 700 / 9) }

    /// The time of xHCI's blocks of 16 bytes at SuperSpeed: 3906 are a microframe, at 160 bits and 5 Gbit/s.
    private static func time(ofSuperSpeedBlocks count: Int64, at speed: USBSpeed) -> Nanoseconds {
        Nanoseconds(count * 160_000 / Int64(speed.rawValue))
    }
}
