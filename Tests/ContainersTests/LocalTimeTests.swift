import Foundation
import MulticamContainers
import MulticamMedia
import Testing

@Suite("Local time and timecode")
struct LocalTimeTests {
    private static func time(_ hour: Int, _ minute: Int, _ second: Double) throws -> LocalTime {
        let seconds = Double(hour * 3600 + minute * 60) + second
        return LocalTime(Date(timeIntervalSince1970: 1_795_219_200 + seconds), secondsFromGMT: 0)
    }

    @Test("matches date and time of the time zone")
    func calendar() throws {
        let time = LocalTime(Date(timeIntervalSince1970: 1_795_267_390.5), secondsFromGMT: 3600)
        #expect((time.year, time.month, time.day) == (2026, 11, 21))
        #expect((time.hour, time.minute, time.second) == (14, 23, 10))
        #expect(time.samples(rate: 48_000) == 2_485_944_000)
        let leap = LocalTime(Date(timeIntervalSince1970: 1_835_395_200), secondsFromGMT: 3600)
        #expect((leap.year, leap.month, leap.day, leap.hour) == (2028, 2, 29, 1))
    }

    @Test(
        "converts 10:00:00.5 to a frame number",
        arguments: [
            (rate: FrameRate(30), frame: 1_080_015, isDrop: false),
            (rate: FrameRate(25), frame: 900_012, isDrop: false),
            // Non-drop timecode counts 24 frames per second, so that the start shows the time of day.
            (rate: FrameRate(24_000, per: 1001), frame: 864_012, isDrop: false),
            // The frame number is 36 000.5 s × 30000 ∕ 1001 = 1 078 936.06.
            (rate: FrameRate(30_000, per: 1001), frame: 1_078_936, isDrop: true),
            (rate: FrameRate(60_000, per: 1001), frame: 2_157_872, isDrop: true),
        ] as [(rate: FrameRate, frame: UInt32, isDrop: Bool)])
    func frames(rate: FrameRate, frame: UInt32, isDrop: Bool) throws {
        let code = Timecode(at: try Self.time(10, 0, 0.5), rate: rate)
        #expect(code.firstFrame == frame)
        #expect(code.isDropFrame == isDrop)
    }

    @Test(
        "drop-frame timecode restarts at midnight, at most one frame late",
        arguments: [
            // 2,589,411 is the first frame at 29.97 frames per second with a time of 24 h or more.
            (rate: FrameRate(30_000, per: 1001), count: 2_589_411, frame: 0),
            (rate: FrameRate(30_000, per: 1001), count: 2_589_411 + 69, frame: 69),
            (rate: FrameRate(30_000, per: 1001), count: 2_589_407, frame: 2_589_407),
            (rate: FrameRate(60_000, per: 1001), count: 5_178_822 + 138, frame: 138),
            (rate: FrameRate(25), count: 2_160_050, frame: 50),
        ] as [(rate: FrameRate, count: Int64, frame: UInt32)])
    func midnight(rate: FrameRate, count: Int64, frame: UInt32) {
        let code = Timecode(rate: rate, firstFrame: 0, isDropFrame: true).advanced(by: count)
        #expect(code.firstFrame == frame)
    }
}
