import MulticamMedia
import Testing

@testable import MulticamRendering

@Suite("Frames that keep their capture times")
struct FrameScheduleTests {
    /// Returns the frame times of a camera at 30 frames per second, with frames before the file's time 0. The
    /// last of these frames gets time 0 from libavformat.
    private static func times(first: Int64) -> [(time: MediaTime, isKey: Bool)] {
        let captured = (0..<60).map { first + $0 * 33_333_333 }
        let last = captured.lastIndex { $0 <= 0 } ?? 0
        return captured.indices.map { (MediaTime(nanoseconds: $0 == last ? 0 : captured[$0]), $0 == 0) }
    }

    @Test(
        "frames are shown from the first tick on, each at the nearest tick, at any phase",
        arguments: [-306_800_000, -292_411_111, -258_777_778, -266_000_001, -280_000_000] as [Int64])
    func begin(first: Int64) throws {
        let rate = try #require(FrameRate(30.0))
        let frames = FrameSchedule.captured(Self.times(first: first), from: .zero)
        for (index, frame) in frames.enumerated() {
            #expect(abs(frame.time.nanoseconds - (first + Int64(index) * 33_333_333)) <= 20)
        }
        let schedule = FrameSchedule(frames, interval: rate.interval, rate: rate, count: 40)
        for tick in 0..<Int64(40) {
            let shown = try #require(schedule.frame(at: tick))
            let captured = try #require(frames.first { $0.shown == shown }?.time)
            #expect(abs(captured.nanoseconds - rate.time(ofTick: tick).nanoseconds) <= 18_400_000)
        }
    }
}
