import MulticamMedia
import Testing

@testable import MulticamSessionFolder

@Suite("Data of the sync report")
struct SyncHistoryTests {
    @Test(
        "a series of ten hours has a limited number of points that still cover all of it")
    func course() {
        var course = TimeSeries<Int>(capacity: 600)
        for second in 0..<36_000 {
            course.add(second, at: MediaTime(nanoseconds: Int64(second) * 1_000_000_000))
        }
        #expect(course.points.count < 600 && course.points.count >= 280)
        #expect(course.points.first?.value == 0)
        #expect((course.points.last?.value ?? 0) > 35_800)
        let steps = zip(course.points, course.points.dropFirst()).map { $1.value - $0.value }
        #expect(Set(steps).count == 1)
    }

    @Test("a histogram gives the deviation of most timestamps and includes all outliers")
    func histogram() {
        var jitter = JitterHistogram()
        for step in -1000...1000 { jitter.add(.microseconds(Int64(step) * 8)) }
        jitter.add(.seconds(5))
        jitter.add(-.seconds(5_000_000))
        let reach = jitter.deviation(ofShare: 0.95)
        #expect(reach >= .microseconds(7500) && reach <= .microseconds(7700))
        let bars = jitter.bars(20, reach: .milliseconds(8))
        #expect(bars.reduce(0, +) == 2003)
        #expect(bars.dropFirst().dropLast().allSatisfy { (95...105).contains($0) })
    }
}
