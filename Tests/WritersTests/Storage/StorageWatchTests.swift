import Media
import Testing

@testable import Writers

@Suite("room on a disk")
struct StorageWatchTests {
    /// A recording of 4 MB a second on a disk with so much room: what is found, second by second.
    private func follow(
        _ watch: inout StorageWatch, free: (Int64) -> Int64, seconds: ClosedRange<Int64>, held: Int64 = 0
    ) -> [(second: Int64, finding: StorageWatch.Finding)] {
        seconds.compactMap { second in
            let disk = DiskSpace(freeBytes: free(second), recordedBytes: second * 4_000_000)
            let time = ClockTime(nanoseconds: second * 1_000_000_000)
            return watch.look(disk, readAt: time, finishing: [100_000], held: held, delay: .milliseconds(200))
                .map { (second, $0) }
        }
    }

    @Test(
        "it warns once at ten minutes and once at five, and ends the recording while there is room to finish the files"
    )
    func course() {
        var watch = StorageWatch()
        let found = follow(&watch, free: { max(0, 3_000_000_000 - $0 * 4_000_000) }, seconds: 0...750)
        let warnings = found.compactMap { entry -> (Int64, Int)? in
            if case .runsOut(let minutes, _) = entry.finding { (entry.second, minutes) } else { nil }
        }
        // 750 s of room: below ten minutes at 150 s, below five at 450 s.
        #expect(warnings.map(\.0) == [151, 451] && warnings.map(\.1) == [10, 5])
        let end = found.first { $0.finding == .atReserve }
        // 4 MB/s x (2 s to notice + 2.2 s under way) and less than 1 MiB: the last 4.4 s.
        #expect(end?.second == 746)
    }

    @Test("who begins with three minutes is warned once; who makes room is warned anew")
    func room() {
        var watch = StorageWatch()
        let begin = follow(&watch, free: { _ in 720_000_000 }, seconds: 0...20)
        #expect(begin.count == 1)
        #expect(begin.first?.finding == .runsOut(minutes: 5, timeLeft: .seconds(180)))
        let made = follow(&watch, free: { _ in 9_000_000_000 }, seconds: 21...40)
        #expect(made.isEmpty)
        let again = follow(&watch, free: { _ in 2_000_000_000 }, seconds: 41...60)
        #expect(again.map(\.finding) == [.runsOut(minutes: 10, timeLeft: .seconds(500))])
    }

    @Test("a reading that is given again changes nothing, and a disk that says nothing ends nothing")
    func silent() {
        var watch = StorageWatch()
        let time = ClockTime(nanoseconds: 1)
        for _ in 0..<10 {
            #expect(watch.look(nil, readAt: time, finishing: [], held: 0, delay: .zero) == nil)
        }
        #expect(watch.toHold == 0)
    }

    @Test("the reserve is what finishing takes and what is written until somebody notices")
    func reserve() {
        let reserve = StorageReserve(
            finishing: [800_000, 800_000], bytesPerSecond: 10_000_000, delay: .milliseconds(500))
        // 1.6 MB and an eighth, 2.5 s under way, 512 KiB of papers; 2 s to notice.
        #expect(reserve.finishing == 1_800_000 + 25_000_000 + 524_288)
        #expect(reserve.noticing == 20_000_000)
        #expect(reserve.toHold(free: 1_000_000_000, held: 0) == reserve.finishing)
        // Of a small disk a quarter, counted with what is held of it already.
        #expect(reserve.toHold(free: 15_000_000, held: 5_000_000) == 5_000_000)
        // What is held need not be free too.
        #expect(!reserve.isReached(free: 20_000_000, held: reserve.finishing))
        #expect(reserve.isReached(free: 19_999_999, held: reserve.finishing))
        #expect(reserve.isReached(free: 20_000_000 + reserve.finishing - 1, held: 0))
    }
}
