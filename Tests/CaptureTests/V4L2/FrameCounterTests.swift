import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Sequence numbers and timestamps")
struct FrameCounterTests {
    private let interval = Nanoseconds.milliseconds(40)

    private func time(_ milliseconds: Int64) -> ClockTime { ClockTime(nanoseconds: milliseconds * 1_000_000) }

    private func exposure(_ milliseconds: Int64) -> DriverStamp {
        DriverStamp(time: time(milliseconds), isStartOfExposure: true)
    }

    @Test("loses nothing in a steady stream, and numbers frames from 0 regardless of the driver's count")
    func steady() {
        var counter = FrameCounter(interval: interval)
        for index in 0..<5 {
            let at = 100_000 + Int64(index) * 40
            let place = counter.place(700 + UInt32(index), exposure(at), arrivedAt: time(at + 60))
            #expect(place.sequence == Int64(index))
            #expect(place.capturedAt == time(at))
            #expect(place.missing == 0)
        }
    }

    @Test("counts a jump as a loss that starts at the first missing frame")
    func jump() {
        var counter = FrameCounter(interval: interval)
        _ = counter.place(0, exposure(100_000), arrivedAt: time(100_050))
        let place = counter.place(4, exposure(100_160), arrivedAt: time(100_210))
        #expect(place.missing == 3)
        #expect(place.firstMissingAt == time(100_040))
        #expect(place.sequence == 4)
    }

    @Test("accepts a wrap of the driver's counter")
    func wrap() {
        var counter = FrameCounter(interval: interval)
        _ = counter.place(.max - 1, exposure(100_000), arrivedAt: time(100_050))
        let place = counter.place(1, exposure(100_120), arrivedAt: time(100_170))
        #expect(place.missing == 2)
        #expect(place.sequence == 3)
    }

    @Test("counts a repeated, decreasing, or restarted number as no loss", arguments: [UInt32(10), 3, 0])
    func back(raw: UInt32) {
        var counter = FrameCounter(interval: interval)
        _ = counter.place(10, exposure(100_000), arrivedAt: time(100_050))
        let place = counter.place(raw, exposure(100_040), arrivedAt: time(100_090))
        #expect(place.missing == 0)
        #expect(place.sequence == 1)
    }

    @Test("continues the count after a restart without a loss")
    func restart() {
        var counter = FrameCounter(interval: interval)
        _ = counter.place(10, exposure(100_000), arrivedAt: time(100_050))
        counter.resetSequence()
        let place = counter.place(90, exposure(103_000), arrivedAt: time(103_050))
        #expect(place.missing == 0)
        #expect(place.sequence == 1)
    }

    @Test("limits missing frames to the number that fits the elapsed time")
    func rubbish() {
        var counter = FrameCounter(interval: interval)
        _ = counter.place(1, exposure(100_000), arrivedAt: time(100_050))
        let place = counter.place(2_000_000_000, exposure(100_080), arrivedAt: time(100_130))
        #expect(place.missing == 4)
    }

    @Test("converts an end-of-frame timestamp to the start of exposure")
    func endOfFrame() {
        var counter = FrameCounter(interval: interval)
        let stamp = DriverStamp(time: time(100_040), isStartOfExposure: false)
        #expect(counter.place(0, stamp, arrivedAt: time(100_041)).capturedAt == time(100_000))
    }

    @Test(
        "uses the arrival minus one interval if the timestamp is missing or from another clock",
        arguments: [
            DriverStamp(time: nil, isStartOfExposure: true),
            DriverStamp(time: ClockTime(nanoseconds: 1_700_000_000_000_000_000), isStartOfExposure: true),
            DriverStamp(time: ClockTime(nanoseconds: 0), isStartOfExposure: false),
            DriverStamp(time: ClockTime(nanoseconds: .min), isStartOfExposure: true),
        ])
    func unusable(stamp: DriverStamp) {
        var counter = FrameCounter(interval: interval)
        #expect(counter.place(0, stamp, arrivedAt: time(100_040)).capturedAt == time(100_000))
    }

    @Test("replaces a timestamp that does not increase with the previous one plus one interval")
    func monotonic() {
        var counter = FrameCounter(interval: interval)
        _ = counter.place(0, exposure(100_000), arrivedAt: time(100_050))
        #expect(counter.place(1, exposure(99_990), arrivedAt: time(100_090)).capturedAt == time(100_040))
        #expect(counter.place(2, exposure(100_080), arrivedAt: time(100_130)).capturedAt == time(100_080))
    }

    @Test("replaces a timestamp that is in the future, too old, or not increasing, and marks it as corrected")
    func corrected() {
        var counter = FrameCounter(interval: interval)
        let first = counter.place(0, exposure(100_000), arrivedAt: time(100_050))
        #expect(!first.isCorrected)
        for (index, stamp) in [Int64(200_000), 5_000, 100_000].enumerated() {
            let arrival = time(100_090 + Int64(index) * 40)
            let place = counter.place(UInt32(index) + 1, exposure(stamp), arrivedAt: arrival)
            #expect(place.isCorrected)
            #expect(place.capturedAt > first.capturedAt && place.capturedAt <= arrival)
        }
        let unstamped = counter.place(
            4, DriverStamp(time: nil, isStartOfExposure: true), arrivedAt: time(100_300))
        #expect(!unstamped.isCorrected)
    }

    @Test("accepts any number as a timestamp", arguments: [Int64.min, .min + 1, -1, .max - 1, .max])
    func anyStamp(nanoseconds: Int64) {
        for isStart in [true, false] {
            var counter = FrameCounter(interval: interval)
            let stamp = DriverStamp(time: ClockTime(nanoseconds: nanoseconds), isStartOfExposure: isStart)
            let place = counter.place(0, stamp, arrivedAt: time(100_050))
            #expect(place.isCorrected && place.capturedAt == time(100_010))
        }
    }

    @Test("limits a jump by half of the counter's range to the elapsed time")
    func hugeJump() {
        var counter = FrameCounter(interval: interval)
        _ = counter.place(0, exposure(100_000), arrivedAt: time(100_050))
        let place = counter.place(0x7FFF_FFFF, exposure(100_040), arrivedAt: time(100_090))
        #expect(place.missing == 2 && place.sequence == 3)
    }

    @Test("never dates frames with a constant timestamp into the future, at any frame rate")
    func standingStamps() {
        var counter = FrameCounter(interval: interval)
        for index in 0..<1000 {
            let arrival = time(100_000 + Int64(index) * 10)
            let place = counter.place(UInt32(index), exposure(99_990), arrivedAt: arrival)
            #expect(place.capturedAt <= arrival + Nanoseconds(1))
        }
    }
}
