import Media
import Testing

@testable import SessionFolder

@Suite("What the report on clocks is drawn from")
struct SyncHistoryTests {
    @Test(
        "a course of ten hours has a bounded number of points that still reach from its beginning to its end")
    func course() {
        var course = Course<Int>(capacity: 600)
        for second in 0..<36_000 {
            course.add(second, at: MediaTime(nanoseconds: Int64(second) * 1_000_000_000))
        }
        #expect(course.points.count < 600 && course.points.count >= 280)
        #expect(course.points.first?.value == 0)
        #expect((course.points.last?.value ?? 0) > 35_800)
        let steps = zip(course.points, course.points.dropFirst()).map { $1.value - $0.value }
        #expect(Set(steps).count == 1)
    }

    @Test("a histogram tells how far most stamps lie off and loses none, however far")
    func histogram() {
        var jitter = JitterHistogram()
        for step in -1000...1000 { jitter.add(.microseconds(Int64(step) * 8)) }
        jitter.add(.seconds(5))
        jitter.add(-.seconds(5_000_000))
        let reach = jitter.reach(ofShare: 0.95)
        #expect(reach >= .microseconds(7500) && reach <= .microseconds(7700))
        let bars = jitter.bars(20, reach: .milliseconds(8))
        #expect(bars.reduce(0, +) == 2003)
        #expect(bars.dropFirst().dropLast().allSatisfy { (95...105).contains($0) })
    }
}
