import Media
import Testing

@testable import Capture

@Suite("The time of a USB bus")
struct USBScheduleTests {
    private func fitting(_ payloads: [Int]) -> Int {
        var schedule = USBSchedule(budget: USBBusTime.budget(at: .high))
        return payloads.prefix { bytes in
            schedule.reserve(USBBusTime.ofIsochronous(bytes: bytes, at: .high), each: 1)
        }.count
    }

    /// By the macros of the kernel's include/linux/usb/hcd.h, computed by hand.
    @Test("bus times are the kernel's", arguments: [(3072, 60_368), (1024, 20_551), (0, 644)])
    func highSpeed(bytes: Int, nanoseconds: Int64) {
        #expect(USBBusTime.ofIsochronous(bytes: bytes, at: .high) == Nanoseconds(nanoseconds))
    }

    @Test("one camera of 3072 bytes, or with one of 1024; two of 2048; four of 1024; six of 800")
    func cameras() {
        #expect(fitting([3072, 3072]) == 1)
        #expect(fitting([3072, 1024, 1024]) == 2)
        #expect(fitting([2048, 2048, 2048]) == 2)
        #expect(fitting([Int](repeating: 1024, count: 9)) == 4)
        #expect(fitting([Int](repeating: 800, count: 9)) == 6)
    }

    @Test("streams with long intervals share the time between them")
    func intervals() {
        var schedule = USBSchedule(budget: .microseconds(100))
        // Eight of 60 µs, each in a microframe of its own; the ninth finds none.
        var fitted = (0..<9).map { _ in schedule.reserve(.microseconds(60), each: 8) }
        #expect(fitted == [true, true, true, true, true, true, true, true, false])
        fitted = [
            schedule.reserve(.microseconds(40), each: 1), schedule.reserve(Nanoseconds(1), each: 1),
        ]
        #expect(fitted == [true, false])
        #expect(schedule.peak == .microseconds(100))
    }

    @Test("what runs already counts, even where our sums have no room for it")
    func running() {
        var schedule = USBSchedule(budget: .microseconds(100))
        schedule.add(.microseconds(80), each: 1)
        schedule.add(.microseconds(80), each: 0)
        #expect(schedule.peak == .microseconds(160))
        #expect(!schedule.fits(USBReservation(bytes: 1, microframes: 1, busTime: .microseconds(1))))
    }

    @Test("speeds are read as sysfs writes them")
    func speeds() {
        #expect(USBSpeed("1.5") == .low)
        #expect(USBSpeed("480") == .high)
        #expect(USBSpeed("20000") == .superPlusByTwo)
        for nonsense in ["", "1", "-480", "480 ", "unknown"] { #expect(USBSpeed(nonsense) == nil) }
    }
}
