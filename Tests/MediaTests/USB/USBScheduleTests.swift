import Testing

@testable import Media

@Suite("The time of a USB bus")
struct USBScheduleTests {
    /// By the macros of the kernel's include/linux/usb/hcd.h, computed by hand.
    @Test("bus times are the kernel's", arguments: [(3072, 60_368), (1024, 20_551), (0, 644)])
    func highSpeed(bytes: Int, nanoseconds: Int64) {
        #expect(USBBusTime.ofIsochronous(bytes: bytes, at: .high) == Nanoseconds(nanoseconds))
    }

    @Test("streams with long intervals share the time between them")
    func intervals() {
        var schedule = USBSchedule(budget: .microseconds(100))
        // Eight of 60 µs, each in a microframe of its own; the ninth finds none.
        let fitted = (0..<9).map { _ in schedule.reserve(.microseconds(60), each: 8) }
        #expect(fitted == [0, 1, 2, 3, 4, 5, 6, 7, nil])
        #expect(schedule.reserve(.microseconds(40), each: 1) == 0)
        #expect(schedule.reserve(Nanoseconds(1), each: 1) == nil)
        #expect(schedule.peak == .microseconds(100))
    }

    @Test("what runs already counts, even where our sums have no room for it")
    func running() {
        var schedule = USBSchedule(budget: .microseconds(100))
        schedule.add(.microseconds(80), each: 1)
        schedule.add(.microseconds(80), each: 0)
        #expect(schedule.peak == .microseconds(160))
        #expect(!schedule.fits(.microseconds(1), each: 1))
    }

    @Test("speeds are read as sysfs writes them")
    func speeds() {
        #expect(USBSpeed("1.5") == .low)
        #expect(USBSpeed("480") == .high)
        #expect(USBSpeed("20000") == .superPlusByTwo)
        for nonsense in ["", "1", "-480", "480 ", "unknown"] { #expect(USBSpeed(nonsense) == nil) }
    }
}
