import MulticamMedia
import Testing

@testable import MulticamRemoteSources

@Suite("Detection of a stream without new frames")
struct FrameWatchdogTests {
    private static let begin = ClockTime(nanoseconds: 5_000_000_000)

    @Test("packets with the same timestamp or none do not keep a stream alive")
    func constant() {
        var watchdog = FrameWatchdog(since: Self.begin)
        var now = Self.begin
        for index in 0..<300 {
            now = Self.begin + .milliseconds(Int64(index) * 10)
            watchdog.record(index % 2 == 0 ? .milliseconds(40) : nil, at: now)
            #expect(!watchdog.isStalled(at: now))
        }
        watchdog.record(.milliseconds(40), at: now + .milliseconds(100))
        #expect(watchdog.isStalled(at: now + .milliseconds(100)))
    }

    @Test("a new frame every two seconds is enough, even if timestamps go backward")
    func slow() {
        var watchdog = FrameWatchdog(since: Self.begin)
        for (index, stamp) in [Int64(0), 1000, 3000, 2000, 4000, 0, 1000].enumerated() {
            let now = Self.begin + .seconds(Int64(index) * 2)
            #expect(!watchdog.isStalled(at: now))
            watchdog.record(.milliseconds(stamp), at: now)
        }
    }

    private static func unit(_ bytes: [UInt8], isKey: Bool = false, isDamaged: Bool = false) -> PendingUnit {
        PendingUnit(
            bytes: SharedBytes(bytes), stamp: .zero, date: PacketDate(time: begin, isRebased: false),
            isKey: isKey,
            isDamaged: isDamaged)
    }

    @Test("the parts of an access unit are joined in order")
    func joined() {
        var unit = Self.unit([1, 2], isKey: true)
        let isWithin =
            unit.append(Self.unit([3]), atMost: 10)
            && unit.append(Self.unit([4, 5], isDamaged: true), atMost: 10)
        #expect(isWithin)
        let joined = unit.bytes
        #expect(Array(joined.bytes) == [1, 2, 3, 4, 5])
        #expect(unit.isKey && unit.isDamaged)
    }

    @Test("the bytes and parts of an access unit are limited")
    func bounds() {
        var unit = Self.unit([1, 2])
        let results = [unit.append(Self.unit([3, 4]), atMost: 4), unit.append(Self.unit([5]), atMost: 4)]
        #expect(results == [true, false])
        var many = Self.unit([0])
        var isWithin = true
        for _ in 0..<1023 { isWithin = isWithin && many.append(Self.unit([0]), atMost: 1 << 20) }
        #expect(isWithin)
        let isStillWithin = many.append(Self.unit([0]), atMost: 1 << 20)
        #expect(!isStillWithin)
    }
}
