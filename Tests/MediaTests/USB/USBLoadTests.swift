import Testing

@testable import MulticamMedia

@Suite("Capacity of a USB bus")
struct USBLoadTests {
    private func bus(_ accounting: USBAccounting, _ speed: USBSpeed = .high) -> USBDomain {
        USBDomain(name: "1", place: "bus 1", controller: "0000:00:14.0", speed: speed, accounting: accounting)
    }

    /// Returns the number of these streams that fit if they are added one after the other.
    private func fitting(_ payloads: [Int], _ accounting: USBAccounting, _ speed: USBSpeed = .high) -> Int {
        var load = USBLoad()
        return payloads.prefix { bytes in
            load.reserve(
                USBReservation(bytes: bytes), at: speed, on: [bus(accounting, speed)], for: "camera")
        }.count
    }

    @Test(
        "every accounting method fits 3072 + 1024 bytes per microframe, 2 × 2048, or 4 × 1024, but not 2 × 3072",
        arguments: [USBAccounting.standard, .ehci, .xhci])
    func cameras(accounting: USBAccounting) {
        #expect(fitting([3072, 3072], accounting) == 1)
        #expect(fitting([3072, 1024, 1024], accounting) == 2)
        #expect(fitting([2048, 2048, 2048], accounting) == 2)
        #expect(fitting([Int](repeating: 1024, count: 9), accounting) == 4)
    }

    /// Results of the kernel's own functions, compiled separately from Linux 6.1 and called repeatedly:
    /// `itd_slot_ok` with `HS_USECS_ISO` of 100 µs, and the sum of `xhci_check_bw_table` against 1607 blocks
    /// minus 20 %. According to the nanoseconds in the standard, six streams of 800 bytes fit; both drivers
    /// round the times and refuse the sixth stream.
    @Test(
        "as many streams of one size fit as the kernel allows",
        arguments: [
            (192, 22, 20, 17), (384, 12, 11, 10), (512, 9, 9, 8), (640, 7, 7, 6), (800, 6, 5, 5),
            (944, 5, 5, 4), (1280, 3, 3, 3), (1600, 3, 3, 2), (1984, 2, 2, 2), (2688, 1, 1, 1),
            (3060, 1, 1, 1),
        ])
    func table(bytes: Int, standard: Int, ehci: Int, xhci: Int) {
        let many = [Int](repeating: bytes, count: 30)
        #expect(fitting(many, .standard) == standard)
        #expect(fitting(many, .ehci) == ehci)
        #expect(fitting(many, .xhci) == xhci)
    }

    /// According to `xhci_get_ss_bw_consumed`, the limit is 3906 minus 391 blocks. A packet takes 72 blocks,
    /// in addition to 32 blocks.
    @Test("a SuperSpeed port fits one camera that requests the full bandwidth, or many smaller ones")
    func superSpeed() {
        #expect(fitting([49_152, 1024], .xhci, .superSpeed) == 1)
        #expect(fitting([Int](repeating: 1024, count: 50), .xhci, .superSpeed) == 33)
        #expect(fitting([Int](repeating: 16_384, count: 50), .xhci, .superSpeed) == 2)
    }

    @Test("a stream that doesn't fit on one segment of its path reserves nothing on the others")
    func way() {
        let hub = USBDomain(
            name: "1-2-tt", place: "hub 1-2", controller: "c", speed: .full, accounting: .ehci)
        var load = USBLoad()
        let stream = USBReservation(bytes: 1023, microframes: 8)
        let first = load.reserve(stream, at: .full, on: [bus(.ehci), hub], for: "a")
        let before = load
        let second = load.reserve(stream, at: .full, on: [bus(.ehci), hub], for: "b")
        #expect(first && !second && load == before)
        // 1023 bytes take about 806 µs of a frame, and 900 µs can be reserved.
        #expect((99_000...102_000).contains(load.peak(hub).count))
    }

    @Test("parts add up to the load of the busiest microframe")
    func parts() {
        var load = USBLoad()
        for index in 0..<9 {
            load.add(
                USBReservation(bytes: 1024, microframes: 8), at: .high, on: [bus(.ehci)], for: "mic\(index)")
        }
        load.add(USBReservation(bytes: 3072), at: .high, on: [bus(.ehci)], for: "face")
        let parts = load.timeByOwner(bus(.ehci))
        #expect(parts.count == 3 && parts["face"] == .microseconds(61))
        #expect(parts.values.reduce(.zero, +) == load.peak(bus(.ehci)))
        #expect(load.peak(bus(.ehci)) == .microseconds(61 + 42))
    }
}
