import Media
import Testing

@testable import Capture

@Suite("Sequence numbers and time stamps")
struct FrameCounterTests {
    private let interval = Nanoseconds.milliseconds(40)

    private func time(_ milliseconds: Int64) -> ClockTime { ClockTime(nanoseconds: milliseconds * 1_000_000) }

    private func exposure(_ milliseconds: Int64) -> DriverStamp {
        DriverStamp(time: time(milliseconds), isStartOfExposure: true)
    }

    @Test("a steady stream loses nothing, and its numbers begin at 0 wherever the driver's begin")
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

    @Test("a jump is a loss from the first missing frame on")
    func jump() {
        var counter = FrameCounter(interval: interval)
        _ = counter.place(0, exposure(100_000), arrivedAt: time(100_050))
        let place = counter.place(4, exposure(100_160), arrivedAt: time(100_210))
        #expect(place.missing == 3)
        #expect(place.firstMissingAt == time(100_040))
        #expect(place.sequence == 4)
    }

    @Test("the driver's count may wrap")
    func wrap() {
        var counter = FrameCounter(interval: interval)
        _ = counter.place(.max - 1, exposure(100_000), arrivedAt: time(100_050))
        let place = counter.place(1, exposure(100_120), arrivedAt: time(100_170))
        #expect(place.missing == 2)
        #expect(place.sequence == 3)
    }

    @Test("a step back, a standstill and a restart are no losses", arguments: [UInt32(10), 3, 0])
    func back(raw: UInt32) {
        var counter = FrameCounter(interval: interval)
        _ = counter.place(10, exposure(100_000), arrivedAt: time(100_050))
        let place = counter.place(raw, exposure(100_040), arrivedAt: time(100_090))
        #expect(place.missing == 0)
        #expect(place.sequence == 1)
    }

    @Test("after a restart the count goes on without a loss")
    func restart() {
        var counter = FrameCounter(interval: interval)
        _ = counter.place(10, exposure(100_000), arrivedAt: time(100_050))
        counter.streamRestarts()
        let place = counter.place(90, exposure(103_000), arrivedAt: time(103_050))
        #expect(place.missing == 0)
        #expect(place.sequence == 1)
    }

    @Test("no more frames are missing than the time had room for")
    func rubbish() {
        var counter = FrameCounter(interval: interval)
        _ = counter.place(1, exposure(100_000), arrivedAt: time(100_050))
        let place = counter.place(2_000_000_000, exposure(100_080), arrivedAt: time(100_130))
        #expect(place.missing == 4)
    }

    @Test("a stamp of the last byte is brought to the start of exposure")
    func endOfFrame() {
        var counter = FrameCounter(interval: interval)
        let stamp = DriverStamp(time: time(100_040), isStartOfExposure: false)
        #expect(counter.place(0, stamp, arrivedAt: time(100_041)).capturedAt == time(100_000))
    }

    @Test(
        "without a stamp, or with one by another clock, it is the arrival less one interval",
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

    @Test("stamps that do not grow are replaced by one interval more")
    func monotonic() {
        var counter = FrameCounter(interval: interval)
        _ = counter.place(0, exposure(100_000), arrivedAt: time(100_050))
        #expect(counter.place(1, exposure(99_990), arrivedAt: time(100_090)).capturedAt == time(100_040))
        #expect(counter.place(2, exposure(100_080), arrivedAt: time(100_130)).capturedAt == time(100_080))
    }

    @Test("a stamp from the future, from long ago or not after the last is replaced and said to be")
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

    @Test("a stamp may be any number", arguments: [Int64.min, .min + 1, -1, .max - 1, .max])
    func anyStamp(nanoseconds: Int64) {
        for isStart in [true, false] {
            var counter = FrameCounter(interval: interval)
            let stamp = DriverStamp(time: ClockTime(nanoseconds: nanoseconds), isStartOfExposure: isStart)
            let place = counter.place(0, stamp, arrivedAt: time(100_050))
            #expect(place.isCorrected && place.capturedAt == time(100_010))
        }
    }

    @Test("a jump of the driver's count by half of its range is no more than the time had room for")
    func hugeJump() {
        var counter = FrameCounter(interval: interval)
        _ = counter.place(0, exposure(100_000), arrivedAt: time(100_050))
        let place = counter.place(0x7FFF_FFFF, exposure(100_040), arrivedAt: time(100_090))
        #expect(place.missing == 2 && place.sequence == 3)
    }

    @Test("stamps that stand still never run ahead of the present, however fast the camera is")
    func standingStamps() {
        var counter = FrameCounter(interval: interval)
        for index in 0..<1000 {
            let arrival = time(100_000 + Int64(index) * 10)
            let place = counter.place(UInt32(index), exposure(99_990), arrivedAt: arrival)
            #expect(place.capturedAt <= arrival + Nanoseconds(1))
        }
    }
}
