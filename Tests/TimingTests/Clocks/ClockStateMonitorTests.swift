import MulticamInputs
import MulticamMedia
import MulticamSessionFolder
import Testing

@testable import MulticamTiming

@Suite("reports of a device's clock state")
struct ClockStateMonitorTests {
    private func reading(
        _ isLocked: Bool, restarts: Int = 0, moved: Nanoseconds = .zero
    ) -> ClockReading {
        ClockReading(
            interval: .milliseconds(33), partsPerMillion: 12, residual: .microseconds(300),
            isLocked: isLocked,
            restarts: restarts, moved: moved)
    }

    /// Returns the reports if the model is checked thirty times per second, with their times in seconds.
    private func reportedChanges(
        seconds: Double, _ reading: (Double) -> ClockReading
    ) -> [(time: Double, change: ClockStateMonitor.Change)] {
        var watch = ClockStateMonitor()
        return (0..<Int64(seconds * 30)).compactMap { index in
            let time = Double(index) / 30
            return watch.update(with: reading(time), now: ClockTime(nanoseconds: index * 33_333_333)).map {
                (time, $0)
            }
        }
    }

    @Test("a locked clock is reported only once")
    func locks() {
        let told = reportedChanges(seconds: 600) { reading($0 > 2) }
        #expect(told.map(\.change.state) == [.locked])
        #expect((2...2.1).contains(told[0].time))
    }

    @Test("a clock unlocked for about a second is not reported; a longer period and its end are")
    func loses() {
        #expect(reportedChanges(seconds: 60) { reading(!(20..<21.4).contains($0)) }.count == 1)
        let told = reportedChanges(seconds: 60) { reading(!(20..<30).contains($0)) }
        #expect(told.map(\.change.state) == [.locked, .lost, .locked])
        #expect((21.5...21.6).contains(told[1].time) && (30...30.1).contains(told[2].time))
    }

    @Test("a jump is reported once, with its size, followed by the lock of the new line")
    func restarts() {
        let told = reportedChanges(seconds: 60) {
            $0 < 20 ? reading(true) : reading(true, restarts: 1, moved: .milliseconds(-40))
        }
        #expect(told.map(\.change.state) == [.locked, .restarted, .locked])
        #expect(told[1].change.moved == .milliseconds(-40) && told[1].change.restarts == 1)
        let event = told[1].change.event(of: "desk", at: MediaTime(nanoseconds: 20_000_000_000)).line()
        #expect(
            event
                == #"{"at_ns":20000000000,"event":"clock","moved_us":-40000,"ppm":12,"residual_us":300,"restarts":1,"state":"restarted","track":"desk"}"#
        )
    }

    @Test("a clock that jumps ten times per second is reported about once per minute, with all jumps counted")
    func storm() {
        let told = reportedChanges(seconds: 3600) {
            reading(true, restarts: Int($0 * 10), moved: .milliseconds(Int64($0 * 10)))
        }
        #expect(told.count < 75)
        #expect(told.map(\.change.restarts).reduce(0, +) >= 35_000)
        #expect(told.map(\.change.moved).reduce(.zero, +) >= .seconds(35))
    }

    @Test("after many jumps and a calm period, a new jump is reported immediately")
    func calm() {
        let told = reportedChanges(seconds: 1200) {
            reading(true, restarts: $0 < 60 ? Int($0 * 10) : $0 < 1000 ? 600 : 601)
        }
        let last = told.last { $0.change.state == .restarted }
        #expect(last.map { (1000...1000.1).contains($0.time) } == true)
        #expect(last?.change.restarts == 1)
    }
}
