import MulticamMedia
import Testing

@testable import MulticamWriters

@Suite("free space on a disk")
struct StorageMonitorTests {
    /// Returns the findings for each second of a recording of 4 MB per second, with the given free space.
    private func findings(
        _ watch: inout StorageMonitor, free: (Int64) -> Int64, seconds: ClosedRange<Int64>, held: Int64 = 0
    ) -> [(second: Int64, finding: StorageMonitor.Finding)] {
        seconds.compactMap { second in
            let disk = DiskSpace(freeBytes: free(second), recordedBytes: second * 4_000_000)
            let time = ClockTime(nanoseconds: second * 1_000_000_000)
            return watch.evaluate(
                disk, readAt: time, finishing: [100_000], held: held, delay: .milliseconds(200)
            )
            .map { (second, $0) }
        }
    }

    @Test(
        "it warns once at ten minutes and once at five, and ends the recording while the files can still be finalized"
    )
    func course() {
        var watch = StorageMonitor()
        let found = findings(&watch, free: { max(0, 3_000_000_000 - $0 * 4_000_000) }, seconds: 0...750)
        let warnings = found.compactMap { entry -> (Int64, Int)? in
            if case .runsOut(let minutes, _) = entry.finding { (entry.second, minutes) } else { nil }
        }
        // There is space for 750 s. Less than ten minutes remain at 150 s, and less than five at 450 s.
        #expect(warnings.map(\.0) == [151, 451] && warnings.map(\.1) == [10, 5])
        let end = found.first { $0.finding == .atReserve }
        // The reserve is 4 MB/s x (2 s to detect + 2.2 s in transit) plus less than 1 MiB, which are the last
        // 4.4 s.
        #expect(end?.second == 746)
    }

    @Test("a start with three minutes left causes one warning; after space was freed, warnings start again")
    func room() {
        var watch = StorageMonitor()
        let begin = findings(&watch, free: { _ in 720_000_000 }, seconds: 0...20)
        #expect(begin.count == 1)
        #expect(begin.first?.finding == .runsOut(minutes: 5, timeLeft: .seconds(180)))
        let made = findings(&watch, free: { _ in 9_000_000_000 }, seconds: 21...40)
        #expect(made.isEmpty)
        let again = findings(&watch, free: { _ in 2_000_000_000 }, seconds: 41...60)
        #expect(again.map(\.finding) == [.runsOut(minutes: 10, timeLeft: .seconds(500))])
    }

    @Test("a disk with unknown free space does not end the recording")
    func silent() {
        var watch = StorageMonitor()
        let time = ClockTime(nanoseconds: 1)
        for _ in 0..<10 {
            #expect(watch.evaluate(nil, readAt: time, finishing: [], held: 0, delay: .zero) == nil)
        }
        #expect(watch.bytesToReserve == 0)
    }

    @Test("the reserve is the space for finalizing files plus the data written before the limit is detected")
    func reserve() {
        let reserve = StorageReserve(
            finishing: [800_000, 800_000], bytesPerSecond: 10_000_000, delay: .milliseconds(500))
        // The reserve is 1.6 MB plus an eighth, 2.5 s in transit, 512 KiB for other files, and 2 s to detect
        // the shortage.
        #expect(reserve.finalizationBytes == 1_800_000 + 25_000_000 + 524_288)
        #expect(reserve.detectionBytes == 20_000_000)
        #expect(reserve.bytesToReserve(free: 1_000_000_000, held: 0) == reserve.finalizationBytes)
        // On a small disk, at most a quarter is reserved, including the space that is already reserved.
        #expect(reserve.bytesToReserve(free: 15_000_000, held: 5_000_000) == 5_000_000)
        // Reserved space doesn't have to be free as well.
        #expect(!reserve.isReached(free: 20_000_000, held: reserve.finalizationBytes))
        #expect(reserve.isReached(free: 19_999_999, held: reserve.finalizationBytes))
        #expect(reserve.isReached(free: 20_000_000 + reserve.finalizationBytes - 1, held: 0))
    }
}
