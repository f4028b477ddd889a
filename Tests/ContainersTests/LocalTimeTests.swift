import Containers
import Foundation
import Media
import Testing

@Suite("the time of day")
struct LocalTimeTests {
    private static func time(_ hour: Int, _ minute: Int, _ second: Double) throws -> LocalTime {
        let seconds = Double(hour * 3600 + minute * 60) + second
        return LocalTime(Date(timeIntervalSince1970: 1_795_219_200 + seconds), secondsFromGMT: 0)
    }

    @Test("is that of the calendar and the clock in the zone")
    func calendar() throws {
        let time = LocalTime(Date(timeIntervalSince1970: 1_795_267_390.5), secondsFromGMT: 3600)
        #expect((time.year, time.month, time.day) == (2026, 11, 21))
        #expect((time.hour, time.minute, time.second) == (14, 23, 10))
        #expect(time.samples(rate: 48_000) == 2_485_944_000)
        let leap = LocalTime(Date(timeIntervalSince1970: 1_835_395_200), secondsFromGMT: 3600)
        #expect((leap.year, leap.month, leap.day, leap.hour) == (2028, 2, 29, 1))
    }

    @Test(
        "becomes the number of the frame that is due at 10:00:00.5",
        arguments: [
            (rate: FrameRate(30), frame: 1_080_015, isDrop: false),
            (rate: FrameRate(25), frame: 900_012, isDrop: false),
            // Labels without dropping count 24 a second, so that the clock on the wall is what is read at the start.
            (rate: FrameRate(24_000, per: 1001), frame: 864_012, isDrop: false),
            // 36 000.5 s × 30000 ∕ 1001 = 1 078 936.06
            (rate: FrameRate(30_000, per: 1001), frame: 1_078_936, isDrop: true),
            (rate: FrameRate(60_000, per: 1001), frame: 2_157_872, isDrop: true),
        ] as [(rate: FrameRate, frame: UInt32, isDrop: Bool)])
    func frames(rate: FrameRate, frame: UInt32, isDrop: Bool) throws {
        let code = Timecode(at: try Self.time(10, 0, 0.5), rate: rate)
        #expect(code.firstFrame == frame)
        #expect(code.isDropFrame == isDrop)
    }
}
