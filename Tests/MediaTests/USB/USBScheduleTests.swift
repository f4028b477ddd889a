import Testing

@testable import MulticamMedia

@Suite("USB bus time")
struct USBScheduleTests {
    /// The values were computed by hand from the macros in the kernel's include/linux/usb/hcd.h.
    @Test("bus times equal the kernel's", arguments: [(3072, 60_368), (1024, 20_551), (0, 644)])
    func highSpeed(bytes: Int, nanoseconds: Int64) {
        #expect(USBBusTime.isochronous(bytes: bytes, at: .high) == Nanoseconds(nanoseconds))
    }

    @Test("streams with long intervals use different microframes")
    func intervals() {
        var schedule = USBSchedule(budget: .microseconds(100))
        // Eight streams of 60 µs get separate microframes; the ninth doesn't fit.
        let fitted = (0..<9).map { _ in schedule.reserve(.microseconds(60), each: 8) }
        #expect(fitted == [0, 1, 2, 3, 4, 5, 6, 7, nil])
        #expect(schedule.reserve(.microseconds(40), each: 1) == 0)
        #expect(schedule.reserve(Nanoseconds(1), each: 1) == nil)
        #expect(schedule.peak == .microseconds(100))
    }

    @Test("running streams count even if they exceed the computed capacity")
    func running() {
        var schedule = USBSchedule(budget: .microseconds(100))
        schedule.add(.microseconds(80), each: 1)
        schedule.add(.microseconds(80), each: 0)
        #expect(schedule.peak == .microseconds(160))
        #expect(!schedule.fits(.microseconds(1), each: 1))
    }

    @Test("speeds are parsed in sysfs notation")
    func speeds() {
        #expect(USBSpeed("1.5") == .low)
        #expect(USBSpeed("480") == .high)
        #expect(USBSpeed("20000") == .superPlusByTwo)
        for nonsense in ["", "1", "-480", "480 ", "unknown"] { #expect(USBSpeed(nonsense) == nil) }
    }
}
