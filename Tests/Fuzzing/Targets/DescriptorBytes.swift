import MulticamMedia

@testable import MulticamCapture

/// Tests the descriptors of a USB device, and the bandwidth that would be reserved for it.
final class DescriptorBytes: FuzzTarget {
    static let name = "descriptors"
    static let limit = 1024

    init(folder: String) {}

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        _ = USBCapabilities.includesSuperSpeed(bytes)
        guard let description = USBDescription(bytes) else { return }
        try require(description.settings.count <= bytes.count / 9, "more settings than there are bytes for")
        for setting in description.settings {
            try require(
                description.setting(setting.interface, alternate: setting.alternate) != nil,
                "a setting that is there is not found")
            for speed in USBSpeed.allCases {
                for reservation in setting.reservations(at: speed) { try check(reservation, at: speed) }
            }
        }
        let camera = USBCamera(
            identity: DeviceIdentity(name: "camera"), speed: .high, domains: [Self.domain(.ehci, .high)],
            settings: description.settings.flatMap { $0.reservations(at: .high) })
        for pixel in [PixelFormat.mjpeg, .yuyv] {
            let format = VideoFormat(
                pixel: pixel, size: FrameSize(width: 16_384, height: 16_384), rate: FrameRate(1000))
            let demand = camera.demand(in: format)
            try require(
                (demand == nil) == camera.settings.isEmpty, "a camera without settings keeps something")
        }
    }

    private func check(_ reservation: USBReservation, at speed: USBSpeed) throws(RuleViolation) {
        try require(
            reservation.bytes > 0 && reservation.microframes > 0 && reservation.packets > 0,
            "\(reservation) keeps nothing")
        for accounting in [USBAccounting.standard, .ehci, .xhci] {
            for bus in USBSpeed.allCases where bus >= speed {
                let domain = Self.domain(accounting, bus)
                try require(domain.time(of: reservation, at: speed) > .zero, "\(reservation) takes no time")
                var load = USBLoad()
                load.add(reservation, at: speed, on: [domain], for: "a")
                _ = load.reserve(reservation, at: speed, on: [domain], for: "b")
                let parts = load.timeByOwner(domain).values.reduce(Nanoseconds.zero) { $0 + $1 }
                try require(parts == load.peak(domain), "the parts of a bus are not its whole")
            }
        }
    }

    private static func domain(_ accounting: USBAccounting, _ speed: USBSpeed) -> USBDomain {
        USBDomain(name: "1", place: "bus 1", controller: "0000:00:14.0", speed: speed, accounting: accounting)
    }
}
